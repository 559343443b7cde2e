"""Owner marks on matches, cases and notices, by which queries select the records of a rights holder.

The field ``owner`` is the rights holder of the work as :func:`system.names.name_key` writes it. The field is
not part of the records. Code that writes a match, a case or a notice copies the holder from the work, and a
change of holder updates all marks of the work. If both happen at once, a mark may name the former holder for
a moment. So code that shows a row to a holder also checks the work (:mod:`analysis.queries`).
"""

from collections.abc import Iterable, Mapping

from storage.collections.checked import CheckedDatabase
from system.names import name_key

_MARKED = {"matches": "work_id", "cases": "work_id", "notices": "cases.work_id"}  # fields with the work
_ID = "owners"  # id of the row that says that all older rows have marks


def owner_of(holder: str | None) -> str:
    """Return the mark for a rights holder; empty if there is no holder."""
    return name_key(holder or "")


class Owners:
    """The owner marks in one database. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._works = database["works"]
        self._schema = database["schema"]
        self._marked = [(database[name], field) for name, field in _MARKED.items()]

    def ensure_schema(self) -> None:
        """Set the marks once in rows that are older than owner marks. Idempotent."""
        if self._schema.find_one({"_id": _ID}) is not None:
            return
        for row in self._works.find({}, {"holder": 1}):
            if owner := owner_of(row.get("holder")):
                self._works.update_one({"_id": row["_id"]}, {"$set": {"owner": owner}})
                self._set_owner_mark(row["_id"], owner)
        self._schema.replace_one({"_id": _ID}, {"done": True}, upsert=True)

    def of(self, work_ids: Iterable[int]) -> Mapping[int, str]:
        """Return the marks of works by id; empty if a work has no holder or does not exist."""
        ids = list(dict.fromkeys(work_ids))
        rows = self._works.find_among("_id", ids, {"holder": 1})
        return {**dict.fromkeys(ids, ""), **{row["_id"]: owner_of(row.get("holder")) for row in rows}}

    def follow(self, before: Mapping[int, str]) -> None:
        """Update the marks of the works whose holder has changed.

        Args:
            before: result of :meth:`of` from before the works were stored.
        """
        for work_id, owner in self.of(before).items():
            if owner != before[work_id]:
                self._set_owner_mark(work_id, owner)

    def renew(self, work_ids: Iterable[int]) -> None:
        """Set the marks of the works again, without reading the present marks."""
        for work_id, owner in self.of(work_ids).items():
            self._set_owner_mark(work_id, owner)

    def _set_owner_mark(self, work_id: int, owner: str) -> None:
        for rows, field in self._marked:
            rows.update_many({field: work_id}, {"$set": {"owner": owner}})
