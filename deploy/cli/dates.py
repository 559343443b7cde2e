"""Dates and times as people type them: 2026-12-31, 2026/12/31, 2026.12.31, 20261231 or 2026年12月31日."""

import re
from datetime import datetime

from system.errors import PindnaError

_DAY = re.compile(
    r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*[日号]?|(\d{4})(\d{2})(\d{2})(?!\d)"
)


class BadDate(PindnaError):
    """The text is not a date in a known format. Data: ``date``."""

    template = "“{date}” is not a date. Write it like 2026-12-31, 2026/12/31, 20261231 or 2026年12月31日."


def parse_moment(text: str) -> datetime:
    """Parse a day, or a day and a time of day; the result has a zone only if the text contains one.

    Raises:
        BadDate: it is neither.
    """
    day = _DAY.match(text.strip())
    year, month, number = (digits for digits in day.groups() if digits) if day else ("", "", "")
    rest = text.strip()[day.end() :].lstrip("Tt \u3000") if day else ""
    clock = f"0{rest}" if rest[1:2] == ":" else rest or "00:00"
    try:
        return datetime.fromisoformat(f"{year:0>4}-{month:0>2}-{number:0>2}T{clock}")
    except ValueError as error:
        raise BadDate(date=text) from error


def parse_day(text: str) -> datetime:
    """Parse a day; returns its first moment without a zone.

    Raises:
        BadDate: it is no day, or a time of day follows.
    """
    moment = parse_moment(text)
    if moment.tzinfo is not None or moment.time() != datetime.min.time():
        raise BadDate(date=text)
    return moment
