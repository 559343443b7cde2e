"""Dates as Chinese pages write them: in Han numerals, in Taiwan's years, without a year, relative. Pure."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise

from fingerprint.text.numerals import number_of
from storage.records import ClaimedDate
from storage.records.dates import first_date
from storage.records.times import claim

_NUMERALS = "〇○零一二三四五六七八九十"
_HAN = re.compile(rf"([{_NUMERALS}]{{4}})\s*年\s*([{_NUMERALS}]{{1,3}})\s*月\s*([{_NUMERALS}]{{1,3}})\s*日")
_MINGUO = re.compile(
    r"(?:民國|民国)\s*(\d{2,3})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日"
    r"|(?<![\d.])(1[012]\d)\s*(?:年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日|([-/.])(\d{2})\7(\d{2})(?![.\d]))"
)
# Years of two digits, which boards use, count only before a time. Dates may also lack separators.
_SHORT = re.compile(r"(?<![\d./-])([012]\d)([-/.])(\d{1,2})\2(\d{1,2})\s+\d{1,2}:\d\d")
_COMPACT = re.compile(r"(?<![\d.])((?:19|20)\d\d)(0[1-9]|1[0-2])([0-3]\d)(?!\d|\.\d)")
# In a date box, the day is written in large digits above or below the month and year.
_BOXED = re.compile(
    r"^(\d{1,2})\s+((?:19|20)\d\d)\s*[-/.年]\s*(\d{1,2})\s*月?$|^(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?\s+((?:19|20)\d\d)年?$"
)
_ENGLISH = re.compile(
    r"\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b"
    r"|\b(\d{1,2})(?:st|nd|rd|th)?\s+(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?,?\s+((?:19|20)\d\d)\b"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_AGO = re.compile(
    r"(?<!\d)(\d{1,3})\s*(?:个|個)?\s*(秒|分钟|分鐘|小时|小時|天|日|周|星期|礼拜|月|年)\s*(?:之?前)"
)
_HALF_AGO = re.compile(r"刚刚|剛剛|半(?:个|個)?(?:小时|小時)前")
_DAY_AGO = re.compile(r"(大前天|前天|昨[天日]|今[天日])(?![一-鿿])")
_DAYS_AGO = {"大": 3, "前": 2, "昨": 1, "今": 0}
_MONTH_DAY = re.compile(
    r"(?<![\d年/.\-])(\d{1,2})(?:\s*月\s*(\d{1,2})\s*[日号號]|-(\d{2})(?=\s+\d{1,2}:\d\d|\s*$))(?!\d)"
)
_PERIODS = {
    "秒": timedelta(seconds=1),
    "分": timedelta(minutes=1),
    "小": timedelta(hours=1),
    "天": timedelta(days=1),
    "日": timedelta(days=1),
    "周": timedelta(weeks=1),
    "星": timedelta(weeks=1),
    "礼": timedelta(weeks=1),
    "月": timedelta(days=30),
    "年": timedelta(days=365),
}
_MAX_CHARS = 200


def date_in(text: str, *, zone: tzinfo, fetched: datetime | None = None) -> ClaimedDate | None:
    """Return the first date in a text; None if there is none.

    Args:
        text: its first 200 characters are searched.
        zone: zone of a date that names none.
        fetched: when the text was read (aware). If given, relative dates and dates without a year also count,
            precise to the day.
    """
    start = text[:_MAX_CHARS]
    date = first_date(start, zone=zone) or _written_out(start, zone)
    return date if date is not None or fetched is None else _relative(start, fetched.astimezone(zone), zone)


def _written_out(text: str, zone: tzinfo) -> ClaimedDate | None:
    """Return a date in Han numerals, in years of the Republic of China, or in English."""
    if match := _HAN.search(text):
        return _day(*(number_of(numeral) for numeral in match.groups()), zone=zone)
    if match := _MINGUO.search(text):
        groups = match.groups()
        year, month, day = next(
            numeral for numeral in (groups[:3], groups[3:6], (groups[3], *groups[7:])) if all(numeral)
        )
        return _day(int(year) + 1911, int(month), int(day), zone=zone)
    if match := _ENGLISH.search(text):
        name, number, written = match.groups()[:3] if match[1] else (match[5], match[4], match[6])
        return _day(int(written), _MONTHS.index(name) + 1, int(number), zone=zone)
    if match := _SHORT.search(text):
        return _day(2000 + int(match[1]), int(match[3]), int(match[4]), zone=zone)
    if match := _COMPACT.search(text):
        return _day(*map(int, match.groups()), zone=zone)
    return None


def boxed_date(lines: Sequence[str], *, zone: tzinfo) -> ClaimedDate | None:
    """Return the date that two adjacent lines form: ``05`` and ``2024-03``, or ``03-05`` and ``2024``."""
    for upper, lower in pairwise(lines):
        if match := _BOXED.match(f"{upper} {lower}"[:_MAX_CHARS]):
            day, year, month = match.groups()[:3] if match[1] else (match[5], match[6], match[4])
            return _day(int(year), int(month), int(day), zone=zone)
    return None


def _relative(text: str, today: datetime, zone: tzinfo) -> ClaimedDate | None:
    """Return the day of a relative date, or of a date without a year."""
    if match := _AGO.search(text):
        return _day_of(today - int(match[1]) * _PERIODS[match[2][0]], zone)
    if match := _DAY_AGO.search(text):
        return _day_of(today - timedelta(days=_DAYS_AGO[match[1][0]]), zone)
    if _HALF_AGO.search(text):
        return _day_of(today, zone)
    match = _MONTH_DAY.search(text)
    if match is None:
        return None
    month, day = int(match[1]), int(match[2] or match[3])
    date = _day(today.year, month, day, zone=zone)
    is_ahead = date is not None and date.at > today + timedelta(days=1)
    return _day(today.year - 1, month, day, zone=zone) if is_ahead else date


def _day_of(moment: datetime, zone: tzinfo) -> ClaimedDate:
    return claim(moment.replace(tzinfo=None), "day", zone=zone, is_zone_assumed=True)


def _day(year: int | None, month: int | None, day: int | None, *, zone: tzinfo) -> ClaimedDate | None:
    if not (year and month and day):
        return None
    try:
        return claim(datetime(year, month, day), zone=zone, is_zone_assumed=True)  # noqa: DTZ001 - the zone follows
    except (ValueError, OverflowError):  # for instance, 31 February
        return None
