"""Collection ``cases``: a work on a site. A case is derived from its matches and can be made anew.

Its number may be printed somewhere, so it outlives the case: the same work on the same site has it again.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.collections.naming import new_numbers, number_of
from storage.errors import UnknownId
from storage.records import VERDICTS, Case, CaseStatus

_MOST_COPIED = (("copied_chars", -1), ("_id", 1))
_KEPT = "case:"  # begins the names of the counters that keep the numbers of cases without matches


class CaseStore:
    """Cases by (work, site). Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._cases = database["cases"]
        self._counters = database["counters"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        for leading in ((), ("work_id",), ("site",)):
            keys = [(field, 1) for field in (*leading, "verdict")]
            self._cases.create_index([*keys, *_MOST_COPIED])
        self._cases.create_index("number")

    def save(self, case: Case) -> None:
        """Insert or update a case; a known one keeps its first sight and its number."""
        document = to_document(case)
        key = document.pop("_id")
        first = {"first_seen": document.pop("first_seen"), "number": self._number(key)}
        document.pop("number")
        self._cases.update_one({"_id": key}, {"$set": document, "$setOnInsert": first}, upsert=True)

    def _number(self, key: str) -> int:
        """Return the number that a case is stored with if it is not stored yet."""
        if self._cases.find_one({"_id": key}, {"_id": 1}) is not None:
            return 0
        return self._kept_number(key) or new_numbers(self._counters, "cases", 1)[0]

    def _kept_number(self, key: str) -> int:
        row = self._counters.find_one({"_id": _KEPT + key})
        return int(row["value"]) if row else 0

    def _keep_number(self, key: str, number: int) -> None:
        self._counters.update_one({"_id": _KEPT + key}, {"$set": {"value": number}}, upsert=True)

    def hand_over(self, old: str, new: str) -> None:
        """Let a case that is stored under another id from now on keep its number; may be repeated.

        Args:
            old: the id of the case before; it is forgotten.
            new: its id from now on; a case that is stored under it keeps the number that it has.
        """
        if self._cases.find_one({"_id": new}, {"_id": 1}) is not None:
            return
        row = self._cases.find_one({"_id": old}, {"number": 1})
        number = int(row["number"]) if row else self._kept_number(old)
        if number:
            self._keep_number(new, number)
        self._cases.delete_one({"_id": old})
        self._counters.delete_one({"_id": _KEPT + old})

    def get(self, name: str) -> Case:
        """Return a case by its short name (``c7``) or its id.

        Raises:
            UnknownId: there is none of that name.
        """
        number = number_of(name, "c")
        row = None if number is None else self._cases.find_one({"number": number})
        row = row or self._cases.find_one({"_id": name})
        if row is None:
            raise UnknownId(kind="case", name=name)
        return from_document(Case, row)

    def delete(self, case_id: str) -> None:
        """Forget a case that has no matches left, but not its number."""
        row = self._cases.find_one({"_id": case_id}, {"number": 1})
        if row is not None:
            self._keep_number(case_id, int(row["number"]))
        self._cases.delete_one({"_id": case_id})

    def retitle(self, work_id: int, title: str) -> None:
        """Note the title of a work in its cases."""
        self._cases.update_many({"work_id": work_id}, {"$set": {"work_title": title}})

    def delete_of_work(self, work_id: int) -> None:
        """Forget the cases of a work that is no longer protected."""
        self._cases.delete_many({"work_id": work_id})

    def listed(
        self,
        *,
        work_id: int | None = None,
        site: str | None = None,
        status: CaseStatus | None = None,
        limit: int = 0,
    ) -> Iterator[Case]:
        """Yield cases, the gravest verdict first, then the most copied, without holding them all.

        The server sorts by an index: those of a site, of a work, or all; what else is asked it looks up.

        Args:
            work_id: only those of this work.
            site: only those on this site.
            status: only those in this state.
            limit: how many at most; 0: all.
        """
        fields = {"site": site, "work_id": work_id, "status": status}
        wanted = {field: value for field, value in fields.items() if value is not None}
        indexed: Document = next(
            ({field: wanted.pop(field)} for field in ("site", "work_id") if field in wanted), {}
        )
        rows = (
            row
            for verdict in VERDICTS
            for row in self._cases.ordered(
                {**indexed, "verdict": verdict}, wanted, sort=_MOST_COPIED, limit=limit
            )
        )
        return (from_document(Case, row) for row in islice(rows, limit or None))

    def get_many(self, ids: Sequence[str]) -> dict[str, Case]:
        """Return the cases that exist among ``ids``, by id."""
        return {row["_id"]: from_document(Case, row) for row in self._cases.find_among("_id", ids)}

    def keys_on(self, sites: Iterable[str]) -> Iterator[tuple[int, str]]:
        """Yield (work id, site) of every case on some sites."""
        rows = self._cases.find_among("site", sorted(set(sites)), {"work_id": 1, "site": 1})
        return ((row["work_id"], row["site"]) for row in rows)


def case_id(work_id: int, site: str) -> str:
    """Return the natural key of a case as one string."""
    return f"{work_id}@{site}"
