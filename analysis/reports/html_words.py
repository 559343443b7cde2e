"""Filters of the templates: how values are written for people."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo

from analysis.reports.maps import MapCell, WorkMap


def local_minute(time: datetime, *, zone: tzinfo) -> str:
    """Return a moment to the minute in a zone that is named elsewhere."""
    return f"{time.astimezone(zone):%Y-%m-%d %H:%M}"


def local_day(time: datetime, *, zone: tzinfo) -> str:
    """Return the day of a moment in a zone."""
    return f"{time.astimezone(zone):%Y-%m-%d}"


def duration(start: datetime | None, end: datetime | None) -> str:
    """Return the time between two moments as hours:minutes:seconds; a dash when one is missing."""
    if start is None or end is None:
        return "–"
    minutes, seconds = divmod(max(0, round((end - start).total_seconds())), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def clip(text: str, width: int) -> str:
    """Return as much of a text as fits so many columns, where a wide character takes two.

    >>> clip("第一章 江上来客", 8), clip("copy.example", 20)
    ('第一章…', 'copy.example')
    """
    taken = 0
    for index, character in enumerate(text):
        taken += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if taken > width:
            while index and _columns(text[:index]) >= width:
                index -= 1  # noqa: PLW2901 - the last place that leaves room for the sign
            return text[:index] + "…"
    return text


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def lag(cell: MapCell, *, zone: tzinfo) -> str:
    """Return the days after the original, or the day where these are not known; ``≤``: our first sight.

    In a band of passages the number of those that were copied follows.
    """
    shown_day = local_day(cell.appeared, zone=zone) if cell.lag_days is None else f"{cell.lag_days:+}"
    days = shown_day if cell.is_claimed else f"≤{shown_day}"
    return days if cell.passages == 1 else f"{days} ×{cell.passages}"


@dataclass(frozen=True, slots=True)
class SiteLine:
    """What a site has of a work: how many passages, and the first of them to appear."""

    site: str
    passages: int
    first: MapCell


def by_site(work_map: WorkMap) -> Iterator[SiteLine]:
    """Yield the columns of a map as lines, the first to have something first."""
    lines = []
    for index, site in enumerate(work_map.sites):
        cells = [cell for row in work_map.rows if (cell := row.cells[index]) is not None]
        first = min(cells, key=lambda cell: (cell.appeared, not cell.is_claimed))
        lines.append(SiteLine(site, sum(cell.passages for cell in cells), first))
    return iter(sorted(lines, key=lambda line: (line.first.appeared, line.site)))
