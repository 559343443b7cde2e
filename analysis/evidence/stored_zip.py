"""Zip files whose bytes follow from their members alone, so that a reader can write them again and compare.

Members are stored, not deflated: what deflating makes differs between versions of zlib. Every one bears the
same date and mode, none has a comment or extra fields, and names are ASCII. Without the extensions of zip64,
so a file holds less than 65,535 members and 2 GiB.
"""

import shutil
import stat
from contextlib import nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from system.errors import PindnaError

MAX_MEMBERS = 65_534
MAX_BYTES = (1 << 31) - 1  # from there on zipfile wants zip64
_UNIX = 3
_MODE = (stat.S_IFREG | 0o644) << 16
_HEADERS = 30 + 46  # bytes of a member beside its contents and twice its name


class PackageTooLarge(PindnaError):
    """A zip would hold more than a zip can. Data: ``members``, ``gigabytes``."""

    template = (
        "{members} files with {gigabytes} GB do not fit into one package. "
        "Export fewer matches at once, such as those of one chapter."
    )


class StoredZip:
    """Writes a zip.

    Args:
        file: opened for writing, and able to seek.

    Raises:
        PackageTooLarge: it would hold too much; nothing more was written.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = ZipFile(file, "w", ZIP_STORED, allowZip64=False)
        self._members = 0
        self._bytes = 22  # of the end

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError) if kind is not None else nullcontext():
            self._zip.close()

    def add(self, name: str, content: bytes) -> None:
        """Write a member.

        Raises:
            PackageTooLarge: there is no room for it.
        """
        self._zip.writestr(self._next(name, len(content)), content)

    def add_file(self, name: str, path: Path) -> None:
        """Write a member that is a file, piece by piece.

        Raises:
            PackageTooLarge: there is no room for it.
            OSError: it cannot be read.
        """
        info = self._next(name, path.stat().st_size)
        with path.open("rb") as source, self._zip.open(info, "w") as target:
            shutil.copyfileobj(source, target, 1 << 20)

    def _next(self, name: str, size: int) -> ZipInfo:
        self._members += 1
        self._bytes += size + _HEADERS + 2 * len(name)
        if self._members > MAX_MEMBERS or self._bytes > MAX_BYTES:
            raise PackageTooLarge(members=self._members, gigabytes=f"{self._bytes / 1e9:.1f}")
        info = ZipInfo(name)
        info.create_system = _UNIX
        info.external_attr = _MODE
        info.file_size = size
        return info
