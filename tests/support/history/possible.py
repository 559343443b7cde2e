"""The faults that this machine can cause: separate disks need root, separate clocks need a compiler."""

from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from support.disks import Disk, may_mount
from support.history.clocks import compile_clock
from support.history.schedule import FAULT_KINDS, FaultKind


@cache
def possible_kinds() -> AbstractSet[FaultKind]:
    """Return the kinds of faults that can happen here."""
    impossible = {"full-disk": not _can_mount(), "clock": not _can_set_clocks()}
    return {kind for kind in FAULT_KINDS if not impossible.get(kind)}


def _can_set_clocks() -> bool:
    with TemporaryDirectory() as folder:
        return compile_clock(Path(folder)) is not None


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
