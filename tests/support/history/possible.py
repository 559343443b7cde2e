"""Which faults this machine can bring about: disks of their own need root."""

from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from support.disks import Disk, may_mount
from support.history.schedule import FAULT_KINDS, FaultKind


@cache
def possible_kinds() -> AbstractSet[FaultKind]:
    """Return the kinds of faults that can happen here."""
    return {kind for kind in FAULT_KINDS if kind != "full-disk" or _can_mount()}


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
