"""Load a sample work that pindna contains, for users who try it out."""

from pathlib import Path

from analysis.accounts.permissions import Identity
from analysis.actions.loading import add_works
from storage.records import Work
from system.errors import PindnaError
from tracker.corpus.loading import Terms
from tracker.corpus.reading import read_works
from tracker.runtime import Runtime

SAMPLE = Path(__file__).parent.parent / "console" / "static" / "sample.txt"


def add_sample(identity: Identity, runtime: Runtime) -> Work:
    """Load the sample work, and have it indexed. Repeated calls change nothing.

    Raises:
        NotPermitted: the user may not load works.
    """
    identity.require("works:write")
    (raw,) = read_works(SAMPLE)
    if isinstance(raw, PindnaError):  # pragma: no cover - the sample is readable
        raise raw
    (stored,) = add_works(identity, runtime, [raw], Terms())
    if isinstance(stored, PindnaError):
        raise stored
    return stored[1]
