"""Collection ``passages``: the texts of the corpus, divided into the units that the index contains."""

from collections.abc import Iterable, Sequence

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records import Passage, PassageHead

_IDS = 10_000  # number of ids in one command
_BATCH = 200  # passages in a bulk write: under 48 MB, because a passage has at most 50,000 characters


class PassageStore:
    """Passages by id. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._passages = database["passages"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._passages.create_index("work_id")

    def save_many(self, passages: Iterable[Passage]) -> None:
        """Insert or replace passages."""
        documents = [to_document(passage) for passage in passages]
        for start in range(0, len(documents), _BATCH):
            self._passages.insert_or_replace(documents[start : start + _BATCH])

    def get_many(self, ids: Iterable[int]) -> dict[int, Passage]:
        """Return the existing passages."""
        rows = list(self._passages.find_among("_id", [int(key) for key in ids]))
        return {row["_id"]: from_document(Passage, row) for row in rows}

    def heads(self, ids: Iterable[int]) -> dict[int, PassageHead]:
        """Return the existing passages, without their texts."""
        rows = list(self._passages.find_among("_id", [int(key) for key in ids], {"text": 0}))
        return {row["_id"]: from_document(PassageHead, row) for row in rows}

    def works_of(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the id of each existing passage's work."""
        rows = self._passages.find_among("_id", ids, {"work_id": 1})
        return {row["_id"]: int(row["work_id"]) for row in rows}

    def of_work(self, work_id: int) -> list[Passage]:
        """Return a work's passages in reading order, including those of an interrupted update."""
        rows = list(self._passages.find({"work_id": work_id}))
        return sorted((from_document(Passage, row) for row in rows), key=lambda passage: passage.ordinal)

    def ids_of_work(self, work_id: int) -> list[int]:
        """Return the ids of a work's passages, including those of an interrupted update."""
        return [row["_id"] for row in self._passages.find({"work_id": work_id}, {"_id": 1})]

    def delete_many(self, ids: Sequence[int]) -> None:
        """Delete passages."""
        for start in range(0, len(ids), _IDS):
            self._passages.delete_many({"_id": {"$in": list(ids[start : start + _IDS])}})
