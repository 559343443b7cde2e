"""Takes a backup: every document as it was at one moment, while others write.

One moment, because pindna's own guarantees are about it: whatever is killed at any moment leaves documents
from which work goes on, nothing lost and nothing doubled. Parts of several moments would not: a page marked
as compared without its matches, an entry of the evidence log without its record.

How a moment is had depends on the server:

* replica sets and sharded clusters of MongoDB: a snapshot session; the server keeps the moment for
  ``minSnapshotHistoryWindowInSeconds`` (300 unless it was raised);
* SecantusDB, embedded or not: a transaction, which sees what was there when it began, however long it takes.
  It calls itself a replica set and takes snapshot sessions, in which it reads what is newest;
* a MongoDB of one process has neither. Make it a replica set of one, or stop everything and say so: then
  everything is read a second time, and must be what it was: so it was of one moment between the two readings.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, BinaryIO

from pymongo import MongoClient
from pymongo.client_session import ClientSession
from pymongo.database import Database
from pymongo.errors import OperationFailure

from storage.backup.archive import FORMAT, ArchiveWriter, BackupManifest, CollectionFacts, split
from storage.collections.documents import Document, address_of, mongo_errors
from storage.collections.schema import RESTORING, SCHEMA, HalfRestored
from storage.records import utc_now
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.version import VERSION

# Who was signed in, and what people had open: a restored one must not let in who signed out since.
LEFT_OUT = ("review_leases", "sessions")
_ILLEGAL_OPERATION, _SNAPSHOT_TOO_OLD, _SNAPSHOT_UNAVAILABLE = 20, 239, 246
_DIGEST_BITS = 256
_BATCH = 1_000
_OF_NO_SERVER = frozenset({"ns"})  # of an index: what another database calls otherwise


class NoSnapshot(PindnaError):
    """A server keeps no moment to read. Data: ``address``."""

    template = (
        "MongoDB at {address} runs as a single server, which cannot be read as of one moment. Make it a "
        "replica set of one (`rs.initiate`), or stop workers, beat and console and add --stopped."
    )
    exit_status = ExitStatus.DOWN


class SnapshotLost(PindnaError):
    """The moment is no longer kept. Data: ``address``."""

    template = (
        "MongoDB at {address} no longer keeps the moment that the backup was reading, so there is no backup. "
        "Raise its parameter `minSnapshotHistoryWindowInSeconds`, then run the command again."
    )
    exit_status = ExitStatus.DOWN


class CatalogueChanged(PindnaError):
    """Collections or indexes changed at the moment that a backup was to be of. Data: ``address``."""

    template = (
        "Collections or indexes of MongoDB at {address} changed when the backup began, so there is no "
        "backup. Wait until they are ready, then run the command again."
    )
    exit_status = ExitStatus.DOWN


class StillWritten(PindnaError):
    """Something was written although everything was said to be stopped. Data: ``collection``."""

    template = (
        "{collection} changed while the backup was read, so there is no backup. "
        "Stop workers, beat and console, then run the command again."
    )
    exit_status = ExitStatus.DOWN


def write_backup(
    database: Database[Document],
    file: BinaryIO,
    *,
    stopped: bool = False,
    note: Callable[[int, int], None] = lambda _done, _all: None,
) -> BackupManifest:
    """Write a backup of a database.

    Args:
        database: what to read.
        file: open for writing; it is not closed.
        stopped: nobody else writes, so that any server may be read.
        note: told how many documents are written, and about how many there are.

    Raises:
        HalfRestored: it holds a part of another backup.
        NoSnapshot, SnapshotLost, CatalogueChanged, StillWritten: there is no moment to read.
        ServiceDown, StorageFailed: the server refused.
        OSError: the file cannot be written.
    """
    with mongo_errors(database):
        described = {row["name"]: row.get("options", {}) for row in database.list_collections()}
        names = sorted(name for name in described if not name.startswith("system."))
        total = sum(database[name].estimated_document_count() for name in names)
        writer = ArchiveWriter(file)
        taken = utc_now()
        facts: dict[str, CollectionFacts] = {}
        written, digests = 0, {name: _Digest() for name in names}
        with _moment(database, stopped=stopped) as (session, point):
            manifest = _manifest_of(database, session, taken=taken, point=point)
            for name in names:
                start = written
                for count in writer.add(name, _batches(database, name, session, digests[name])):
                    written += count
                    note(written, max(total, written))
                facts[name] = CollectionFacts(
                    documents=written - start,
                    options=described[name],
                    indexes=[_index(index) for index in database[name].list_indexes()],
                )
        if stopped:
            _refuse_changed(database, digests)
    manifest = replace(manifest, collections=facts)
    writer.finish(manifest)
    return manifest


@dataclass(slots=True)
class _Digest:
    """A digest of documents in any order, which no server promises: the sum of their own."""

    value: int = 0

    def update(self, batch: bytes) -> None:
        """Add the documents of a batch."""
        for document in split(batch):
            number = int.from_bytes(hashlib.sha256(document).digest(), "big")
            self.value = (self.value + number) % (1 << _DIGEST_BITS)


def _manifest_of(
    database: Database[Document], session: ClientSession | None, *, taken: datetime, point: str
) -> BackupManifest:
    """Return the manifest of a moment; nothing is in it yet.

    Raises:
        HalfRestored: the database holds a part of another backup.
    """
    counters = {row["_id"]: row for row in database["counters"].find({}, session=session)}
    if database[SCHEMA].find_one({"_id": RESTORING}, session=session):
        raise HalfRestored(database=database.name)
    schema = database[SCHEMA].find_one({"_id": SCHEMA}, session=session) or {}
    head = database["evidence_log"].find_one({"_id": "head"}, session=session) or {}
    version = counters.get("corpus_version", {})
    return BackupManifest(
        format=FORMAT,
        pindna=VERSION,
        schema=int(schema.get("version", 0)),
        taken=taken.isoformat(),
        point=point,
        corpus_id=str(counters.get("corpus_id", {}).get("value", "")),
        corpus_version=int(version.get("value", 0)),
        corpus_mark=str(version.get("mark", "")),
        log_entries=int(head.get("size", 0)),
        left_out=sorted(LEFT_OUT),
        collections={},
    )


def _batches(
    database: Database[Document], name: str, session: ClientSession | None, digest: "_Digest"
) -> Iterator[bytes]:
    """Yield the documents of a collection that belong into a backup, and hash them."""
    if name not in LEFT_OUT:
        batches: Any = database[name].find_raw_batches({}, session=session, batch_size=_BATCH)
        for batch in batches:
            digest.update(batch)
            yield batch


def _index(index: Any) -> dict[str, Any]:
    return {name: value for name, value in index.items() if name not in _OF_NO_SERVER}


@contextmanager
def _moment(database: Database[Document], *, stopped: bool) -> Iterator[tuple[ClientSession | None, str]]:
    """Let everything that a block reads with the session be of one moment.

    Raises:
        NoSnapshot, SnapshotLost, CatalogueChanged: there is none.
    """
    if stopped:
        yield None, "stopped"
        return
    client, address = database.client, address_of(database)
    has_snapshots = _has_snapshots(client)
    try:
        with client.start_session(snapshot=True if has_snapshots else None) as session:
            if has_snapshots:
                yield session, "snapshot"
                return
            with session.start_transaction():
                database["schema"].find_one({}, session=session)  # from here on nothing that is written shows
                yield session, "transaction"
    except OperationFailure as error:
        if error.code == _SNAPSHOT_TOO_OLD and has_snapshots:
            raise SnapshotLost(address=address) from error
        if error.code == _SNAPSHOT_UNAVAILABLE and has_snapshots:
            raise CatalogueChanged(address=address) from error
        if error.code in {_ILLEGAL_OPERATION, _SNAPSHOT_UNAVAILABLE}:
            raise NoSnapshot(address=address) from error
        raise


def _has_snapshots(client: MongoClient[Document]) -> bool:
    """Return whether what a session reads can be of the moment of its first reading."""
    hello = client.admin.command("hello")
    is_replicated = "setName" in hello or hello.get("msg") == "isdbgrid"
    return is_replicated and "secantusVersion" not in client.server_info()


def _refuse_changed(database: Database[Document], digests: Mapping[str, "_Digest"]) -> None:
    """Read everything once more.

    Raises:
        StillWritten: a collection is not what it was.
    """
    for name, before in digests.items():
        after = _Digest()
        for _ in _batches(database, name, None, after):
            pass
        if after != before:
            raise StillWritten(collection=name)
