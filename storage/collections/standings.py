"""Standings say which versions of an address count; they are stored in ``pages`` and ``matches``.

The rule. The last seen version of an address is *current*. If it was never compared (it waits, or could not
be read), or is read in part only (a wall, a truncated text), the last fully compared version is the *last
text*: reports use the results of this version for the address. Every other version is *replaced*: no report,
case or list counts it.

Standings follow from the rows alone, so any process may set them at any time, repeatedly. The matches of a
version are marked before the version. After a crash in between, the version is still unmarked, and the next
crawl of the address, or the end of the scan, marks both. If two processes mark one address at once, each may
have read only some of its versions. Each process reads again until nothing changes, so the last process
leaves the right standings.

A write that records a sight or a comparison of a version also sets ``unsettled`` to a new value. The process
that settles an address removes only the value that it has read. So the mark of another process, which saw the
page in between and was killed, stays. An index finds the remaining marks; otherwise only running work has
marks.
"""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import UpdateMany, UpdateOne

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.collections.stale import NEVER_STALE
from storage.records import PARTLY_READ, PageStanding
from system.batches import batched

_WHAT_COUNTS = "url", "kind", "state", "verdict", "last_seen", "first_seen"
_MARKS = "standing", "replaced", "corpus_version", "unsettled"
FIELDS: Mapping[str, int] = dict.fromkeys((*_WHAT_COUNTS, *_MARKS), 1)
_WITH_MATCHES = "matches:"  # prefix of the mark if matches of the version were stored as counting
_URLS = 500  # number of addresses that are settled together
_MAX_ROUNDS = 5  # maximum readings of an address; a process that changes the address later settles it again
AS_A_WHOLE = -1  # corpus version of a page that must be compared as a whole


