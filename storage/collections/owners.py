"""Whose works matches, cases and notices are about: marks by which rights holders find what is theirs.

The field ``owner`` is the rights holder of the work, as :func:`system.names.name_key` writes it, and is
no part of the records. It follows the work: whoever writes a match, a case or a notice asks for it, and a
work whose holder changes takes what it has along. Where the two happen at once a mark may be the holder's
of a moment before; so whoever shows a row to a holder asks the work itself too (:mod:`analysis.queries`).
"""

from collections.abc import Iterable, Mapping

from storage.collections.checked import CheckedDatabase
from system.names import name_key

_MARKED = ("matches", "cases", "notices")
_ID = "owners"  # of the row that tells that rows from before there were marks have them


def owner_of(holder: str | None) -> str:
    """Return the mark of a rights holder; empty for none."""
    return name_key(holder or "")


class Owners:
    """The marks of one database. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._works = database["works"]
        self._schema = database["schema"]
        self._marked = [database[name] for name in _MARKED]

    def ensure_schema(self) -> None:
        """Mark what was stored before there were marks; safe to repeat, and done once."""
        if self._schema.find_one({"_id": _ID}) is not None:
            return
        for row in self._works.find({}, {"holder": 1}):
            if owner := owner_of(row.get("holder")):
                self._works.update_one({"_id": row["_id"]}, {"$set": {"owner": owner}})
                self._mark(row["_id"], owner)
        self._schema.replace_one({"_id": _ID}, {"done": True}, upsert=True)

    def of(self, work_ids: Iterable[int]) -> Mapping[int, str]:
        """Return the marks of works by id; empty where there is no holder, or no such work."""
        ids = list(dict.fromkeys(work_ids))
        rows = self._works.find_among("_id", ids, {"holder": 1})
        return {**dict.fromkeys(ids, ""), **{row["_id"]: owner_of(row.get("holder")) for row in rows}}

    def follow(self, before: Mapping[int, str]) -> None:
        """Mark what is about works anew where their holder is another one than before.

        Args:
            before: marks of :meth:`of`, from before the works were stored.
        """
        for work_id, owner in self.of(before).items():
            if owner != before[work_id]:
                self._mark(work_id, owner)

    def renew(self, work_ids: Iterable[int]) -> None:
        """Mark what is about works anew, whatever marks it has."""
        for work_id, owner in self.of(work_ids).items():
            self._mark(work_id, owner)

    def _mark(self, work_id: int, owner: str) -> None:
        for rows in self._marked:
            rows.update_many({"work_id": work_id}, {"$set": {"owner": owner}})
