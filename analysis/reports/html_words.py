"""Template filters that format values for readers."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo

from analysis.reports.maps import MapCell, WorkMap


def local_minute(time: datetime, *, zone: tzinfo) -> str:
    """Return a time in a zone, to the minute, without the name of the zone."""
    return f"{time.astimezone(zone):%Y-%m-%d %H:%M}"


def local_day(time: datetime, *, zone: tzinfo) -> str:
    """Return the day of a time in a zone."""
    return f"{time.astimezone(zone):%Y-%m-%d}"


def duration(start: datetime | None, end: datetime | None) -> str:
    """Return the duration between two times as hours:minutes:seconds; a dash if one is missing."""
    if start is None or end is None:
        return "–"
    minutes, seconds = divmod(max(0, round((end - start).total_seconds())), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def clip(text: str, width: int) -> str:
    """Truncate a text to a width in columns; a wide character takes two columns.

    >>> clip("第一章 江上来客", 8), clip("copy.example", 20)
    ('第一章…', 'copy.example')
    """
    taken = 0
    for index, character in enumerate(text):
        taken += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if taken > width:
            while index and _columns(text[:index]) >= width:
                index -= 1  # noqa: PLW2901 - the last position that leaves room for the ellipsis
            return text[:index] + "…"
    return text


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def lag(cell: MapCell, *, zone: tzinfo) -> str:
    """Return the days from the original to the copy, or the day of the copy if these are unknown.

    ``≤`` marks a time when pindna first saw a page. In a row of several passages, the number of copied
    passages follows.
    """
    shown_day = local_day(cell.appeared, zone=zone) if cell.lag_days is None else f"{cell.lag_days:+}"
    days = shown_day if cell.is_claimed else f"≤{shown_day}"
    return days if cell.passages == 1 else f"{days} ×{cell.passages}"


@dataclass(frozen=True, slots=True)
class SiteLine:
    """The number of a work's passages on a site, and the earliest of them."""

    site: str
    passages: int
    first: MapCell


def by_site(work_map: WorkMap) -> Iterator[SiteLine]:
    """Yield the columns of a map as lines, the site with the earliest copy first."""
    lines = []
    for index, site in enumerate(work_map.sites):
        cells = [cell for row in work_map.rows if (cell := row.cells[index]) is not None]
        first = min(cells, key=lambda cell: (cell.appeared, not cell.is_claimed))
        lines.append(SiteLine(site, sum(cell.passages for cell in cells), first))
    return iter(sorted(lines, key=lambda line: (line.first.appeared, line.site)))
