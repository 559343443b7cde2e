"""Zip files that are determined by their members, so a reader can rebuild and compare them byte for byte.

Members are stored, not compressed, because versions of zlib compress differently. All have the same date and
mode, no comment and no extra fields; names are ASCII. Zip64 extensions are not used, so a file contains less
than 65,535 members and 2 GiB.
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
MAX_BYTES = (1 << 31) - 1  # beyond this, zipfile requires zip64
_UNIX = 3
_MODE = (stat.S_IFREG | 0o644) << 16
_HEADERS = 30 + 46  # bytes of the headers of a member, without its name


class PackageTooLarge(PindnaError):
    """The contents do not fit into one zip.

    Attributes:
        members: number of files.
        gigabytes: their total size.
    """

    template = (
        "{members} files ({gigabytes} GB) do not fit into one package. Export fewer matches at "
        "once, such as those of one chapter."
    )


class StoredZip:
    """Writes a zip.

    Args:
        file: a seekable file opened for writing.

    Raises:
        PackageTooLarge: the contents do not fit; nothing more was written.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = ZipFile(file, "w", ZIP_STORED, allowZip64=False)
        self._members = 0
        self._bytes = 22  # size of the end record

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
            PackageTooLarge: it does not fit.
        """
        self._zip.writestr(self._next(name, len(content)), content)

    def add_file(self, name: str, path: Path) -> None:
        """Write a file as a member, piece by piece.

        Raises:
            PackageTooLarge: it does not fit.
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
