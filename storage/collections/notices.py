"""Collection ``notices``: letters about cases of one site, and their states.

A state changes only by a conditional update, so two processes cannot both send one notice. The state
``sending`` is stored and journalled before the first byte is sent. From then on only the sending process
changes the notice; after a timeout, another process may set it to ``uncertain``.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, storable, to_document
from storage.collections.naming import new_numbers, number_of
from storage.collections.owners import Owners
from storage.records import Notice, NoticeState
from system.errors import UnknownId

OF_CASE, OF_WORK = "cases.number", "cases.work_id"  # fields with the cases and works of a notice
_NEWEST = (("number", -1),)
_NOTHING: Mapping[str, object] = MappingProxyType({})


def notice_id(number: int) -> str:
    """Return the key of a notice: its short name."""
    return f"n{number}"


class NoticeStore:
    """Notices by number and case. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._notices = database["notices"]
        self._counters = database["counters"]
        self._owners = Owners(database)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        for leading in ((), (OF_CASE,), ("site",), ("state",), ("owner",)):
            self._notices.create_index([*((field, 1) for field in leading), *_NEWEST])
        self._notices.create_index(OF_WORK)
        self._notices.create_index([("state", 1), ("reply_due", 1)])
        self._notices.create_index([("state", 1), ("sending_until", 1)])
        self._notices.create_index([("state", 1), ("is_told", 1)])

    def new_number(self) -> int:
        """Return the number for a new notice."""
        return new_numbers(self._counters, "notices", 1)[0]

    def add(self, notice: Notice) -> None:
        """Store a new notice; an existing one stays unchanged. Its works have one holder."""
        work_id = notice.cases[0].work_id
        owner = self._owners.of([work_id])[work_id]
        self._notices.insert_new([{**to_document(notice), "owner": owner}])

    def get(self, name: str) -> Notice:
        """Return a notice by its short name.

        Raises:
            UnknownId: there is no such notice.
        """
        number = number_of(name, "n")
        row = None if number is None else self._notices.find_one({"_id": notice_id(number)})
        if row is None:
            raise UnknownId(kind="notice", name=name)
        return from_document(Notice, row)

    def listed(
        self,
        *,
        case: int | None = None,
        site: str | None = None,
        state: NoticeState | None = None,
        limit: int = 0,
    ) -> Iterator[Notice]:
        """Yield notices, the newest first.

        Args:
            case: only those about this case.
            site: only those about this site.
            state: only those in this state.
            limit: how many at most; 0: all.
        """
        fields = {OF_CASE: case, "site": site, "state": state}
        query = {field: value for field, value in fields.items() if value is not None}
        indexed: Document = dict([next(iter(query.items()))]) if query else {}
        also = {field: value for field, value in query.items() if field not in indexed}
        rows = self._notices.ordered(indexed, also, sort=_NEWEST, limit=limit)
        return (from_document(Notice, row) for row in rows)

    def of_cases(self, cases: Sequence[int]) -> Iterator[Notice]:
        """Yield the notices about cases, each once, in no order."""
        rows = {row["_id"]: row for row in self._notices.find_among(OF_CASE, cases)}
        return (from_document(Notice, row) for row in rows.values())

    def advance(
        self,
        notice: Notice,
        state: NoticeState,
        fields: Mapping[str, object] = _NOTHING,
        *,
        since: Collection[NoticeState],
        only: str | None = None,
    ) -> bool:
        """Change the state of a notice; returns False if its present state is not one of ``since``.

        Args:
            notice: the notice.
            state: the new state.
            fields: further fields to set.
            since: permitted present states.
            only: token of the sending process, if only that process may change it.
        """
        query: Document = {"_id": notice.id, "state": {"$in": sorted(since)}}
        if only is not None:
            query["token"] = only
        return self._update_if(query, {"state": state, **fields})

    def mark_reported(self, notice: Notice) -> None:
        """Mark a sent notice as reported: its event is now in the history of each case."""
        self._update_if({"_id": notice.id}, {"is_told": True})

    def _update_if(self, query: Document, fields: Mapping[str, Any]) -> bool:
        changed = self._notices.update_one(query, {"$set": storable(dict(fields))})
        return changed.matched_count > 0

    def interrupted_sends(self, now: datetime) -> list[Notice]:
        """Return the notices that have been in the state ``sending`` for too long."""
        query = {"state": "sending", "sending_until": {"$lt": now}}
        return [from_document(Notice, row) for row in self._notices.find(query)]

    def unreported(self) -> list[Notice]:
        """Return the sent notices whose event is not yet in the history of every case."""
        query = {"state": "sent", "is_told": False}
        return [from_document(Notice, row) for row in self._notices.find(query)]

    def overdue(self, now: datetime) -> list[Notice]:
        """Return the sent notices whose deadline for a reply has passed."""
        query = {"state": "sent", "reply_due": {"$lt": now}}
        return [from_document(Notice, row) for row in self._notices.find(query)]
