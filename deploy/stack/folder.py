"""The data folder of the embedded services, which only its user can read, and its two locks.

Every command that uses the services has a shared lock on ``users.lock``, so a command that can lock it
exclusively is the only user. A command that starts or stops services has an exclusive lock on ``start.lock``.
The operating system releases such locks (flock) when a process dies, so no crash leaves a lock behind.
"""

import errno
import fcntl
import logging
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

from analysis.words.i18n import gettext as _
from deploy.stack.errors import DataFolderLocked, DataFolderUnusable, DiskFull, StackError
from deploy.stack.trust import (
    make_private,
    private_umask,
    refuse_foreign,
    refuse_foreign_parents,
)
from system.private_files import open_private

NEEDED_BYTES = 64 * 1024 * 1024
_POLL_S = 0.05
_FIRST_LINE_S = 10.0  # after this time a waiting command prints which process it waits for
_OWN_FILES = frozenset(
    {
        *("account.pem", "passwords.json", "redis-users.conf", "secantusd.toml", "stack.json"),
        *("start.lock", "users.lock"),
        *("evidence-key.pem", "evidence-root.txt", "one-time-keys"),  # of analysis
        "browser-trial.json",  # the same
        "demo",  # this folder is a data folder too
    }
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DataFolder:
    """The paths in one data folder."""

    path: Path

    @property
    def state(self) -> Path:
        """The file with ports and processes."""
        return self.path / "stack.json"

    @property
    def passwords(self) -> Path:
        """The file with the passwords of the servers."""
        return self.path / "passwords.json"

    @property
    def account_key(self) -> Path:
        """The key that opens the document server while its account is created."""
        return self.path / "account.pem"

    @property
    def parts(self) -> tuple[Path, ...]:
        """The subfolders of the data folder."""
        return tuple(self.path / name for name in ("beat", "logs", "mongo", "redis"))

    @property
    def is_nothing_else(self) -> bool:
        """Return whether the folder contains only files of pindna, so that pindna may change its mode."""
        return all(entry in self.parts or entry.name in _OWN_FILES for entry in self.path.iterdir())

    def of(self, service: str) -> Path:
        """Return the folder with the data of a service."""
        return self.path / service

    def log(self, service: str) -> Path:
        """Return the log file of one service."""
        return self.path / "logs" / f"{service}.log"


def prepare(path: Path, *, needed_bytes: int = NEEDED_BYTES) -> DataFolder:
    """Create the data folder, or check that only its user can change it; check the free space.

    Raises:
        DataFolderUnusable: it cannot be created or written to.
        FolderOfOthers, FolderOpen, LinkInFolder: another user could read or change what is in it.
        DiskFull: fewer than ``needed_bytes`` bytes are free.
    """
    folder = DataFolder(Path(os.path.abspath(path.expanduser())))  # noqa: PTH100 - resolves no links, on purpose
    try:
        refuse_foreign_parents(folder.path)
        with private_umask():
            folder.path.mkdir(parents=True, exist_ok=True)
        folder = DataFolder(folder.path.resolve())
        refuse_foreign(folder.path, within=folder.parts, may_close=folder.is_nothing_else)
        if folder.is_nothing_else:
            make_private(folder.path)
        for name in folder.parts:
            make_private(name)
        probe = folder.path / f".writable-{os.getpid()}"
        os.close(open_private(probe, os.O_WRONLY))
        probe.unlink()
        free = shutil.disk_usage(folder.path).free
    except OSError as error:
        raise unusable(folder.path, error) from error
    if free < needed_bytes:
        raise DiskFull(path=folder.path, problem=f"{free >> 20} MiB free, {needed_bytes >> 20} MiB needed")
    return folder


def existing(path: Path) -> DataFolder:
    """Return an existing data folder for reading, without creating or changing anything.

    Raises:
        DataFolderUnusable: it cannot be read.
        FolderOfOthers, FolderOpen, LinkInFolder: ``prepare`` would refuse it.
    """
    folder = DataFolder(path.expanduser().resolve())
    try:
        if folder.path.is_dir():
            refuse_foreign(folder.path, within=folder.parts, may_close=folder.is_nothing_else)
    except OSError as error:
        raise unusable(folder.path, error) from error
    return folder


def unusable(path: Path, error: OSError) -> StackError:
    """Return pindna's error for an error of the operating system."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(path=path, problem=error.strerror)
    where = error.filename or path
    return DataFolderUnusable(path=where, problem=(error.strerror or str(error)).lower())


@contextmanager
def starting(folder: DataFolder, *, timeout_s: float = 120.0) -> Iterator[None]:
    """Hold the lock for starting and stopping services during the block.

    Raises:
        DataFolderLocked: another command has held the lock for ``timeout_s`` seconds.
        DataFolderUnusable: the file system has no locks.
    """
    with _lock_file(folder, "start.lock") as descriptor:
        begun = time.monotonic()
        deadline, line_due = begun + timeout_s, begun + _FIRST_LINE_S
        while not _lock(folder, descriptor, fcntl.LOCK_EX):
            holder = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip() or "?"
            if time.monotonic() >= line_due:
                line_due = inf
                logger.warning(_("Waiting for process %s, which starts or stops services."), holder)
            if time.monotonic() >= deadline:
                raise DataFolderLocked(path=folder.path / "start.lock", holder=f"process {holder}")
            time.sleep(_POLL_S)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)
        yield


class Membership:
    """This command as a user of a data folder. Call its methods only inside ``starting``."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._descriptor: int | None = None

    def join(self) -> bool:
        """Register this command as a user; returns whether it is the only user.

        Raises:
            DataFolderUnusable: the lock file cannot be opened or locked.
        """
        self._descriptor = _open(self._folder, "users.lock")
        return self.is_alone()

    def is_alone(self) -> bool:
        """Return whether no other command uses the data folder.

        Raises:
            DataFolderUnusable: the lock file cannot be locked.
        """
        if self._descriptor is None:
            return True
        alone = _lock(self._folder, self._descriptor, fcntl.LOCK_EX)
        _lock(self._folder, self._descriptor, fcntl.LOCK_SH)
        return alone

    def leave(self) -> bool:
        """Remove this command from the users; returns whether no other user remains."""
        if self._descriptor is None:
            return False
        descriptor, self._descriptor = self._descriptor, None
        try:
            return _lock(self._folder, descriptor, fcntl.LOCK_EX)
        finally:
            os.close(descriptor)


def _open(folder: DataFolder, name: str) -> int:
    try:
        return open_private(folder.path / name, os.O_RDWR)
    except OSError as error:
        raise unusable(folder.path, error) from error


@contextmanager
def _lock_file(folder: DataFolder, name: str) -> Iterator[int]:
    descriptor = _open(folder, name)
    try:
        yield descriptor
    finally:
        with suppress(OSError):
            os.close(descriptor)


def _lock(folder: DataFolder, descriptor: int, kind: int) -> bool:
    """Try to lock a file without waiting; returns whether it succeeded."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise unusable(folder.path, error) from error
    return True
