"""Small file systems in memory, which only root may mount: disks that tests fill."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Disk:
    """A separate file system."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def mount(self, options: str) -> bool:
        command = ["mount", "-t", "tmpfs", "-o", f"mode=700,{options}", "tmpfs", self.path]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def remount(self, options: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{options}", self.path], check=True)  # noqa: S607

    def lay_read_only(self) -> None:
        """Let nothing more be opened for writing; what is open stays open, and keeps no disk from this."""
        subprocess.run(["mount", "--bind", self.path, self.path], check=True)  # noqa: S607
        self.remount("bind,ro")

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", self.path], check=True)  # noqa: S607

    @property
    def _filling(self) -> Path:
        return self.path / "filling"

    def fill(self) -> None:
        """Leave no room: a large file takes all that is free."""
        with self._filling.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(64 * 1024))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def make_room(self) -> None:
        """Remove what :meth:`fill` wrote."""
        self._filling.unlink()


def may_mount() -> bool:
    """Return whether this process may mount disks, as far as that is known before it tries."""
    return os.geteuid() == 0


@contextmanager
def mounted_disk(path: Path, options: str) -> Iterator[Disk]:
    """Mount a new disk at a path, and unmount it in the end; skips the test where nothing may be mounted.

    Args:
        path: a folder that does not exist.
        options: of the mount, such as ``size=64m``.
    """
    disk = Disk(path)
    path.mkdir()
    if not may_mount() or not disk.mount(options):
        pytest.skip("nothing may be mounted here")
    try:
        yield disk
    finally:
        disk.unmount()
