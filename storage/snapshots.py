"""Collection ``snapshots``: raw responses as received, compressed: evidence. Nothing ever changes one."""

import zlib

from pymongo.database import Database

from storage.documents import Document, mongo_errors
from storage.records import Snapshot


class SnapshotStore:
    """Snapshots by the SHA-256 of their body. Methods raise ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._snapshots = database["snapshots"]

    def save(self, snapshot: Snapshot) -> None:
        """Keep a snapshot; one with the same body that is there already stays as it is."""
        document = {
            "url": snapshot.url,
            "status": snapshot.status,
            "headers": snapshot.headers,
            "body": zlib.compress(snapshot.body),
            "fetched": snapshot.fetched,
        }
        with mongo_errors(self._database):
            self._snapshots.update_one({"_id": snapshot.sha256}, {"$setOnInsert": document}, upsert=True)
