"""Collection ``dismissals``: stretches of passages that an analyst found not to be infringed on a site."""

import hashlib
from collections.abc import Iterable

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.errors import UnknownRecord
from storage.records import Dismissal

_SHAS = 500  # passages asked about in one query


def dismissal_id(site: str, passage_sha256: str, start: int, end: int) -> str:
    """Return the natural key as one string: 16 hex digits of SHA-256, short enough to be typed."""
    key = f"{site}\0{passage_sha256}\0{start}\0{end}"
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class DismissalStore:
    """Dismissals by id and by passage. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._dismissals = database["dismissals"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._dismissals.create_index("passage_sha256")
        self._dismissals.create_index("work_id")

    def save(self, dismissal: Dismissal) -> None:
        """Insert or replace a dismissal; the same stretch on the same site takes the new reason."""
        document = to_document(dismissal)
        self._dismissals.replace_one({"_id": document["_id"]}, document, upsert=True)

    def get(self, dismissal_id: str) -> Dismissal:
        """Return a dismissal.

        Raises:
            UnknownRecord: there is none of that id.
        """
        row = self._dismissals.find_one({"_id": dismissal_id})
        if row is None:
            raise UnknownRecord(kind="dismissal", name=dismissal_id)
        return from_document(Dismissal, row)

    def of_passages(self, shas: Iterable[str], *, site: str) -> dict[str, list[Dismissal]]:
        """Return a site's dismissals of some passages' texts, by the text's SHA-256."""
        wanted = sorted(set(shas) - {""}) if site else []
        dismissals: dict[str, list[Dismissal]] = {}
        for start in range(0, len(wanted), _SHAS):
            chunk = wanted[start : start + _SHAS]
            for row in self._dismissals.find({"passage_sha256": {"$in": chunk}}):
                if row["site"] == site:  # an index leads to the passage, and its sites are few
                    dismissals.setdefault(row["passage_sha256"], []).append(from_document(Dismissal, row))
        return dismissals

    def all(self) -> list[Dismissal]:
        """Return every dismissal, the newest first: an analyst makes some thousands at most."""
        rows = list(self._dismissals.find({}))
        dismissals = [from_document(Dismissal, row) for row in rows]
        return sorted(dismissals, key=lambda dismissal: (dismissal.made, dismissal.id), reverse=True)

    def delete(self, dismissal_id: str) -> None:
        """Forget a dismissal."""
        self._dismissals.delete_one({"_id": dismissal_id})

    def delete_of_work(self, work_id: int) -> None:
        """Forget the dismissals of a work that is no longer protected."""
        self._dismissals.delete_many({"work_id": work_id})