def new_mark(*, with_matches: bool = False) -> str:
    """Return a new value of ``unsettled``.

    Args:
        with_matches: matches of the version have just been stored as if it counted.
    """
    return f"{_WITH_MATCHES if with_matches else ''}{uuid.uuid4().hex}"


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark that says whether a version counts.

    Attributes:
        page_id: id of the version.
        standing: its correct standing.
        replaced: when it was replaced; None while it counts.
        is_back: it was replaced and counts again; its matches may be stale.
        waits: it is current again, and was compared before.
    """

    page_id: str
    standing: PageStanding
    replaced: datetime | None
    is_back: bool = False
    waits: bool = False


def marks_of(versions: Sequence[Mapping[str, Any]]) -> list[Mark]:
    """Return the marks that all versions of one address must have.

    Args:
        versions: every row of ``pages`` with that address, with :data:`FIELDS`; at least one.
    """
    newest = max(versions, key=_version_order)
    compared = [row for row in versions if row["verdict"] is not None]
    in_full = [row for row in compared if row["kind"] not in PARTLY_READ]
    text = max(in_full or compared, key=_version_order, default=newest)
    return [_mark_for(row, newest, text) for row in versions]


def _mark_for(row: Mapping[str, Any], newest: Mapping[str, Any], text: Mapping[str, Any]) -> Mark:
    is_back = row.get("standing") == "replaced" or row.get("corpus_version") == NEVER_STALE
    if row is newest:
        return Mark(row["_id"], "current", None, is_back, waits=is_back and row["state"] == "compared")
    if row is text:
        return Mark(row["_id"], "last-text", None, is_back)
    return Mark(row["_id"], "replaced", row.get("replaced") or newest["last_seen"])


def _version_order(row: Mapping[str, Any]) -> tuple[datetime, datetime, str]:
    return row["last_seen"], row["first_seen"], row["_id"]


class Standings:
    """Sets the marks of versions. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._pages = database["pages"]
        self._matches = database["matches"]

    def ensure_schema(self) -> None:
        """Create the index; safe to repeat."""
        self._pages.create_index("unsettled", sparse=True)

    def settle_remaining(self) -> None:
        """Settle every address that has the mark ``unsettled``."""
        marked = (row["url"] for row in self._pages.find({"unsettled": {"$gt": ""}}, {"url": 1}))
        for urls in batched(marked, _URLS):
            self.settle(urls)

    def settle(self, urls: Iterable[str], *, compared: Collection[str] = ()) -> None:
        """Mark whether each version of addresses counts.

        Args:
            urls: the addresses.
            compared: ids of versions whose matches have just been stored, without a mark.
        """
        addresses, written, handled = list(dict.fromkeys(urls)), dict[str, Mark](), set[str]()
        for _ in range(_MAX_ROUNDS):
            rows = {row["_id"]: row for row in self._pages.find_among("url", addresses, FIELDS)}
            wrong = [
                mark
                for mark in marks_of_addresses(rows.values())
                if not _is_set(mark, rows[mark.page_id], handled)
                or (mark.page_id in compared and written.get(mark.page_id) != mark)
            ]
            open_urls = {rows[mark.page_id]["url"] for mark in wrong}
            self._remove_marks(row for row in rows.values() if row["url"] not in open_urls)
            marks = [mark for mark in wrong if written.get(mark.page_id) != mark]
            if not marks:
                return
            self._write_marks(marks)
            written |= {mark.page_id: mark for mark in marks}
            handled |= {rows[mark.page_id].get("unsettled", "") for mark in marks}
            addresses = sorted({rows[mark.page_id]["url"] for mark in marks})

    def _remove_marks(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Remove from settled versions the value of ``unsettled`` that was read with them."""
        by_mark: dict[str, list[str]] = {}
        for row in rows:
            if mark := row.get("unsettled"):
                by_mark.setdefault(mark, []).append(row["_id"])
        for mark, ids in by_mark.items():
            self._pages.update_among(ids, {"$unset": {"unsettled": ""}}, {"unsettled": mark})

    def _write_marks(self, marks: Sequence[Mark]) -> None:
        """Set the marks of the matches, then those of the versions."""
        of_matches = [
            UpdateMany({"page_id": mark.page_id}, {"$set": {"replaced": mark.replaced}}) for mark in marks
        ]
        self._matches.bulk_write(of_matches, ordered=False)
        of_pages = [UpdateOne({"_id": mark.page_id}, _page_update(mark)) for mark in marks]
        self._pages.bulk_write(of_pages, ordered=False)


def marks_of_addresses(rows: Iterable[Mapping[str, Any]]) -> list[Mark]:
    """Return the marks that versions must have; the rows of each address must be complete."""
    by_url: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_url.setdefault(row["url"], []).append(row)
    return [mark for versions in by_url.values() for mark in marks_of(versions)]


def _is_set(mark: Mark, row: Mapping[str, Any], handled: Collection[str]) -> bool:
    """Return whether a version and its matches have a mark.

    ``handled`` contains the values of ``unsettled`` whose matches have their marks already.
    """
    if (row.get("standing"), row.get("replaced")) != (mark.standing, mark.replaced):
        return False
    if (row.get("corpus_version") == NEVER_STALE) != (mark.standing == "replaced"):
        return False
    unsettled = row.get("unsettled", "")
    return mark.replaced is None or not unsettled.startswith(_WITH_MATCHES) or unsettled in handled


def _page_update(mark: Mark) -> Document:
    """Return the update of a page for a mark; a replaced version is not retried."""
    gone = {"$unset": {"broke_off": ""}} if mark.standing == "replaced" else {}
    return {"$set": _changed_fields(mark), **gone}


def _changed_fields(mark: Mark) -> Document:
    """Return the fields of a page that a mark changes; a version that counts again is compared as a whole."""
    fields: Document = {"standing": mark.standing, "replaced": mark.replaced}
    if mark.standing == "replaced":
        fields["corpus_version"] = NEVER_STALE
    elif mark.is_back:
        fields["corpus_version"] = AS_A_WHOLE
    if mark.waits:
        fields |= {"state": "fetched", "reason": "", "attempts": 0}
    return fields
