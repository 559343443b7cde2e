"""What became of cases, watched at once."""

from analysis.watch.enrolling import follow_events
from storage.records import utc_now
from tracker.runtime import Runtime


def follow_cases(runtime: Runtime) -> None:
    """Watch what became of cases since the schedule looked last."""
    while follow_events(runtime.stores, runtime.settings.analysis.watch, now=utc_now()):
        pass
