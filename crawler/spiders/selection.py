"""Chooses and orders the entries to request from the links of a page. Pure.

New texts and texts that changed according to their list come first, then known texts. The number of further
lists is limited.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count

from crawler.spiders.entries import changed_at
from storage.frontier.interface import Entry

_KNOWN_LATER = 100_000  # subtracted from the priority of known texts
_TEXTS_BETWEEN_LISTS = 50  # number of texts between two lists if time is short
_MAX_DEPTH = {"sitemap": 3, "index": 200}  # maximum depth of a list below a start address
_MIN_LISTS = 20  # minimum number of lists that a crawl may request
_TEXTS_PER_LIST = 10  # one more list is allowed per this many texts in the limit


@dataclass(frozen=True, slots=True)
class VisitDates:
    """When a known text is due, and when it was last checked."""

    due: datetime
    checked: datetime


def select_due(
    entries: Sequence[Entry], visits: Mapping[str, VisitDates], *, now: datetime, ignores_due_dates: bool
) -> tuple[Entry, ...]:
    """Return the entries to request, the most promising first.

    Texts that did not change since the last visit according to their list are skipped. Texts that are not due
    are skipped too, unless due dates are ignored.

    Args:
        entries: of texts and lists.
        visits: of the known texts, by entry id.
        now: the time of the crawl.
        ignores_due_dates: request known texts before they are due, too.
    """
    placed = (
        _place(entry, visits.get(entry.id), now=now, ignores_due_dates=ignores_due_dates) for entry in entries
    )
    kept = (entry for entry in placed if entry is not None)
    return tuple(sorted(kept, key=lambda entry: -entry.priority))


def _place(entry: Entry, visit: VisitDates | None, *, now: datetime, ignores_due_dates: bool) -> Entry | None:
    """Return an entry with its final priority; None if it is skipped."""
    if visit is None:
        return entry
    if not ignores_due_dates and visit.due > now:
        return None
    changed = changed_at(entry)
    if changed is not None:
        return None if changed < visit.checked else entry
    return replace(entry, priority=entry.priority - _KNOWN_LATER)


class ListBounds:
    """The limits on number and depth of lists in a crawl.

    Args:
        max_texts: limit of texts of the crawl.
    """

    def __init__(self, max_texts: int) -> None:
        self._max_lists = _MIN_LISTS + max_texts // _TEXTS_PER_LIST
        self._admitted: set[str] = set()  # ids of the admitted lists

    def keep_within(self, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        """Return the entries without excess lists and lists that are too deep."""
        return tuple(entry for entry in entries if entry.kind == "text" or self._admit(entry))

    def _admit(self, entry: Entry) -> bool:
        if entry.depth > _MAX_DEPTH.get(entry.kind, 0):
            return False
        if entry.id not in self._admitted and len(self._admitted) >= self._max_lists:
            return False
        self._admitted.add(entry.id)
        return True


def put_lists_last(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Put lists behind the texts of the same page; otherwise they might use up the time."""
    texts = sum(entry.kind == "text" for entry in entries)
    places = count(-texts, -_TEXTS_BETWEEN_LISTS)
    return tuple(
        entry if entry.kind == "text" else replace(entry, priority=next(places)) for entry in entries
    )
