"""The file of a backup: a tar archive of BSON in zstd, with a manifest and SHA-256 sums.

::

    collections/pages/000001.bson.zst   some megabytes of concatenated documents
    manifest.json                       versions, the moment; counts, options and indexes of collections
    SHA256SUMS                          of all parts before it, as ``sha256sum -c`` reads it

``tar``, ``zstd -d`` and ``bsondump`` read it without pindna. The checksums come last, so a truncated file is
detected. Reading and writing need the memory of one part, for a database of any size and even for a
manipulated file. The checksums prove that the file is unchanged, not who wrote it.
"""

import hashlib
import io
import json
import re
import struct
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import MAXYEAR, datetime
from itertools import islice, zip_longest
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import bson
from bson import json_util
from bson.errors import BSONError
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from storage.backup.members import BackupMember, members_of
from storage.collections.schema import RESTORING, SCHEMA
from system.errors import PindnaError
from system.local_files import RegularFile, readable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORMAT = 1
_PART_BYTES = 8 * 1024 * 1024  # minimum bytes of documents in a part; a batch is never divided between parts
_MAX_PART_BYTES = 64 * 1024 * 1024  # maximum bytes of a part, with its last batch and document
_MAX_PARTS = 200_000  # maximum number of parts: 1.6 terabytes of documents
_MAX_MANIFEST_BYTES = 4 * 1024 * 1024
_MAX_DOCUMENT_BYTES = 16 * 1024 * 1024  # MongoDB's limit
_LEVEL = 3
_MANIFEST, _SUMS = "manifest.json", "SHA256SUMS"
_COLLECTION = r"[A-Za-z0-9_-]{1,60}"  # short, because the names of its parts must fit into a plain header
_PART = re.compile(rf"collections/(?P<collection>{_COLLECTION})/\d{{6}}\.bson\.zst", re.ASCII)
_SUM = re.compile(r"([0-9a-f]{64})  (\S+)", re.ASCII)
_SUM_CHARS = 64 + len("  \n")  # characters of a line of SHA256SUMS, without the file name


def _valid_collection_name(name: str) -> str:
    """Return the name of a collection of pindna.

    Raises:
        ValueError: it is invalid.
    """
    if not re.fullmatch(_COLLECTION, name):
        raise ValueError(name)
    return name


def _valid_moment(text: str) -> str:
    """Return a moment that every time zone can display.

    Raises:
        ValueError: it is invalid.
    """
    if not 1 < datetime.fromisoformat(text).year < MAXYEAR:
        raise ValueError(text)
    return text


# Collections whose documents expire, with the field that contains the moment. Documents of other collections
# must not expire: a manipulated backup could otherwise delete records later.
EXPIRY_FIELDS = {"requests": "ends", "review_leases": "until", "sessions": "ends"}


def _with_known_expiry(collections: "dict[str, CollectionFacts]") -> "dict[str, CollectionFacts]":
    """Check that documents expire only in the collections above; return the collections unchanged.

    Raises:
        ValueError: a collection has another expiry.
    """
    for name, facts in collections.items():
        for index in facts.indexes:
            if "expireAfterSeconds" in index and list(index.get("key", ())) != [EXPIRY_FIELDS.get(name)]:
                raise ValueError(name)
    return collections


_Count = Annotated[int, Field(ge=0)]
_Moment = Annotated[str, AfterValidator(_valid_moment)]
_CollectionName = Annotated[str, AfterValidator(_valid_collection_name)]


class NoBackup(PindnaError):
    """A file is not a backup, or its end is missing. Data: ``path``."""

    template = (
        "{path} is not a backup of pindna, or its end is missing. Enter a file that `pindna backup "
        "create` wrote."
    )


class DamagedBackup(PindnaError):
    """The file of a backup was changed after pindna wrote it. Data: ``path``, ``part``."""

    template = "The backup {path} is damaged at {part}. Use another copy of it."


class NewerBackup(PindnaError):
    """A later version of pindna wrote the backup. Data: ``path``, ``format``, ``known``."""

    template = (
        "Cannot read {path}: a later version of pindna wrote this backup (format {format}, supported up "
        "to {known}). Update pindna."
    )


class PartialBackup(PindnaError):
    """A backup of a partly restored database. Data: ``path``."""

    template = "The backup {path} was written from a partly restored database. Use an earlier backup."


