"""Detects crawler traps: calendars, sessions and parameters that create endless addresses. Pure.

There are three defences. Session and tracking parameters are removed
(:func:`crawler.addresses.without_tracking`). Suspicious addresses (very long, very deep, with a repeated
folder, a calendar of distant years) are not followed. And a *shape* of addresses (without digits, parameters
by name) is abandoned if its first pages rarely had new text: pages of a calendar or a filter are lists,
empty, or the same text under another address.
"""

import re
from collections import Counter
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode, urlsplit

_MAX_CHARS = 500
_MAX_FOLDERS = 12
_MAX_REPEATS = 3  # maximum number of times that a folder may occur in an address
_MAX_PARAMETERS = 8
_MIN_YEAR = 1990  # earlier years are before the web
_MAX_YEARS_AHEAD = 2
_MIN_TRIED = 60  # minimum number of read pages before a shape may be abandoned
_MIN_FRUITFUL_SHARE = 0.05
_DATE = re.compile(r"(?<!\d)(\d{4})[-/_年]?(?:0?[1-9]|1[0-2])(?!\d)")
_CALENDAR = re.compile(r"calendar|/events?/|rili|日历|archive", re.IGNORECASE)
_DATED = re.compile(r"^(?:year|month|day|date|y|m|d)$", re.IGNORECASE)


class Traps:
    """Decides which addresses of a site to follow, based on the pages read so far."""

    def __init__(self) -> None:
        self._tried: Counter[str] = Counter()
        self._fruitful: Counter[str] = Counter()

    def reason(self, url: str) -> str | None:
        """Return why an address should not be followed; None if it may be."""
        parts = urlsplit(url)
        folders = [folder for folder in parts.path.split("/") if folder]
        if len(url) > _MAX_CHARS or len(folders) > _MAX_FOLDERS:
            return "endless"
        if folders and max(Counter(folders).values()) > _MAX_REPEATS:
            return "endless"
        if len(parse_qsl(parts.query, keep_blank_values=True)) > _MAX_PARAMETERS:
            return "parameters"
        if _is_calendar(url):
            return "calendar"
        shape = shape_of(url)
        tried = self._tried[shape]
        if tried >= _MIN_TRIED and self._fruitful[shape] < _MIN_FRUITFUL_SHARE * tried:
            return "barren"
        return None

    def record_page(self, url: str, *, fruitful: bool) -> None:
        """Record whether the page of an address had new text."""
        shape = shape_of(url)
        self._tried[shape] += 1
        self._fruitful[shape] += fruitful


def shape_of(url: str) -> str:
    """Return an address with ``#`` for its numbers and without the values of its parameters."""
    parts = urlsplit(url)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return re.sub(r"\d+", "#", f"{parts.netloc}{parts.path}?{urlencode([(name, '') for name in names])}")


def _is_calendar(url: str) -> bool:
    """Return whether an address is a calendar page of a distant year."""
    parts = urlsplit(url)
    dated = [value for name, value in parse_qsl(parts.query) if _DATED.match(name)]
    if not dated and not _CALENDAR.search(parts.path):
        return False
    years = [int(year) for year in _DATE.findall(url)]
    years += [int(value) for value in dated if re.fullmatch(r"\d{4}", value)]
    last = datetime.now(UTC).year + _MAX_YEARS_AHEAD
    return any(not _MIN_YEAR <= year <= last for year in years)
