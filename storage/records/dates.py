"""Dates in texts: find the first date in a text, or parse a text that is a date. Pure functions."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from storage.records.times import CHINA, ClaimedDate, Precision, claim

_DAY = r"(?<!\d)(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)\s*日?[T\s]*"
_NO_MORE = r"(?![:：]?\d|\s*[AaPp]\.?[Mm])"  # times such as “10:15 PM” are left out: only the day is certain
_TIME = rf"(?:(\d{{1,2}})[:：时点](\d{{2}})(?:[:：分](\d{{2}}))?[分秒]?{_NO_MORE})?(?:[.,]\d+)?"
_ZONE = r"\s*([Zz](?!\w)|[+-]\d{2}:?\d{2}(?!\d))?"
_DATE = re.compile(_DAY + _TIME + _ZONE)
_MAX_CHARS = 200
_YEARS = range(1900, 2100)  # years of web pages and reprints; other numbers are not taken as years
# Years that are accepted: 1 and 9999 mean unknown dates, and arithmetic with them would leave the calendar.
_KNOWN_YEARS = range(1000, 3000)


def first_date(text: str, *, zone: tzinfo = CHINA) -> ClaimedDate | None:
    """Return the first date from 1900 to 2099 in a text; None without one.

    Args:
        text: only its first 200 characters are searched.
        zone: the zone of dates without a zone.
    """
    matches = _DATE.finditer(text[:_MAX_CHARS])
    match = next((match for match in matches if int(match[1]) in _YEARS), None)
    return None if match is None else _date_of(match, zone)


def parse_date(text: str, *, zone: tzinfo = CHINA) -> ClaimedDate | None:
    """Parse a text that is a date, with or without a time, including ISO 8601 forms.

    Return None for any other text, and for years before 1000 or after 2999.

    Args:
        text: without white space at its ends.
        zone: the zone of dates without a zone.
    """
    match = _DATE.fullmatch(text[: _MAX_CHARS + 1])
    date = _iso_date(text, zone) if match is None else _date_of(match, zone)
    return None if date is None or date.local.year not in _KNOWN_YEARS else date


def _date_of(match: re.Match[str], zone: tzinfo) -> ClaimedDate | None:
    numbers = match.groups()[:6]
    precision: Precision = "day" if numbers[3] is None else "minute" if numbers[5] is None else "second"
    year, month, day, hour, minute, second = (int(number or 0) for number in numbers)
    try:
        local = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - the zone follows
        return claim(local, precision, zone=_parse_zone(match[7]) or zone, is_zone_assumed=match[7] is None)
    except (ValueError, OverflowError):  # such as 31 February, or a zone of 99 hours
        return None


def _parse_zone(text: str | None) -> timezone | None:
    if text is None:
        return None
    if text in "Zz":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))


def _iso_date(text: str, zone: tzinfo) -> ClaimedDate | None:
    """Parse the rarer forms of ISO 8601, such as 20260131T0830."""
    try:
        moment = datetime.fromisoformat(text)
        local, zone_of_date = moment.replace(tzinfo=None), moment.tzinfo
        precision: Precision = "second" if local.second else "minute"
        return claim(local, precision, zone=zone_of_date or zone, is_zone_assumed=zone_of_date is None)
    except (ValueError, OverflowError):
        return None