class ForeignCollection(PindnaError):
    """A database contains a collection with an unsupported name. Data: ``collection``."""

    template = (
        "The database contains a collection that does not belong to pindna: {collection}. Move it to "
        "another database, then run the command again."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionFacts:
    """The name, options and indexes of a collection, and the number of its documents.

    Attributes:
        documents: number of documents.
        options: as ``listCollections`` returns them, including the validator.
        indexes: as ``listIndexes`` returns them.
    """

    documents: _Count
    options: dict[str, Any]
    indexes: list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupManifest:
    """The table of contents of a backup.

    Attributes:
        format: format of the file.
        pindna: version of pindna that wrote it.
        schema: version of the stored documents.
        taken: the moment of the documents, ISO 8601 in UTC.
        point: how the moment was read: ``snapshot``, ``transaction`` or ``stopped``.
        corpus_id: identity of the database.
        corpus_version: of the corpus.
        corpus_mark: the unique mark of that version.
        log_entries: entries of the evidence log.
        left_out: collections that a backup omits.
        collections: its collections by name.
    """

    format: int
    pindna: str
    schema: _Count
    taken: _Moment
    point: str
    corpus_id: str
    corpus_version: _Count
    corpus_mark: str
    log_entries: _Count
    left_out: list[str]
    collections: Annotated[dict[_CollectionName, CollectionFacts], AfterValidator(_with_known_expiry)]

    @property
    def documents(self) -> int:
        """Number of documents."""
        return sum(facts.documents for facts in self.collections.values())


class ArchiveWriter:
    """Writes a backup to an open file, part by part. Every method raises ``OSError``.

    Args:
        file: open for writing; it is not closed.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._tar = tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT)  # noqa: SIM115 - finish closes it
        self._sums: list[str] = []

    def add(self, collection: str, batches: Iterable[bytes]) -> Iterator[int]:
        """Add the documents of a collection; yields the number of documents in each part that it writes.

        Args:
            collection: its name.
            batches: concatenated whole documents in BSON.

        Raises:
            ForeignCollection: pindna does not use such a name.
        """
        if not re.fullmatch(_COLLECTION, collection):
            raise ForeignCollection(collection=collection)
        buffer = bytearray()
        number = 0
        for batch in batches:
            buffer += batch
            if len(buffer) >= _PART_BYTES:
                number += 1
                yield self._add_part(collection, number, buffer)
                buffer.clear()
        if buffer:
            yield self._add_part(collection, number + 1, buffer)

    def finish(self, manifest: BackupManifest) -> None:
        """Add the manifest and the checksums."""
        self._add_file(_MANIFEST, json_util.dumps(asdict(manifest), ensure_ascii=False, indent=1).encode())
        self._add_file(_SUMS, "".join(f"{line}\n" for line in self._sums).encode())
        self._tar.close()

    def _add_part(self, collection: str, number: int, documents: bytearray) -> int:
        name = f"collections/{collection}/{number:06}.bson.zst"
        self._add_file(name, zstd.compress(bytes(documents), level=_LEVEL))
        return sum(1 for _ in split(documents))

    def _add_file(self, name: str, data: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(data), 0o600
        self._tar.addfile(info, io.BytesIO(data))
        self._sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}")


class BackupArchive:
    """A backup for reading.

    Args:
        path: the file.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile: the file cannot be read.
        NoBackup, NewerBackup, DamagedBackup: the content is not a usable backup.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._shown = readable(path)
        RegularFile(path).close()
        self._file = path.open("rb")
        try:
            self._members = self._whole_members()
            self._sums = dict(self._read_sums())
            self.manifest = self._read_manifest()
        except BaseException:
            self.close()
            raise

    def parts(self) -> Iterator[tuple[str, bytes]]:
        """Yield the collection and the concatenated documents of each part, after checking the part.

        Raises:
            DamagedBackup: a part was changed.
        """
        for member in self._members[:-2]:
            match = _PART.fullmatch(member.name)
            if match is None or member.size > _MAX_PART_BYTES:
                raise self._damage_error(member.name)
            decompressor = zstd.ZstdDecompressor()
            try:
                documents = decompressor.decompress(self._read_checked(member), max_length=_MAX_PART_BYTES)
            except zstd.ZstdError as error:
                raise self._damage_error(member.name) from error
            if not decompressor.eof:
                raise self._damage_error(member.name)
            yield match["collection"], documents

    def verify(self) -> Iterator[int]:
        """Read and check the whole backup; yields the number of documents of each part.

        Raises:
            DamagedBackup: a part was changed or is missing.
            PartialBackup: the database was partly restored when the backup was written.
        """
        counts: Counter[str] = Counter()
        for collection, documents in self.parts():
            count = 0
            try:
                for key in map(_valid_id, split(documents)):
                    count += 1
                    if collection == SCHEMA and key == RESTORING:
                        raise PartialBackup(path=self._shown)
            except ValueError as error:
                raise self._damage_error(collection) from error
            counts[collection] += count
            yield count
        for name, facts in self.manifest.collections.items():
            if counts.pop(name, 0) != facts.documents:
                raise self._damage_error(name)
        for name in counts:
            raise self._damage_error(name)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _whole_members(self) -> list[BackupMember]:
        try:
            members = list(islice(members_of(self._file), _MAX_PARTS + 2))
        except (ValueError, OSError) as error:
            raise NoBackup(path=self._shown) from error
        if [member.name for member in members[-2:]] != [_MANIFEST, _SUMS]:
            raise NoBackup(path=self._shown)
        return members

    def _read_sums(self) -> Iterator[tuple[str, str]]:
        *parts, checksums_member = self._members
        if checksums_member.size != sum(_SUM_CHARS + len(member.name) for member in parts):
            raise self._damage_error(_SUMS)
        lines = self._decompress(checksums_member).decode("ascii", "replace").splitlines()
        for line, member in zip_longest(lines, parts):
            match = _SUM.fullmatch(line or "")
            if match is None or member is None or match[2] != member.name:
                raise self._damage_error(_SUMS)
            yield match[2], match[1]

    def _read_manifest(self) -> BackupManifest:
        member = self._members[-2]
        if member.size > _MAX_MANIFEST_BYTES:
            raise self._damage_error(_MANIFEST)
        try:
            values: Mapping[str, Any] = json.loads(self._read_checked(member))
            if values["format"] > FORMAT:
                raise NewerBackup(path=self._shown, format=values["format"], known=FORMAT)
            manifest: BackupManifest = TypeAdapter(BackupManifest).validate_python(values)
        except (ValueError, KeyError, TypeError, ValidationError, RecursionError) as error:
            raise self._damage_error(_MANIFEST) from error
        return manifest

    def _read_checked(self, member: BackupMember) -> bytes:
        data = self._decompress(member)
        if hashlib.sha256(data).hexdigest() != self._sums[member.name]:
            raise self._damage_error(member.name)
        return data

    def _decompress(self, member: BackupMember) -> bytes:
        try:
            self._file.seek(member.start)
            data = self._file.read(member.size)
        except OSError as error:
            raise self._damage_error(member.name) from error
        if len(data) != member.size:
            raise self._damage_error(member.name)
        return data

    def _damage_error(self, member: str) -> DamagedBackup:
        return DamagedBackup(path=self._shown, part=member)


def _valid_id(document: memoryview) -> object:
    """Return the id of a document that a server accepts.

    Raises:
        ValueError: it is invalid.
    """
    if len(document) > _MAX_DOCUMENT_BYTES:
        message = "a document is larger than any of MongoDB"
        raise ValueError(message)
    try:
        return bson.decode(document)["_id"]
    except (BSONError, KeyError, TypeError, OverflowError, RecursionError) as error:
        message = "a document cannot be read, or has no id"
        raise ValueError(message) from error


def split(documents: bytes | bytearray) -> Iterator[memoryview]:
    """Yield concatenated documents one by one.

    Raises:
        ValueError: the last document is cut off.
    """
    view = memoryview(documents)
    start = 0
    while start < len(view):
        (length,) = struct.unpack_from("<i", view, start) if len(view) - start >= 5 else (0,)  # noqa: PLR2004 - the shortest
        if not 5 <= length <= len(view) - start:  # noqa: PLR2004 - the shortest document
            message = "a document is cut off"
            raise ValueError(message)
        yield view[start : start + length]
        start += length
