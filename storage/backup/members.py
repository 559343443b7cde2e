"""The files of a tar archive with plain headers only, so that sizes are checked before reading.

``tarfile`` reads extended headers, long names and maps of holes completely, however long they claim to be.
Backups contain no such entries, so an archive with one of them is refused.

Source: POSIX.1-2017, ``pax``, "ustar Interchange Format".
"""

import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_BLOCK = tarfile.BLOCKSIZE


@dataclass(frozen=True, slots=True)
class BackupMember:
    """A file of an archive.

    Attributes:
        name: its path.
        start: offset of its first byte in the archive.
        size: its size in bytes.
    """

    name: str
    start: int
    size: int


def members_of(file: BinaryIO) -> Iterator[BackupMember]:
    """Yield the files of an archive in order; only one header at a time is in memory.

    Raises:
        ValueError: it is not an archive, is cut off, or contains entries that are not files.
        OSError: it cannot be read.
    """
    end, offset = file.seek(0, os.SEEK_END), 0
    while True:
        file.seek(offset)
        header = file.read(_BLOCK)
        if header == bytes(_BLOCK):
            return
        member = _parse_header(header, offset + _BLOCK)
        if not 0 <= member.size <= end - member.start:
            message = "a file of the archive is cut off"
            raise ValueError(message)
        yield member
        offset = member.start + -(-member.size // _BLOCK) * _BLOCK


def _parse_header(header: bytes, start: int) -> BackupMember:
    try:
        info = tarfile.TarInfo.frombuf(header, "ascii", "strict")
    except tarfile.HeaderError as error:
        raise ValueError(str(error)) from error
    if info.type not in {tarfile.REGTYPE, tarfile.AREGTYPE}:
        message = "the archive holds something else than files"
        raise ValueError(message)
    return BackupMember(info.name, start, info.size)
