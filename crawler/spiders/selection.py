"""Which of the entries that a page leads to are asked for, and in what order. Pure.

What promises most comes first: of the texts that a list names, new ones and those that the list says have
changed, then known ones. The number of further lists is bounded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count

from crawler.spiders.entries import changed_at
from storage.frontier.interface import Entry

_KNOWN_LATER = 100_000  # by how much the priority of known texts is below that of new ones
_TEXTS_BETWEEN_LISTS = 50  # where time is short
_MAX_DEPTH = {"sitemap": 3, "index": 200}  # lists that lead from a start address to one
_MIN_LISTS = 20  # that a crawl asks for, however few texts are wanted
_TEXTS_PER_LIST = 10  # wanted texts that allow one list more


@dataclass(frozen=True, slots=True)
class VisitDates:
    """When a known text is due, and when it was checked last."""

    due: datetime
    checked: datetime


def select_due(
    entries: Sequence[Entry], visits: Mapping[str, VisitDates], *, now: datetime, ignores_due_dates: bool
) -> tuple[Entry, ...]:
    """Return the entries to ask for, the most promising first.

    Left out are texts that did not change since the last visit, as their list says, and, unless all are
    asked for, those that are not due.

    Args:
        entries: of texts and lists.
        visits: by entry id, of the texts that are known.
        now: the time of the crawl.
        ignores_due_dates: request known texts before they are due, too.
    """
    placed = (
        _place(entry, visits.get(entry.id), now=now, ignores_due_dates=ignores_due_dates) for entry in entries
    )
    kept = (entry for entry in placed if entry is not None)
    return tuple(sorted(kept, key=lambda entry: -entry.priority))


def _place(entry: Entry, visit: VisitDates | None, *, now: datetime, ignores_due_dates: bool) -> Entry | None:
    """Return an entry with its place in the order, None when it is left out."""
    if visit is None:
        return entry
    if not ignores_due_dates and visit.due > now:
        return None
    changed = changed_at(entry)
    if changed is not None:
        return None if changed < visit.checked else entry
    return replace(entry, priority=entry.priority - _KNOWN_LATER)


class ListBounds:
    """How many lists a crawl asks for, and how deep.

    Args:
        max_texts: how many texts the crawl may ask for.
    """

    def __init__(self, max_texts: int) -> None:
        self._max_lists = _MIN_LISTS + max_texts // _TEXTS_PER_LIST
        self._admitted: set[str] = set()  # ids

    def keep_within(self, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        """Return the entries without the lists that are too many, or too deep."""
        return tuple(entry for entry in entries if entry.kind == "text" or self._admit(entry))

    def _admit(self, entry: Entry) -> bool:
        if entry.depth > _MAX_DEPTH.get(entry.kind, 0):
            return False
        if entry.id not in self._admitted and len(self._admitted) >= self._max_lists:
            return False
        self._admitted.add(entry.id)
        return True


def put_lists_last(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Put lists behind the texts that were found with them: otherwise they might take all the time."""
    texts = sum(entry.kind == "text" for entry in entries)
    places = count(-texts, -_TEXTS_BETWEEN_LISTS)
    return tuple(
        entry if entry.kind == "text" else replace(entry, priority=next(places)) for entry in entries
    )
