"""Which faults this machine can bring about: disks need root, clocks the library of the package faketime."""

from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from support.disks import Disk, may_mount
from support.history.schedule import FAULT_KINDS, FaultKind

_LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1")


@cache
def possible_kinds() -> AbstractSet[FaultKind]:
    """Return the kinds of faults that can happen here."""
    kinds: set[FaultKind] = set(FAULT_KINDS)
    if not _can_mount():
        kinds.discard("full-disk")
    if clock_library() is None:
        kinds.discard("clock")
    return kinds


def clock_library() -> Path | None:
    """Return the library that shows processes another time; None where it is not installed."""
    found = [path for pattern in _LIBRARIES for path in Path("/").glob(pattern.removeprefix("/"))]
    return found[0] if found else None


def _can_mount() -> bool:
    if not may_mount():
        return False
    with TemporaryDirectory() as folder:
        disk = Disk(Path(folder) / "disk")
        disk.path.mkdir()
        if not disk.mount("size=1m"):
            return False
        disk.unmount()
        return True
