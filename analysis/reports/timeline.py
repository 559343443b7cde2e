"""New matches and removals over time, in steps of equal length in the reader's calendar."""

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
    """One step, with the number of pages with a match first seen in it, and the number found gone in it."""

    start: date
    found: int
    gone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Steps without gaps, the earliest first; empty without matches."""

    unit: StepUnit = "day"
    steps: tuple[TimeStep, ...] = ()


def _week_start(day: date) -> date:
    return day - timedelta(days=day.weekday())


_STARTS: Mapping[StepUnit, Callable[[date], date]] = {
    "day": lambda day: day,
    "week": _week_start,
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
    """Return when pages with a match were found and when they disappeared, in the shortest steps that fit.

    Args:
        matches: the counted matches. A page counts once, when it was first seen.
        presences: id of each page → whether it is still up.
        zone: time zone whose days are counted.
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
        starts = _step_starts(start_of(first), start_of(last), unit)
        if len(starts) <= MAX_STEPS or unit == "year":
            break
    counts = Counter(map(start_of, finds)), Counter(map(start_of, ends))
    steps = (TimeStep(start=start, found=counts[0][start], gone=counts[1][start]) for start in starts)
    return Timeline(unit=unit, steps=tuple(steps))


def _step_starts(first: date, last: date, unit: StepUnit) -> list[date]:
    """Return the first days of the steps between two days; at most one step more than fits."""
    starts = [first]
    while starts[-1] < last and (unit == "year" or len(starts) <= MAX_STEPS):
        starts.append(_STARTS[unit](starts[-1] + _LONGEST[unit]))
    return starts
