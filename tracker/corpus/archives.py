"""Untrusted archives: zip files, and the books and documents that are zip files.

Nothing is written to disk, so a malicious member name cannot overwrite a file. Before anything is unpacked,
its cost is limited by the number of members, by the size that each states (:mod:`zipfile` never unpacks
more), by the ratio of that size to the packed one, and by a budget for the whole, which nested archives
share. Names in GBK or Big5 are not marked as such: the encoding is detected from all names together.
"""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fingerprint.text.decoding import decode
from system.errors import PindnaError
from system.local_files import readable
from tracker.corpus.texts import first_names

MAX_MEMBERS = 200_000
MAX_RATIO = 200  # usual ratios: Chinese prose 3, XML of a word processor up to 30; maximum of deflate: 1,032
FREE_BYTES = 1 << 20  # up to this size, the ratio is not checked
TOTAL_FACTOR = 8  # maximum unpacked size of an archive, as a multiple of the maximum file size
_MAX_DEPTH = 32
_MEMBER = b"PK\x01\x02"  # signature of a member's entry in the directory
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods use unbounded memory
_ENCRYPTED = 0x1
_UTF8 = 0x800


class BadArchive(PindnaError):
    """An archive, or a member of it, is damaged.

    Attributes:
        path: the file or folder.
        problem: the reason.
    """

    template = (
        "Skipped {path}: the file is damaged, or its name has the wrong ending ({problem}). Download or "
        "create it again."
    )


class EncryptedFile(PindnaError):
    """A file is protected by a password.

    Attributes:
        path: the file or folder.
    """

    template = "Skipped {path}: it is protected by a password. Save it without a password."


class UnpacksTooFar(PindnaError):
    """An archive or a member would exceed the limit when unpacked.

    Attributes:
        path: the file or folder.
        size: bytes when unpacked.
        limit: the limit.
    """

    template = (
        "Skipped {path}: it would unpack to {size} bytes, more than the limit of {limit}. If you "
        "trust it, unpack it and pass the folder."
    )


class TooManyMembers(PindnaError):
    """An archive has more members than the limit.

    Attributes:
        path: the file or folder.
        limit: the limit.
    """

    template = "Skipped {path}: it contains more than {limit} files. Unpack it and pass the folders."


class NestedArchive(PindnaError):
    """An archive is inside another one.

    Attributes:
        path: the file or folder.
    """

    template = "Skipped {path}: it is an archive inside another archive. Unpack it first."


class UnsafeMembers(PindnaError):
    """Members of an archive were skipped because their names are unsafe.

    Attributes:
        path: the file or folder.
        count: how many there are.
        names: the first names.
    """

    template = (
        "Skipped {count} files in {path}: their paths lead out of the archive, or they are links "
        "or duplicates: {names}. Create the archive again."
    )


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A file in an archive: its folders and name, and its entry in the directory."""

    parts: tuple[str, ...]
    entry: zipfile.ZipInfo

    @property
    def name(self) -> str:
        """Return its path in the archive."""
        return "/".join(self.parts)


class UnpackingBudget:
    """How many bytes an archive and its nested archives may still unpack."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = limit

    def spend(self, size: int, path: Path) -> None:
        """Subtract ``size`` bytes.

        Raises:
            UnpacksTooFar: the budget is exceeded.
        """
        if size > self._left:
            raise UnpacksTooFar(path=readable(path), size=size, limit=self._left)
        self._left -= size


class Archive:
    """A zip file in memory.

    Args:
        data: the file.
        path: its name in messages.
        max_bytes: refuse members that are longer.

    Attributes:
        members: its files in directory order, each name once.
        unsafe: the members that were skipped for their names; None: no member was.

    Raises:
        BadArchive, TooManyMembers: the archive cannot be used.
    """

    def __init__(self, data: bytes, path: Path, *, max_bytes: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        if data.count(_MEMBER) > MAX_MEMBERS:
            raise TooManyMembers(path=readable(path), limit=MAX_MEMBERS)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise BadArchive(path=readable(path), problem="not a complete zip file") from error
        self.members, self.unsafe = self._named_members()

    def _named_members(self) -> tuple[tuple[ArchiveMember, ...], UnsafeMembers | None]:
        """Return the members with safe names, and an error that lists the others."""
        entries = [entry for entry in self._zip.infolist() if not entry.is_dir()]
        members: dict[tuple[str, ...], ArchiveMember] = {}
        unsafe: list[str] = []
        for entry, name in zip(entries, _names(entries), strict=True):
            parts = tuple(
                name_part for name_part in name.replace("\\", "/").split("/") if name_part not in {"", "."}
            )
            if not _is_safe(name, parts) or stat.S_ISLNK(entry.external_attr >> 16):
                unsafe.append(name)
                continue
            if parts in members:
                unsafe.append(name)
            # of several members with one name, the last one counts, as in usual programs
            members[parts] = ArchiveMember(parts, entry)
        if not unsafe:
            return tuple(members.values()), None
        error = UnsafeMembers(path=readable(self._path), count=len(unsafe), names=first_names(unsafe))
        return tuple(members.values()), error

    def require(self, members: Iterable[ArchiveMember], budget: UnpackingBudget) -> None:
        """Check that the members may be unpacked, together and each alone, before any is.

        Raises:
            UnpacksTooFar: a limit is exceeded.
            EncryptedFile, BadArchive: a member cannot be read.
        """
        members = list(members)
        budget.spend(sum(member.entry.file_size for member in members), self._path)
        for member in members:
            self._require_one(member)

    def _require_one(self, member: ArchiveMember) -> None:
        path, entry = self._path / member.name, member.entry
        if entry.flag_bits & _ENCRYPTED:
            raise EncryptedFile(path=readable(path))
        if entry.compress_type not in _METHODS:
            raise BadArchive(path=readable(path), problem="unsupported compression")
        limit = min(self._max_bytes, max(FREE_BYTES, MAX_RATIO * entry.compress_size))
        if entry.file_size > limit:
            raise UnpacksTooFar(path=readable(path), size=entry.file_size, limit=limit)

    def read(self, member: ArchiveMember) -> bytes:
        """Return a member's bytes.

        Raises:
            UnpacksTooFar, EncryptedFile, BadArchive: the member cannot be read.
        """
        self._require_one(member)
        try:
            return self._zip.read(member.entry)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
            path = self._path / member.name
            raise BadArchive(path=readable(path), problem="it cannot be unpacked") from error


def _names(entries: list[zipfile.ZipInfo]) -> list[str]:
    """Return the members' names; those not marked as UTF-8 share one encoding, which is detected."""
    raw = [
        entry.filename.encode() if entry.flag_bits & _UTF8 else entry.filename.encode("cp437")
        for entry in entries
    ]
    unmarked = [name for name, entry in zip(raw, entries, strict=True) if not entry.flag_bits & _UTF8]
    encoding = decode(b"\n".join(unmarked)).encoding
    return [
        name.decode("utf-8" if entry.flag_bits & _UTF8 else encoding, "replace")
        for name, entry in zip(raw, entries, strict=True)
    ]


def _is_safe(name: str, parts: tuple[str, ...]) -> bool:
    """Return whether a name is a path inside the archive."""
    return (
        0 < len(parts) <= _MAX_DEPTH
        and ".." not in parts
        and not name.startswith(("/", "\\"))
        and not parts[0].endswith(":")
        and "\0" not in name
    )
