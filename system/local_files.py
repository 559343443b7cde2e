"""Files that the user names: regular ones only, and never more of them than is allowed or was there.

A pipe, a device or a socket would hang a command or never end, a sparse file would fill the memory, and one
that grows would never be read to its end. So a file is opened without waiting, looked at through the open
descriptor (the name may mean another file by then), refused by its size before a byte is read, and read as
far as it was long when it was opened. Links are followed: what counts is what they lead to.
"""

import errno
import io
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from system.errors import PindnaError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_FILE_BYTES = 64 * 1024 * 1024  # the longest novels have 30 MB

# O_NONBLOCK: opening a pipe without a writer does not wait; of no effect on regular files.
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class MissingFile(PindnaError):
    """A path does not exist. Data: ``path``."""

    template = "{path}: there is no such file or folder. Check the path."


class UnreadableFile(PindnaError):
    """The operating system refuses to read a file. Data: ``path``, ``problem``."""

    template = "{path}: cannot be read ({problem}). Check its permissions."


class IsFolder(PindnaError):
    """A folder was given where a file is needed. Data: ``path``."""

    template = "{path}: is a folder. Name the files in it."


class NotRegular(PindnaError):
    """A pipe, a device or a socket was given where a file is needed. Data: ``path``."""

    template = "{path}: is no regular file; skipped. Copy what it gives into one first."


class FileTooLarge(PindnaError):
    """A file is longer than one may be. Data: ``path``, ``limit``."""

    template = (
        "{path}: is longer than {limit} bytes; skipped. "
        "Split it, or raise the setting tracker.max_file_bytes."
    )


class RegularFile(io.RawIOBase):
    """The bytes that a regular file had when it was opened; what it grows by later is not read.

    Args:
        path: the file.

    Attributes:
        size: bytes that it had.
        position: bytes that are read.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: what is wrong with it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._descriptor = -1
        self._descriptor = _open(path)
        self.size = os.fstat(self._descriptor).st_size
        self.position = 0

    def readable(self) -> bool:
        """Return True: it can be read."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read the next bytes into a buffer and return how many.

        Raises:
            OSError: the operating system refuses.
        """
        view = memoryview(buffer).cast("B")
        count = min(len(view), self.size - self.position)
        data = os.read(self._descriptor, count) if count > 0 else b""
        view[: len(data)] = data
        self.position += len(data)
        return len(data)

    def close(self) -> None:
        """Close it; more than once does no harm."""
        if not self.closed and self._descriptor >= 0:
            os.close(self._descriptor)
        super().close()


def readable(path: str | os.PathLike[str]) -> str:
    """Return a file's name as text that can be shown and stored.

    Names in GBK, as Windows archives leave them, come from the operating system as lone surrogates.
    """
    from fingerprint.text.decoding import decode  # noqa: PLC0415 - NumPy and tables, for names alone

    return decode(os.fsencode(path)).text.encode("utf-8", "replace").decode()


def read_file(path: Path, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return a file's bytes.

    Args:
        path: the file.
        max_bytes: a longer one is refused before anything of it is read.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with it.
    """
    with RegularFile(path) as file:
        if file.size > max_bytes:
            raise FileTooLarge(path=readable(path), limit=max_bytes)
        try:
            return file.readall() or b""
        except OSError as error:
            raise unreadable(path, error) from error


def sync_folder(folder: Path) -> None:
    """Let the names that were given or changed in a folder outlive a crash of the machine.

    Raises:
        OSError: the folder cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def unreadable(path: Path, error: OSError) -> PindnaError:
    """Return what to tell of a file that the operating system refuses."""
    if isinstance(error, FileNotFoundError):
        return MissingFile(path=readable(path))
    if isinstance(error, IsADirectoryError):
        return IsFolder(path=readable(path))
    if error.errno == errno.ENXIO:  # what opening a socket, or a device that is not there, gives
        return NotRegular(path=readable(path))
    return UnreadableFile(path=readable(path), problem=error.strerror or str(error))


def _open(path: Path) -> int:
    """Return a descriptor of a regular file.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: what is wrong with it.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise unreadable(path, error) from error
    except ValueError as error:  # a NUL in the name
        raise MissingFile(path=readable(path)) from error
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsFolder(path=readable(path))
    raise NotRegular(path=readable(path))
