"""Write the files of a notice as a folder that is complete or absent.

The files are written to disk in a hidden folder next to their target, and the folder is renamed at the end. A
kill leaves at most the hidden folder.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.records import NoticeFile
from system.errors import PindnaError
from system.local_files import RegularFile, readable, sync_folder

_MEGABYTE = 1024 * 1024


class CannotKeep(PindnaError):
    """The files of a notice cannot be written.

    Attributes:
        path: the file or folder.
        problem: the message of the operating system.
    """

    template = "Cannot write {path}: {problem}. Free disk space, or change analysis.notices.folder."


class NoticeFiles:
    """Writes the files of one notice.

    Args:
        folder: the folder that receives the files.
        target: the final path of the folder.
    """

    def __init__(self, folder: Path, target: Path) -> None:
        self.folder, self._place = folder, target
        self.written: dict[str, NoticeFile] = {}

    def write(self, form: str, name: str, data: bytes) -> None:
        """Write a file."""
        path = self.folder / name
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self.note(form, name, sha256=sha256_of(data), size=len(data))

    def copy(self, source: Path, name: str) -> tuple[str, int]:
        """Copy a file and return its SHA-256 and its size."""
        digest = hashlib.sha256()
        with RegularFile(source) as original, (self.folder / name).open("wb") as file:
            while chunk := original.read(_MEGABYTE):
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        return digest.hexdigest(), original.size

    def note(self, form: str, name: str, *, sha256: str, size: int) -> None:
        """Record a file that other code wrote."""
        self.written[form] = NoticeFile(path=readable(self._place / name), sha256=sha256, bytes=size)


_OWN = 0o700  # other users of the machine must not read names, addresses and evidence


@contextmanager
def new_folder(parent: Path, name: str) -> Iterator[tuple[Path, Path]]:
    """Make a folder that gets its final name when the block ends without an error.

    Raises:
        CannotKeep: the operating system refuses.
    """
    parent = parent.expanduser().absolute()
    unfinished, target = parent / f".{name}.part", parent / name
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        parent.mkdir(mode=_OWN, parents=True, exist_ok=True)
        unfinished.mkdir(mode=_OWN)
        yield unfinished, target
        unfinished.rename(target)
        sync_folder(parent)
    except OSError as error:
        raise CannotKeep(path=readable(target), problem=error.strerror or str(error)) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def remove_folder(parent: Path, name: str) -> None:
    """Remove the folder of a notice that was not stored."""
    shutil.rmtree(parent.expanduser().absolute() / name, ignore_errors=True)


def sha256_of(data: bytes) -> str:
    """Return a SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
