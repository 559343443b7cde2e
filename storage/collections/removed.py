"""Collection ``removed``: matches and decisions of removed works, until they expire.

Matches and decisions of a removed work are moved out of their collections, so that no query must exclude
them. They can be restored unchanged. The cases of a removed work stay in their collection as closed cases.
"""

from collections.abc import Sequence

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.collections.owners import Owners
from storage.records import Work

_KEPT = ("matches", "decisions")
_BATCH = 500


class RemovedStore:
    """Matches and decisions of removed works. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._database = database
        self._removed = database["removed"]
        self._owners = Owners(database)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._removed.create_index("work_id")
        self._removed.create_index("kind")
        self._removed.create_index("document.page_id")

    def archive_findings(self, work: Work) -> None:
        """Move the findings of a work out of their collections into this one. Idempotent."""
        passages = frozenset(work.passage_ids)
        for kind in _KEPT:
            rows = [
                row
                for row in list(self._database[kind].find({"work_id": work.book_id}))
                if row["passage_id"] in passages
            ]
            self._archive_rows(work.id, kind, rows)
            for start in range(0, len(rows), _BATCH):
                ids = [row["_id"] for row in rows[start : start + _BATCH]]
                self._database[kind].delete_many({"_id": {"$in": ids}})

    def _archive_rows(self, work_id: int, kind: str, rows: Sequence[Document]) -> None:
        kept = [
            {"_id": f"{kind}:{row['_id']}", "work_id": work_id, "kind": kind, "document": row} for row in rows
        ]
        for start in range(0, len(kept), _BATCH):
            self._removed.insert_or_replace(kept[start : start + _BATCH])

    def restore_findings(self, work_id: int) -> None:
        """Move the findings of a work back into their collections. Idempotent."""
        rows = list(self._removed.find({"work_id": work_id}))
        for kind in _KEPT:
            documents = [row["document"] for row in rows if row["kind"] == kind]
            for start in range(0, len(documents), _BATCH):
                self._database[kind].insert_or_replace(documents[start : start + _BATCH])
        self._owners.renew({row["document"]["work_id"] for row in rows if row["kind"] == "matches"})
        self.delete_of_work(work_id)

    def delete_of_work(self, work_id: int) -> None:
        """Delete the findings of a work."""
        self._removed.delete_many({"work_id": work_id})
