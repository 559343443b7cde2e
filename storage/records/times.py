"""The clock of records, dates printed in texts, and their display.

A moment is aware UTC and displayed in the reader's zone (setting ``tracker.timezone``). A *claimed date* is
precise to the day, the minute or the second. A claimed date is stored with the zone in which it was read, so
later changes of settings do not change it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from system.messages import N_, Message

_NO_ZONE = N_("“{name}” is not a time zone such as Asia/Shanghai or +08:00")

Precision = Literal["day", "minute", "second"]
Timespec = Literal["minutes", "seconds"]

CHINA = timezone(timedelta(hours=8))
_PERIODS = {"day": timedelta(days=1), "minute": timedelta(minutes=1), "second": timedelta(seconds=1)}
_MINUTE = timedelta(minutes=1)
_STANDARD_TIME = datetime(1970, 1, 1, tzinfo=None)  # noqa: DTZ001 - wall clock time; when every zone had one
_MIDNIGHT = (0, 0, 0)


def utc_now() -> datetime:
    """Return the present time as aware UTC, cut to whole milliseconds as MongoDB stores it."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedDate:
    """A date printed in a text, precise to a day, a minute or a second of some zone.

    Attributes:
        at: aware UTC, the first moment of that day, minute or second.
        precision: whether a day, a minute or a second is known.
        offset_minutes: of the zone, minutes east of UTC.
        is_zone_assumed: the text contains no zone; the setting at that time was used.
    """

    at: datetime
    precision: Precision
    offset_minutes: int
    is_zone_assumed: bool = False

    @property
    def end(self) -> datetime:
        """The first moment after the day, minute or second, aware UTC."""
        return self.at + _PERIODS[self.precision]

    @property
    def local(self) -> datetime:
        """The first moment of the day, minute or second, aware, in the date's own zone."""
        return self.at.astimezone(timezone(timedelta(minutes=self.offset_minutes)))

    def is_before(self, other: "ClaimedDate") -> bool:
        """Return whether this date is certainly before another one; a day is not before a time on that day.

        >>> day, night = claim(datetime(2023, 12, 4)), claim(datetime(2023, 12, 4, 22, 15), "minute")
        >>> day.is_before(night), night.is_before(day), day.is_before(claim(datetime(2023, 12, 5)))
        (False, False, True)
        """
        return self.end <= other.at

    def has_same_words(self, other: "ClaimedDate") -> bool:
        """Return whether both dates show the same day and time, even in different zones."""
        return (self.local.replace(tzinfo=None), self.precision) == (
            other.local.replace(tzinfo=None),
            other.precision,
        )

    def iso(self) -> str:
        """Return the date for programs: ISO 8601 with the zone if it is known; a day as in XML Schema.

        >>> claim(datetime(2023, 12, 4)).iso(), claim(datetime(2023, 12, 4, 22, 15), "minute").iso()
        ('2023-12-04+08:00', '2023-12-04T22:15+08:00')
        """
        return self._join_time("T", "")

    def __str__(self) -> str:
        """Return the date for people, in its precision, with the zone.

        >>> str(claim(datetime(2023, 12, 4))), str(claim(datetime(2023, 12, 4, 22, 15), "minute"))
        ('2023-12-04 +08:00', '2023-12-04 22:15 +08:00')
        """
        return self._join_time(" ", " ")

    def _join_time(self, before_time: str, before_zone: str) -> str:
        day, time, zone = _day_time_offset(self.local, "minutes" if self.precision == "minute" else "seconds")
        return day + ("" if self.precision == "day" else before_time + time) + before_zone + zone


def claim(
    local: datetime, precision: Precision = "day", *, zone: tzinfo = CHINA, is_zone_assumed: bool = False
) -> ClaimedDate:
    """Return the claimed date for a time that a clock showed in a zone.

    Midnight, to its precision, is stored as a day, because publishing systems write it for an unknown time.

    Args:
        local: naive; finer units than the precision are cut off.
        precision: the known precision.
        zone: the zone of the clock.
        is_zone_assumed: the text contains no zone.
    """
    start = local.replace(second=local.second if precision == "second" else 0, microsecond=0, tzinfo=None)
    if precision == "day" or (start.hour, start.minute, start.second) == _MIDNIGHT:
        precision, start = "day", start.replace(hour=0, minute=0)
    offset = _rounded_offset(start, zone)
    at = start.replace(tzinfo=timezone(offset)).astimezone(UTC)
    minutes = round(offset / _MINUTE)
    return ClaimedDate(at=at, precision=precision, offset_minutes=minutes, is_zone_assumed=is_zone_assumed)


def _rounded_offset(local: datetime, zone: tzinfo) -> timedelta:
    """Return a zone's offset in whole minutes; for years before standard time, its first standard offset."""
    offset = zone.utcoffset(local.replace(tzinfo=None)) or timedelta(0)
    if offset % _MINUTE:
        offset = zone.utcoffset(_STANDARD_TIME) or timedelta(0)
    return timedelta(minutes=round(offset / _MINUTE))


def zone_of(name: str) -> tzinfo:
    """Return a time zone by its IANA name or its offset from UTC.

    >>> zone_of("+05:30"), zone_of("Asia/Tokyo")
    (datetime.timezone(datetime.timedelta(seconds=19800)), zoneinfo.ZoneInfo(key='Asia/Tokyo'))

    Raises:
        ValueError: it is neither a name nor an offset.
    """
    try:
        if name[:1] in ("+", "-"):
            return _fixed_zone(name)
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(Message(_NO_ZONE, {"name": name})) from error


def _fixed_zone(name: str) -> timezone:
    zone = datetime.strptime(name, "%z").tzinfo
    if not isinstance(zone, timezone) or len(name) > len("+08:00"):
        raise ValueError(name)
    return zone


def moment_text(moment: datetime, zone: tzinfo, *, timespec: Timespec = "minutes") -> str:
    """Return a moment for people, followed by the zone.

    >>> moment_text(datetime(2026, 12, 31, 14, 15, tzinfo=UTC), CHINA)
    '2026-12-31 22:15 +08:00'
    """
    return " ".join(_day_time_offset(moment.astimezone(zone), timespec))


def _day_time_offset(local: datetime, timespec: Timespec) -> tuple[str, str, str]:
    """Return the day, time of day and offset of an aware moment, as text."""
    text = local.replace(tzinfo=None).isoformat(sep=" ", timespec=timespec)
    day, _, time = text.partition(" ")
    minutes = round((local.utcoffset() or timedelta(0)) / _MINUTE)
    sign = "-" if minutes < 0 else "+"
    return day, time, f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
