"""Collection ``passages``: the texts of the mother corpus, in the units that are indexed."""

from collections.abc import Iterable, Sequence

from pymongo.database import Database

from storage.collections.documents import (
    Document,
    find_among,
    from_document,
    insert_or_replace,
    mongo_errors,
    to_document,
)
from storage.records import Passage

_IDS = 10_000  # ids in one command
_BATCH = 200  # passages a bulk write: about 50,000 characters each at most, so under 48 MB a message


class PassageStore:
    """Passages by id. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: Database[Document]) -> None:
        self._database = database
        self._passages = database["passages"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        with mongo_errors(self._database):
            self._passages.create_index("work_id")

    def save_many(self, passages: Iterable[Passage]) -> None:
        """Insert or replace passages."""
        documents = [to_document(each) for each in passages]
        with mongo_errors(self._database):
            for start in range(0, len(documents), _BATCH):
                insert_or_replace(self._passages, documents[start : start + _BATCH])

    def get_many(self, ids: Iterable[int]) -> dict[int, Passage]:
        """Return the passages that exist among ``ids``."""
        with mongo_errors(self._database):
            rows = list(find_among(self._passages, "_id", [int(each) for each in ids]))
        return {row["_id"]: from_document(Passage, row) for row in rows}

    def of_work(self, work_id: int) -> list[Passage]:
        """Return a work's passages in reading order, leftovers of an interrupted update included."""
        with mongo_errors(self._database):
            rows = list(self._passages.find({"work_id": work_id}))
        return sorted((from_document(Passage, row) for row in rows), key=lambda each: each.ordinal)

    def ids_of_work(self, work_id: int) -> list[int]:
        """Return the ids of a work's passages, leftovers included, without their texts."""
        with mongo_errors(self._database):
            return [row["_id"] for row in self._passages.find({"work_id": work_id}, {"_id": 1})]

    def delete_many(self, ids: Sequence[int]) -> None:
        """Forget passages."""
        with mongo_errors(self._database):
            for start in range(0, len(ids), _IDS):
                self._passages.delete_many({"_id": {"$in": list(ids[start : start + _IDS])}})
