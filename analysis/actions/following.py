"""Update the watched addresses after changes of cases."""

from analysis.watch.enrolling import follow_events
from storage.records import utc_now
from tracker.runtime import Runtime


def follow_cases(runtime: Runtime) -> None:
    """Watch the addresses of cases that changed since the last scheduled run."""
    while follow_events(runtime.stores, runtime.settings.analysis.watch, now=utc_now()):
        pass
