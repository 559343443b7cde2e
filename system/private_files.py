"""Files of our own that only we can read: made with mode 0600, never through a link, whole or not at all."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from system.errors import PindnaError
from system.local_files import read_file, sync_folder
from system.messages import N_

_MAX_KEY_FILE_BYTES = 10_000
_PROBLEM_OPEN = N_("others may read it or a group write to it; chmod 600")
_OPEN = stat.S_IRWXO | stat.S_IWGRP  # a group may read: so secrets of containers are mounted


def is_open_to_others(path: Path) -> bool:
    """Return whether others than its user can read a file, or a group write to it.

    Raises:
        OSError: it is not there.
    """
    return bool(path.stat().st_mode & _OPEN)


def open_private(path: Path, flags: int) -> int:
    """Open a file that only we can read; returns its descriptor.

    Raises:
        OSError: it cannot be opened, or is a link.
    """
    return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def write_private(path: Path, data: bytes) -> None:
    """Write a file so that a power cut leaves the old one or the new one; processes may do so at once.

    Raises:
        OSError: the folder cannot be written to.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    try:
        with os.fdopen(open_private(draft, os.O_WRONLY | os.O_EXCL), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def write_new_private(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, whole or not at all; the one that is there stays.

    Raises:
        OSError: the folder cannot be written to.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft.unlink(missing_ok=True)
    with os.fdopen(open_private(draft, os.O_WRONLY | os.O_EXCL), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    with suppress(FileExistsError):  # made by another process, or left by one that was killed
        os.link(draft, path)
    draft.unlink()


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file with a key, which nobody else may read.

    Attributes:
        path: where it is.
        unusable: the error where it cannot be used. Data: ``path``, ``problem``.
    """

    path: Path
    unusable: type[PindnaError]

    def read(self) -> bytes:
        """Return what it holds, 10,000 bytes at most.

        Raises:
            MissingFile: it is not there.
            UnreadableFile: it cannot be read.
            PindnaError: as ``unusable`` says: others can read it.
        """
        data = read_file(self.path, max_bytes=_MAX_KEY_FILE_BYTES)
        if is_open_to_others(self.path):
            raise self.unusable(path=self.path, problem=_PROBLEM_OPEN)
        return data

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Let what the operating system refuses in a block be the error of this file."""
        try:
            yield
        except OSError as error:
            raise self.unusable(path=self.path, problem=error.strerror) from error
