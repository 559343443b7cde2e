"""A work of our own to try pindna with, where none is loaded yet."""

from pathlib import Path

from analysis.accounts.permissions import Identity
from analysis.actions.auditing import note_act
from storage.records import Work
from system.errors import PindnaError
from tracker.corpus.loading import Terms, store_work
from tracker.corpus.reading import read_works
from tracker.runtime import Runtime
from tracker.scans.dispatch import dispatch_works

SAMPLE = Path(__file__).parent.parent / "console" / "static" / "sample.txt"


def add_sample(who: Identity, runtime: Runtime) -> Work:
    """Load the sample work, and have it indexed; may be repeated.

    Raises:
        NotPermitted: works are not this one's to load.
        ServiceDown: a service does not answer.
    """
    who.require("works:write")
    (raw,) = read_works(SAMPLE)
    if isinstance(raw, PindnaError):  # pragma: no cover - it is ours
        raise raw
    _, work = store_work(raw, runtime.stores, runtime.guard.live(), terms=Terms())
    dispatch_works(runtime.stores, runtime.settings.tracker, runtime.queue.send)
    note_act(who, runtime, "add-work", f"work {work.id}", kind="work-added", after={"title": work.title})
    return work
