"""Collection ``snapshots``: responses as received, compressed, as evidence. Stored responses never change."""

import zlib
from collections.abc import Sequence

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records import Snapshot
from system.errors import UnknownId


class SnapshotStore:
    """Snapshots by the SHA-256 of their body. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._snapshots = database["snapshots"]

    def save(self, snapshot: Snapshot) -> bool:
        """Store a snapshot; True if its body is new."""
        return self.save_many([snapshot])[0]

    def save_many(self, snapshots: Sequence[Snapshot]) -> list[bool]:
        """Store snapshots as :meth:`save` does, in one operation; returns which bodies are new."""
        return self._snapshots.insert_new([_snapshot_document(snapshot) for snapshot in snapshots])

    def get(self, sha256: str) -> Snapshot:
        """Return a snapshot; its ``body`` is empty if ``warc`` contains the body.

        Raises:
            UnknownRecord: the snapshot does not exist, or has expired.
        """
        return self._find_snapshot(sha256, None)

    def about_many(self, sha256s: Sequence[str]) -> dict[str, Snapshot]:
        """Return the existing snapshots, without their content."""
        rows = list(self._snapshots.find_among("_id", sha256s, {"body": 0, "warc": 0}))
        return {row["_id"]: _snapshot_of(row) for row in rows}

    def _find_snapshot(self, sha256: str, fields: Document | None) -> Snapshot:
        row = self._snapshots.find_one({"_id": sha256}, fields)
        if row is None:
            raise UnknownId(kind="snapshot", name=sha256)
        return _snapshot_of(row)


def _snapshot_document(snapshot: Snapshot) -> Document:
    return {
        "_id": snapshot.sha256,
        "url": snapshot.url,
        "status": snapshot.status,
        "headers": snapshot.headers,
        "fetched": snapshot.fetched,
        # A WARC record contains the body as received, so ``body`` is left empty.
        "body": zlib.compress(snapshot.body),
        "warc": snapshot.warc,
    }


def _snapshot_of(row: Document) -> Snapshot:
    return Snapshot(
        sha256=row["_id"],
        url=row["url"],
        status=row["status"],
        headers=row["headers"],
        body=zlib.decompress(row["body"]) if "body" in row else b"",
        fetched=row["fetched"],
        warc=row.get("warc", b""),
    )
