"""The files of a notice: a folder that is whole or not there.

They are written into a hidden folder beside their place, each to the disk, and the folder is renamed. A kill
leaves at most that hidden folder.
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
    """The files of a notice cannot be written. Data: ``path``, ``problem``."""

    template = "{path}: cannot be written ({problem}). Make room, or set analysis.notices.folder."


class NoticeFiles:
    """The files of one notice, as they are written.

    Args:
        folder: where they are written.
        place: where the folder will be.
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
        """Note a file that another wrote."""
        self.written[form] = NoticeFile(path=readable(self._place / name), sha256=sha256, bytes=size)


_OWN = 0o700  # names, addresses and evidence are nobody else's on this machine


@contextmanager
def new_folder(parent: Path, name: str) -> Iterator[tuple[Path, Path]]:
    """Make a folder that takes its place when the block ends well.

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


def sha256_of(data: bytes) -> str:
    """Return a SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
