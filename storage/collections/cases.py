"""Collection ``cases``: a work on a site. A case is derived from its matches and can be made anew."""

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records import Case


class CaseStore:
    """Cases by (work, site). Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._cases = database["cases"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._cases.create_index("work_id")

    def save(self, case: Case) -> None:
        """Insert or update a case; a known one keeps its first sight and its status."""
        document = to_document(case)
        key = document.pop("_id")
        first = {name: document.pop(name) for name in ("first_seen", "status")}
        self._cases.update_one({"_id": key}, {"$set": document, "$setOnInsert": first}, upsert=True)

    def delete(self, case_id: str) -> None:
        """Forget a case that has no matches left."""
        self._cases.delete_one({"_id": case_id})

    def delete_of_work(self, work_id: int) -> None:
        """Forget the cases of a work that is no longer protected."""
        self._cases.delete_many({"work_id": work_id})

    def all(self) -> list[Case]:
        """Return every case, most copied characters first."""
        rows = list(self._cases.find({}))
        return sorted(
            (from_document(Case, row) for row in rows), key=lambda case: (-case.copied_chars, case.id)
        )


def case_id(work_id: int, site: str) -> str:
    """Return the natural key of a case as one string."""
    return f"{work_id}@{site}"
