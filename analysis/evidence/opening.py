"""Open an evidence package that may come from anybody.

A package has exactly the form that :class:`analysis.evidence.stored_zip.StoredZip` writes: uncompressed,
unencrypted members one after another, then their list, and no other bytes. The file is read strictly in this
form, not as a zip program might interpret it. So every byte either belongs to a member, which the manifests
and the seal cover, or follows from the members.
"""

import hashlib
import json
import os
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from analysis.evidence.stored_zip import MAX_BYTES, MAX_MEMBERS
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import RegularFile, file_error, readable
from system.messages import N_, Figure, Message

_LOCAL = struct.Struct("<4s5H3L2H")
_LISTED = struct.Struct("<4s4B4H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_VERSION = 20  # version of the zip format
_UNIX = 3
_DATE = 33  # 1980-01-01
_MODE = 0o100644 << 16
_NAME = re.compile(r"[A-Za-z0-9_+@-][A-Za-z0-9._+@-]*(?:/[A-Za-z0-9_+@-][A-Za-z0-9._+@-]*)+")
_MAX_NAME = 300
_PIECE = 1 << 20
_MAX_READ = 128 << 20  # maximum bytes of a member that is read at once
_MAX_JSON = 8 << 20  # maximum bytes of a document, which may need thirty times as much memory when parsed


class NotAPackage(PindnaError):
    """A file is not a complete evidence package.

    Attributes:
        path: the file.
        problem: what is wrong with it.
    """

    template = "{path} is not a complete evidence package: {problem}. Request the file again."
    exit_status = ExitStatus.FOUND


@dataclass(frozen=True, slots=True)
class PackageMember:
    """Position, size and CRC-32 of a file in the zip."""

    start: int
    size: int
    crc: int


class OpenPackage:
    """An open package. Names are relative to its top folder.

    Attributes:
        path: the file.
        number: name of its top folder.
        members: the files by name.
    """

    def __init__(self, path: Path, file: IO[bytes], size: int) -> None:
        self.path = path
        self._file = file
        self._size = size
        self._file_state = _file_state(os.fstat(file.fileno()))
        self.number, self.members = self._read_members()

    def require_unchanged(self) -> None:
        """Check that the file was not changed since it was opened.

        Raises:
            NotAPackage: it was replaced or written to, so its parts may not belong together.
        """
        try:
            now = _file_state(self.path.stat()), _file_state(os.fstat(self._file.fileno()))
        except OSError as error:
            raise file_error(self.path, error) from error
        if now != (self._file_state, self._file_state):
            raise self.refusal(N_("it was changed during reading"))

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield the content of a member in pieces of one megabyte.

        Raises:
            NotAPackage: there is no such member, or it cannot be read.
        """
        member = self.members.get(name)
        if member is None:
            raise self.refusal(N_("the file {name} is missing"), name=name)
        position = 0
        while position < member.size:
            yield self._read_at(member.start + position, min(_PIECE, member.size - position))
            position += _PIECE

    def read(self, name: str) -> bytes:
        """Return the content of a member.

        Raises:
            NotAPackage: there is no such member, or it is too long.
        """
        member = self.members.get(name)
        if member is not None and member.size > _MAX_READ:
            raise self.refusal(N_("{name} is too long"), name=name)
        return b"".join(self.pieces(name))

    def text(self, name: str, *, max_bytes: int = _MAX_READ) -> str:
        """Return the text of a UTF-8 member of limited length.

        Raises:
            NotAPackage: there is no such member, it is not UTF-8, or it is too long.
        """
        if self.size(name) > max_bytes:
            raise self.refusal(N_("{name} is too long"), name=name)
        try:
            return self.read(name).decode()
        except UnicodeDecodeError as error:
            raise self.refusal(N_("{name} is not UTF-8"), name=name) from error

    def document(self, name: str) -> Any:
        """Return the value of a JSON member.

        Raises:
            NotAPackage: there is no such member, or it is not JSON.
        """
        return self._parse_json(self.read(name), name)

    def lines(self, name: str) -> Iterator[Any]:
        """Yield the values in the lines of a JSON member.

        Raises:
            NotAPackage: there is no such member, or a line is not JSON.
        """
        rest = b""
        for piece in self.pieces(name):
            *whole, rest = (rest + piece).split(b"\n")
            for line in filter(None, whole):
                yield self._parse_json(line, name)
            if len(rest) > _MAX_JSON:
                raise self.refusal(N_("{name} is too long"), name=name)
        if rest:
            yield self._parse_json(rest, name)

    def size(self, name: str) -> int:
        """Return the size of a member in bytes.

        Raises:
            NotAPackage: there is no such member.
        """
        if name not in self.members:
            raise self.refusal(N_("the file {name} is missing"), name=name)
        return self.members[name].size

    def digest(self, name: str) -> str:
        """Return the SHA-256 of a member.

        Raises:
            NotAPackage: its checksum in the zip is wrong.
        """
        digest, crc = hashlib.sha256(), 0
        for piece in self.pieces(name):
            digest.update(piece)
            crc = zlib.crc32(piece, crc)
        if crc != self.members[name].crc:
            raise self.refusal(N_("{name} does not match its checksum"), name=name)
        return digest.hexdigest()

    def _parse_json(self, text: bytes, name: str) -> Any:
        if len(text) > _MAX_JSON:
            raise self.refusal(N_("{name} is too long"), name=name)
        try:
            return json.loads(text.decode())
        except (ValueError, RecursionError) as error:
            raise self.refusal(N_("{name} is not JSON"), name=name) from error

    def _read_members(self) -> tuple[str, Mapping[str, PackageMember]]:
        """Read the whole file. Return its top folder and its members."""
        listed, members, offset = bytearray(), dict[str, PackageMember](), 0
        while (head := self._read_at(offset, 4)) == b"PK\3\4":
            name, member = self._read_member_header(offset)
            if name in members:
                raise self.refusal(N_("{name} occurs twice"), name=name)
            if len(members) == MAX_MEMBERS:
                raise self.refusal(N_("it has too many files"))
            members[name] = member
            listed += _list_entry(name, member, offset)
            offset = member.start + member.size
        if head != b"PK\1\2":
            if not members:
                raise self.refusal(N_("it is not a zip file"))
            raise self.refusal(N_("it is damaged at byte {place}"), place=offset)
        end = _END.pack(b"PK\5\6", 0, 0, len(members), len(members), len(listed), offset, 0)
        tail = self._size - offset
        if tail != len(listed) + len(end) or self._read_at(offset, tail) != bytes(listed) + end:
            raise self.refusal(
                N_("the file list from byte {place} on does not match the files"), place=offset
            )
        tops = {name.partition("/")[0] for name in members}
        if len(tops) != 1:
            raise self.refusal(N_("it has more than one top folder"))
        (top,) = tops
        return top, {name.removeprefix(f"{top}/"): member for name, member in members.items()}

    def _read_member_header(self, offset: int) -> tuple[str, PackageMember]:
        """Read the header of the member at an offset."""
        head = self._read_at(offset, _LOCAL.size)
        if len(head) < _LOCAL.size:
            raise self.refusal(N_("it ends early, at byte {place}"), place=offset)
        _, version, flags, method, time, date, crc, packed, size, length, extra = _LOCAL.unpack(head)
        if flags & 1:
            raise self.refusal(N_("a file in it is encrypted"))
        if method or packed != size:
            raise self.refusal(N_("a file in it is compressed"))
        if (version, flags, time, date, extra) != (_VERSION, 0, 0, _DATE, 0):
            raise self.refusal(N_("the file header at byte {place} was not written by pindna"), place=offset)
        name = self._read_at(offset + _LOCAL.size, length).decode("ascii", "replace")
        if len(name) > _MAX_NAME or not _NAME.fullmatch(name):
            raise self.refusal(N_("it contains a file name that pindna does not use"))
        start = offset + _LOCAL.size + length
        if start + size > self._size:
            raise self.refusal(N_("{name} is incomplete"), name=name)
        return name, PackageMember(start, size, crc)

    def _read_at(self, offset: int, size: int) -> bytes:
        try:
            self._file.seek(offset)
            return self._file.read(size)
        except OSError as error:
            raise file_error(self.path, error) from error

    def refusal(self, problem: str, **data: Figure) -> NotAPackage:
        """Return the error for a problem of the package."""
        return NotAPackage(path=readable(self.path), problem=Message(problem, data))


def _file_state(status: os.stat_result) -> tuple[int, ...]:
    """Return the parts of a file's status that change with every write."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _list_entry(name: str, member: PackageMember, offset: int) -> bytes:
    """Return the entry of a member in the list at the end of a zip."""
    sizes = member.crc, member.size, member.size, len(name)
    versions = _VERSION, _UNIX, _VERSION, 0
    entry = _LISTED.pack(b"PK\1\2", *versions, 0, 0, 0, _DATE, *sizes, 0, 0, 0, 0, _MODE, offset)
    return entry + name.encode("ascii")


@contextmanager
def open_package(path: Path) -> Iterator[OpenPackage]:
    """Open a package for reading.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be read.
        NotAPackage: it is not an evidence package.
    """
    with RegularFile(path) as checked:  # a pipe or a device would never end
        size = checked.size
    if size > MAX_BYTES:
        raise NotAPackage(path=readable(path), problem=N_("it is too large for a package"))
    try:
        file = path.open("rb")
    except OSError as error:
        raise file_error(path, error) from error
    with file:
        yield OpenPackage(path, file, size)
