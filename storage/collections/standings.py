"""What each version of an address counts for, in ``pages`` and, as a mark, in ``matches``.

The rule. Of an address the version that was seen last is *current*. When that one was never compared (it
waits, or nothing could be read), or is read in part only (a wall, a text that breaks off), the last version
that was compared in full is the *last text*: what is known of the address rests on it. Every other version is
*replaced*: history, which no report, case or list counts.

The standings follow from the rows alone, so anybody may set them at any time, any number of times. The
matches of a version are marked before the version itself: whoever is killed in between leaves a version that
is still to be marked, and the next crawl of the address, or the end of the scan, does both. Two processes
that mark one address at once may each have seen less than all of it; each looks again until nothing is left
to change, so the last one leaves it right.

A version that was seen or compared bears ``unsettled`` from that write on. The value is new each time, and
only that which was read together with a settled address is taken away: who sees the page meanwhile, and is
killed, leaves a mark of its own. So what is left to settle is found by index, and is what is under way.
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
_WITH_MATCHES = "matches:"  # begins the mark of a version whose matches were stored, as if it counted
_URLS = 500  # addresses settled together
_MAX_ROUNDS = 5  # what others go on changing is settled by them
AS_A_WHOLE = -1  # the corpus version of a page that is to be compared as a whole


def new_mark(*, with_matches: bool = False) -> str:
    """Return a new value of ``unsettled``.

    Args:
        with_matches: matches of the version were stored just now, as if it counted.
    """
    return f"{_WITH_MATCHES if with_matches else ''}{uuid.uuid4().hex}"


@dataclass(frozen=True, slots=True)
class Mark:
    """What a version counts for.

    Attributes:
        page_id: of the version.
        standing: as it should be.
        replaced: since when it is history; None while it is not.
        is_back: it was history and is not any more; what was found in it may be out of date.
        waits: it is back as what is seen now, and was compared before.
    """

    page_id: str
    standing: PageStanding
    replaced: datetime | None
    is_back: bool = False
    waits: bool = False


def marks_of(versions: Sequence[Mapping[str, Any]]) -> list[Mark]:
    """Return the marks that the versions of one address should have.

    Args:
        versions: every row of ``pages`` with that address, with :data:`FIELDS`; at least one.
    """
    newest = max(versions, key=_order)
    compared = [row for row in versions if row["verdict"] is not None]
    in_full = [row for row in compared if row["kind"] not in PARTLY_READ]
    text = max(in_full or compared, key=_order, default=newest)
    return [_mark(row, newest, text) for row in versions]


def _mark(row: Mapping[str, Any], newest: Mapping[str, Any], text: Mapping[str, Any]) -> Mark:
    is_back = row.get("standing") == "replaced" or row.get("corpus_version") == NEVER_STALE
    if row is newest:
        return Mark(row["_id"], "current", None, is_back, waits=is_back and row["state"] == "compared")
    if row is text:
        return Mark(row["_id"], "last-text", None, is_back)
    return Mark(row["_id"], "replaced", row.get("replaced") or newest["last_seen"])


def _order(row: Mapping[str, Any]) -> tuple[datetime, datetime, str]:
    return row["last_seen"], row["first_seen"], row["_id"]


class Standings:
    """Sets the marks. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._pages = database["pages"]
        self._matches = database["matches"]

    def ensure_schema(self) -> None:
        """Create the index; safe to repeat."""
        self._pages.create_index("unsettled", sparse=True)

    def settle_remaining(self) -> None:
        """Settle every address that bears the mark."""
        marked = (row["url"] for row in self._pages.find({"unsettled": {"$gt": ""}}, {"url": 1}))
        for urls in batched(marked, _URLS):
            self.settle(urls)

    def settle(self, urls: Iterable[str], *, compared: Collection[str] = ()) -> None:
        """Mark every version of some addresses by what it counts for.

        Args:
            urls: the addresses.
            compared: ids of versions whose matches were stored just now, without a mark.
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
            self._take_marks(row for row in rows.values() if row["url"] not in open_urls)
            marks = [mark for mark in wrong if written.get(mark.page_id) != mark]
            if not marks:
                return
            self._write(marks)
            written |= {mark.page_id: mark for mark in marks}
            handled |= {rows[mark.page_id].get("unsettled", "") for mark in marks}
            addresses = sorted({rows[mark.page_id]["url"] for mark in marks})

    def _take_marks(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take from settled versions the mark with which they were read."""
        by_mark: dict[str, list[str]] = {}
        for row in rows:
            if mark := row.get("unsettled"):
                by_mark.setdefault(mark, []).append(row["_id"])
        for mark, ids in by_mark.items():
            self._pages.update_among(ids, {"$unset": {"unsettled": ""}}, {"unsettled": mark})

    def _write(self, marks: Sequence[Mark]) -> None:
        """Set marks: of the matches first."""
        of_matches = [
            UpdateMany({"page_id": mark.page_id}, {"$set": {"replaced": mark.replaced}}) for mark in marks
        ]
        self._matches.bulk_write(of_matches, ordered=False)
        of_pages = [UpdateOne({"_id": mark.page_id}, _change(mark)) for mark in marks]
        self._pages.bulk_write(of_pages, ordered=False)


def marks_of_addresses(rows: Iterable[Mapping[str, Any]]) -> list[Mark]:
    """Return the marks that the versions of some addresses should have; takes all rows of each."""
    by_url: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_url.setdefault(row["url"], []).append(row)
    return [mark for versions in by_url.values() for mark in marks_of(versions)]


def _is_set(mark: Mark, row: Mapping[str, Any], handled: Collection[str]) -> bool:
    """Return whether a version is marked so, and its matches too, which those of ``handled`` are."""
    if (row.get("standing"), row.get("replaced")) != (mark.standing, mark.replaced):
        return False
    if (row.get("corpus_version") == NEVER_STALE) != (mark.standing == "replaced"):
        return False
    unsettled = row.get("unsettled", "")
    return mark.replaced is None or not unsettled.startswith(_WITH_MATCHES) or unsettled in handled


def _change(mark: Mark) -> Document:
    """Return the change of a page; what is history is not tried again."""
    gone = {"$unset": {"broke_off": ""}} if mark.standing == "replaced" else {}
    return {"$set": _fields(mark), **gone}


def _fields(mark: Mark) -> Document:
    """Return what changes in a page; one that is back is compared as a whole, as much may have changed."""
    fields: Document = {"standing": mark.standing, "replaced": mark.replaced}
    if mark.standing == "replaced":
        fields["corpus_version"] = NEVER_STALE
    elif mark.is_back:
        fields["corpus_version"] = AS_A_WHOLE
    if mark.waits:
        fields |= {"state": "fetched", "reason": "", "attempts": 0}
    return fields
