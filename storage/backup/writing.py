"""Write a backup: every document as it was at one moment, while other processes write.

All documents must be from one moment, because pindna's guarantees hold for each moment: after any crash, work
continues from the documents with nothing lost or doubled. Documents from several moments could contain a page
marked as compared without its matches, or an entry of the evidence log without its record.

How a moment is read depends on the server:

* Replica sets and sharded clusters of MongoDB: a snapshot session. The server keeps the snapshot for
  ``minSnapshotHistoryWindowInSeconds`` (300 by default).
* SecantusDB, embedded or not: a transaction, which sees the documents as they were at its start, however long
  it takes. SecantusDB reports itself as a replica set and accepts snapshot sessions, but these read the
  newest documents.
* A single MongoDB process has neither snapshots nor transactions. Make it a replica set of one, or stop all
  writers and confirm that they are stopped. In the second case everything is read twice; equal results show
  that nothing changed in between.
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

# Collections without a backup: sessions and open matches. A restored database must not sign in users who have
# signed out since the backup.
LEFT_OUT = ("review_leases", "sessions")
_ILLEGAL_OPERATION, _SNAPSHOT_TOO_OLD, _SNAPSHOT_UNAVAILABLE = 20, 239, 246
_DIGEST_BITS = 256
_BATCH = 1_000
_SERVER_FIELDS = frozenset({"ns"})  # fields of an index description that differ between databases


class NoSnapshot(PindnaError):
    """A server cannot read all documents as of one moment. Data: ``address``."""

    template = (
        "MongoDB at {address} is a single server, which cannot be read at one moment. Make it a replica "
        "set of one (`rs.initiate`), or stop workers, beat and console and add --stopped."
    )
    exit_status = ExitStatus.DOWN


class SnapshotLost(PindnaError):
    """The server deleted the snapshot before the backup was complete. Data: ``address``."""

    template = (
        "No backup was written: MongoDB at {address} no longer has the snapshot that the backup reads. "
        "Raise its parameter `minSnapshotHistoryWindowInSeconds`, then run the command again."
    )
    exit_status = ExitStatus.DOWN


class CatalogueChanged(PindnaError):
    """Collections or indexes changed while a backup began. Data: ``address``."""

    template = (
        "No backup was written: collections or indexes of MongoDB at {address} changed when the backup "
        "began. Wait until they are ready, then run the command again."
    )
    exit_status = ExitStatus.DOWN


class StillWritten(PindnaError):
    """A document was written although all writers should be stopped. Data: ``collection``."""

    template = (
        "No backup was written: {collection} changed during the backup. Stop workers, beat and console, "
        "then run the command again."
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
        stopped: no other process writes, so any server can be read.
        note: receives the number of written documents and their estimated total.

    Raises:
        HalfRestored: the database contains a part of another backup.
        NoSnapshot, SnapshotLost, CatalogueChanged, StillWritten: the server cannot read one moment.
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
        with _open_snapshot(database, stopped=stopped) as (session, point):
            manifest = _manifest_of(database, session, taken=taken, point=point)
            for name in names:
                start = written
                for count in writer.add(name, _read_batches(database, name, session, digests[name])):
                    written += count
                    note(written, max(total, written))
                facts[name] = CollectionFacts(
                    documents=written - start,
                    options=described[name],
                    indexes=[_portable_index(index) for index in database[name].list_indexes()],
                )
        if stopped:
            _refuse_changed(database, digests)
    manifest = replace(manifest, collections=facts)
    writer.finish(manifest)
    return manifest


@dataclass(slots=True)
class _Digest:
    """A digest of documents in any order, as servers guarantee none: the sum of the documents' digests."""

    value: int = 0

    def update(self, batch: bytes) -> None:
        """Add the documents of a batch."""
        for document in split(batch):
            number = int.from_bytes(hashlib.sha256(document).digest(), "big")
            self.value = (self.value + number) % (1 << _DIGEST_BITS)


def _manifest_of(
    database: Database[Document], session: ClientSession | None, *, taken: datetime, point: str
) -> BackupManifest:
    """Return the manifest of a backup at a moment, still without collections.

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


def _read_batches(
    database: Database[Document], name: str, session: ClientSession | None, digest: "_Digest"
) -> Iterator[bytes]:
    """Yield the documents of a collection for the backup, and hash them."""
    if name not in LEFT_OUT:
        batches: Any = database[name].find_raw_batches({}, session=session, batch_size=_BATCH)
        for batch in batches:
            digest.update(batch)
            yield batch


def _portable_index(index: Any) -> dict[str, Any]:
    return {name: value for name, value in index.items() if name not in _SERVER_FIELDS}


@contextmanager
def _open_snapshot(
    database: Database[Document], *, stopped: bool
) -> Iterator[tuple[ClientSession | None, str]]:
    """Open a session that reads everything as of one moment.

    Raises:
        NoSnapshot, SnapshotLost, CatalogueChanged: the server cannot read one moment.
    """
    if stopped:
        yield None, "stopped"
        return
    client, address = database.client, address_of(database)
    has_snapshots = _supports_snapshots(client)
    try:
        with client.start_session(snapshot=True if has_snapshots else None) as session:
            if has_snapshots:
                yield session, "snapshot"
                return
            with session.start_transaction():
                database["schema"].find_one({}, session=session)  # later writes are invisible from here on
                yield session, "transaction"
    except OperationFailure as error:
        if error.code == _SNAPSHOT_TOO_OLD and has_snapshots:
            raise SnapshotLost(address=address) from error
        if error.code == _SNAPSHOT_UNAVAILABLE and has_snapshots:
            raise CatalogueChanged(address=address) from error
        if error.code in {_ILLEGAL_OPERATION, _SNAPSHOT_UNAVAILABLE}:
            raise NoSnapshot(address=address) from error
        raise


def _supports_snapshots(client: MongoClient[Document]) -> bool:
    """Return whether a session can read as of the moment of its first read."""
    hello = client.admin.command("hello")
    is_replicated = "setName" in hello or hello.get("msg") == "isdbgrid"
    return is_replicated and "secantusVersion" not in client.server_info()


def _refuse_changed(database: Database[Document], digests: Mapping[str, "_Digest"]) -> None:
    """Read everything again, and refuse the backup if a document has changed.

    Raises:
        StillWritten: a collection changed.
    """
    for name, before in digests.items():
        after = _Digest()
        for _ in _read_batches(database, name, None, after):
            pass
        if after != before:
            raise StillWritten(collection=name)
