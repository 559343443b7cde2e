"""Finds and removals over time, in steps of equal length in the reader's calendar."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal

from storage.records import Match, Presence

StepUnit = Literal["day", "week", "month", "year"]

MAX_STEPS = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeStep:
    """One step: pages with a match that were first seen in it, and pages that were first found gone in it."""

    start: date
    found: int
    gone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Steps without gaps, the earliest first; none where nothing was found."""

    unit: StepUnit = "day"
    steps: tuple[TimeStep, ...] = ()


def _week(day: date) -> date:
    return day - timedelta(days=day.weekday())


_STARTS: Mapping[StepUnit, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": _week,
    "month": lambda day: day.replace(day=1),
    "year": lambda day: day.replace(month=1, day=1),
}
_LONGEST: Mapping[StepUnit, timedelta] = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=31),
    "year": timedelta(days=366),
}


def make_timeline(matches: Iterable[Match], presences: Mapping[str, Presence], *, zone: tzinfo) -> Timeline:
    """Return when pages with a match were found and when they went, in the shortest steps that fit.

    Args:
        matches: those that count; a page counts once, at its first sight.
        presences: whether their pages are still up, by page id.
        zone: whose days are meant.
    """
    first_seen: dict[str, datetime] = {}
    for match in matches:
        first_seen[match.page_id] = min(match.first_seen, first_seen.get(match.page_id, match.first_seen))
    gone = (
        presence.absent_since
        for page, presence in presences.items()
        if page in first_seen and presence.absent_since
    )
    finds = [moment.astimezone(zone).date() for moment in first_seen.values()]
    ends = [moment.astimezone(zone).date() for moment in gone]
    if not finds:
        return Timeline()
    first, last = min([*finds, *ends]), max([*finds, *ends])
    for unit, start_of in _STARTS.items():
        starts = _starts(start_of(first), start_of(last), unit)
        if len(starts) <= MAX_STEPS or unit == "year":
            break
    counts = Counter(map(start_of, finds)), Counter(map(start_of, ends))
    steps = (TimeStep(start=start, found=counts[0][start], gone=counts[1][start]) for start in starts)
    return Timeline(unit=unit, steps=tuple(steps))


def _starts(first: date, last: date, unit: StepUnit) -> list[date]:
    """Return the first days of the steps from one to another; of what does not fit, one step too many."""
    starts = [first]
    while starts[-1] < last and (unit == "year" or len(starts) <= MAX_STEPS):
        starts.append(_STARTS[unit](starts[-1] + _LONGEST[unit]))
    return starts
