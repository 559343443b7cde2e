"""Files that the user specifies: read only regular files, up to a size limit.

A pipe, a device or a socket would block a command, a sparse file would fill the memory, and reading a file
that grows would never end. So a file is opened without blocking. Its type is checked through the open
descriptor, because its name may refer to another file by then. A file that is too large is refused before any
byte is read. A file is read only up to the length that it had when it was opened. Links are followed, and
their target is checked.
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

MAX_FILE_BYTES = 64 * 1024 * 1024  # the longest novels take 30 MB

# O_NONBLOCK: opening a pipe without a writer does not block; it has no effect on regular files.
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class MissingFile(PindnaError):
    """A path does not exist.

    Attributes:
        path: the path.
    """

    template = "{path} does not exist. Check the path."


class UnreadableFile(PindnaError):
    """The operating system refuses to read a file.

    Attributes:
        path: the file.
        problem: the reason.
    """

    template = "Cannot read {path} ({problem}). Check its permissions."


class IsFolder(PindnaError):
    """A path is a folder where a file is needed.

    Attributes:
        path: the folder.
    """

    template = "{path} is a folder. Name the files in it."


class NotRegular(PindnaError):
    """A path is a pipe, a device or a socket where a file is needed.

    Attributes:
        path: the path.
    """

    template = "Skipped {path}: not a regular file. Copy its contents into a file first."


class FileTooLarge(PindnaError):
    """A file is larger than the limit.

    Attributes:
        path: the file.
        limit: the maximum size in bytes.
    """

    template = (
        "Skipped {path}: larger than {limit} bytes. Split it, or raise the setting tracker.max_file_bytes."
    )


class RegularFile(io.RawIOBase):
    """The bytes that a regular file had when it was opened; bytes added later are not read.

    Args:
        path: the file.

    Attributes:
        size: number of bytes of the file when it was opened.
        position: number of bytes that were read so far.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._descriptor = -1
        self._descriptor = _open_regular_file(path)
        self.size = os.fstat(self._descriptor).st_size
        self.position = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Read the next bytes into a buffer and return their number.

        Raises:
            OSError: the operating system refuses to read.
        """
        view = memoryview(buffer).cast("B")
        count = min(len(view), self.size - self.position)
        data = os.read(self._descriptor, count) if count > 0 else b""
        view[: len(data)] = data
        self.position += len(data)
        return len(data)

    def close(self) -> None:
        """Close the file; closing it twice is harmless."""
        if not self.closed and self._descriptor >= 0:
            os.close(self._descriptor)
        super().close()


def readable(path: str | os.PathLike[str]) -> str:
    """Return a file's name in a form that can be displayed and stored.

    File names from Windows archives may be in GBK. Python represents their bytes as lone surrogates, which
    this function decodes.
    """
    from fingerprint.text.decoding import decode  # noqa: PLC0415 - NumPy and tables, for names alone

    return decode(os.fsencode(path)).text.encode("utf-8", "replace").decode()


def read_file(path: Path, *, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return a file's bytes.

    Args:
        path: the file.
        max_bytes: the size limit; a larger file is refused before any byte is read.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be used.
    """
    with RegularFile(path) as file:
        if file.size > max_bytes:
            raise FileTooLarge(path=readable(path), limit=max_bytes)
        try:
            return file.readall() or b""
        except OSError as error:
            raise file_error(path, error) from error


def sync_folder(folder: Path) -> None:
    """Write a folder's entries to the disk, so that new and changed names survive a crash of the machine.

    Raises:
        OSError: the folder cannot be opened.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_error(path: Path, error: OSError) -> PindnaError:
    """Return the error to show for a file that the operating system refuses to open or read."""
    if isinstance(error, FileNotFoundError):
        return MissingFile(path=readable(path))
    if isinstance(error, IsADirectoryError):
        return IsFolder(path=readable(path))
    if error.errno == errno.ENXIO:  # the path is a socket or a missing device
        return NotRegular(path=readable(path))
    return UnreadableFile(path=readable(path), problem=error.strerror or str(error))


def _open_regular_file(path: Path) -> int:
    """Open a regular file, and return its descriptor.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be used.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise file_error(path, error) from error
    except ValueError as error:  # the name contains NUL
        raise MissingFile(path=readable(path)) from error
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsFolder(path=readable(path))
    raise NotRegular(path=readable(path))
