"""Combine evidence packages in one download: a zip of the unchanged files and their SHA-256 values.

The zip is written while it is sent, so neither memory nor disk contains it. ``sha256sum -c SHA256SUMS``
checks the transfer; each package can be verified separately as usual.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import RawIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from storage.records import KeptPackage
from system.errors import UnknownId

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_PIECE = 1 << 20  # bytes that are read at once
_SUMS = "SHA256SUMS"


class _SendBuffer(RawIOBase):
    """The bytes that were written and not sent yet."""

    def __init__(self) -> None:
        self._data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        before = len(self._data)
        self._data += data
        return len(self._data) - before

    def take(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        return data


def zip_of(packages: Sequence[KeptPackage]) -> Iterator[bytes]:
    """Return the pieces of a zip of packages.

    Raises:
        UnknownId: a file is no longer in its folder; raised before the first piece.
        OSError: a file cannot be opened; raised before the first piece.
    """
    with ExitStack() as opening:
        files = [(package, opening.enter_context(_open_package_file(package))) for package in packages]
        files_left = opening.pop_all()
    return _zip_pieces(files, files_left)


def _open_package_file(package: KeptPackage) -> IO[bytes]:
    try:
        return Path(package.path).open("rb")
    except FileNotFoundError as error:
        raise UnknownId(kind="package", name=package.number) from error


def _zip_pieces(files: Sequence[tuple[KeptPackage, IO[bytes]]], closing: ExitStack) -> Iterator[bytes]:
    written = _SendBuffer()
    with closing, ZipFile(written, "w", ZIP_STORED) as together:
        for package, source in files:
            info = ZipInfo(f"{package.number}.zip", package.made.timetuple()[:6])
            info.external_attr = 0o644 << 16
            with together.open(info, "w", force_zip64=True) as target:
                while piece := source.read(_PIECE):
                    target.write(piece)
                    yield written.take()
        sums = "".join(f"{package.sha256}  {package.number}.zip\n" for package, _ in files)
        together.writestr(ZipInfo(_SUMS), sums)
    yield written.take()
