"""Opening hours: the hours of a week in which an action is allowed, in the local time of a zone.

The format is the one of schema.org and OpenStreetMap: days, hours, or both. With several lines, each adds
hours.

    Mo-Fr 22:00-06:00      every night that begins on a working day; the last one ends on Saturday at 6:00
    Sa,Su                  both days from midnight to midnight
    12:30-13:30            every day

Hours over midnight belong to the day on which they begin. When clocks change, local time still decides:
skipped hours are lost, and repeated hours are allowed twice. A look-up takes microseconds, because the
minutes of a week are computed only once.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache

from storage.records.times import zone_of
from system.messages import N_

DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_HOUR = 60  # minutes
_DAY = 24 * _HOUR
_WEEK = len(DAYS) * _DAY
_MINUTE = timedelta(minutes=1)
_FORMAT_HINT = N_("write hours as Mo-Fr 22:00-06:00, or only days, or only hours")
_EMPTY = N_("hours cannot end when they begin; write a whole day as 00:00-24:00")
_RANGE = r"[A-Za-z]{2}(?:\s*-\s*[A-Za-z]{2})?"
_LINE = re.compile(
    rf"(?P<days>{_RANGE}(?:\s*,\s*{_RANGE})*)?\s*"
    r"(?:(?P<begin>\d{1,2}:\d\d)\s*-\s*(?P<end>\d{1,2}:\d\d))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Window:
    """A range of hours on certain days.

    Attributes:
        days: the days on which the hours begin: 0 for Monday to 6 for Sunday, in order.
        begin: minutes after midnight.
        end: minutes after midnight, 1,440 at most; an end not after ``begin`` is on the next day.
    """

    days: tuple[int, ...]
    begin: int = 0
    end: int = _DAY

    def __str__(self) -> str:
        """Return the window in the canonical format.

        >>> str(window_of("sa, mo-we 8:00-24:00"))
        'Mo-We,Sa 08:00-24:00'
        """
        is_whole = (self.begin, self.end) == (0, _DAY)
        hours = "" if is_whole else f"{_format_minutes(self.begin)}-{_format_minutes(self.end)}"
        days = "" if len(self.days) == len(DAYS) and hours else ",".join(_day_ranges(self.days))
        return " ".join(filter(None, (days, hours)))


def window_of(line: str) -> Window:
    """Parse the hours of one line.

    >>> window_of("Sa-Mo 22:00-06:00")
    Window(days=(0, 5, 6), begin=1320, end=360)

    Raises:
        ValueError: the line contains no valid hours.
    """
    match = _LINE.fullmatch(line.strip())
    if match is None or not match[0]:
        raise ValueError(_FORMAT_HINT)
    days = _parse_days(match["days"]) if match["days"] else tuple(range(len(DAYS)))
    if match["begin"] is None:
        return Window(days)
    begin, end = _parse_minutes(match["begin"]), _parse_minutes(match["end"])
    if begin == end or (begin, end) == (_DAY, 0):
        raise ValueError(_EMPTY)
    if begin == _DAY:
        raise ValueError(_FORMAT_HINT)
    return Window(days, begin, end)


def _parse_days(text: str) -> tuple[int, ...]:
    chosen: set[int] = set()
    for item in text.split(","):
        names = [name.strip().capitalize() for name in item.split("-")]
        if not set(names) <= set(DAYS):
            raise ValueError(_FORMAT_HINT)
        first, last = DAYS.index(names[0]), DAYS.index(names[-1])
        chosen.update((first + ahead) % len(DAYS) for ahead in range((last - first) % len(DAYS) + 1))
    return tuple(sorted(chosen))


def _day_ranges(days: tuple[int, ...]) -> list[str]:
    """Return days as text; consecutive days become a range."""
    runs: list[list[int]] = []
    for day in days:
        if runs and day == runs[-1][-1] + 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return [DAYS[run[0]] + (f"-{DAYS[run[-1]]}" if len(run) > 1 else "") for run in runs]


def _parse_minutes(text: str) -> int:
    hours, minutes = map(int, text.split(":"))
    if minutes >= _HOUR or hours * _HOUR + minutes > _DAY:
        raise ValueError(_FORMAT_HINT)
    return hours * _HOUR + minutes


def _format_minutes(minutes: int) -> str:
    return f"{minutes // _HOUR:02}:{minutes % _HOUR:02}"


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """The hours of several windows in a time zone.

    Arguments are aware moments; returned moments are UTC, in whole minutes.
    """

    windows: tuple[Window, ...]
    zone: tzinfo
    _is_open: bytes = field(init=False, repr=False, compare=False)  # 1 or 0 for each minute of a week

    def __post_init__(self) -> None:
        """Compute for each minute of a week whether it is within the hours."""
        week = bytearray(_WEEK)
        for window in self.windows:
            minutes = (window.end - window.begin) % _DAY or _DAY
            for day in window.days:
                for minute in range(minutes):
                    week[(day * _DAY + window.begin + minute) % _WEEK] = 1
        object.__setattr__(self, "_is_open", bytes(week))

    def is_open(self, moment: datetime) -> bool:
        """Return whether a moment lies within the hours."""
        return bool(self._is_open[self._minute_of_day(moment)])

    def next_change(self, moment: datetime) -> datetime | None:
        """Return when the hours next begin or end after a moment; None if they cover the whole week."""
        state, current = self._is_open[self._minute_of_day(moment)], _whole_minute(moment)
        while True:
            minute = self._minute_of_day(current)
            ahead = (self._is_open * 2).find(1 - state, minute) - minute
            if ahead < 0:
                return None
            turned = self._minutes_until_clock_change(current, ahead)
            current += turned * _MINUTE
            if self._is_open[self._minute_of_day(current)] != state:
                return current

    def opening(self, moment: datetime) -> datetime:
        """Return the first moment within the hours that is not before this moment."""
        return moment if self.is_open(moment) else self.next_change(moment) or moment

    def last_change(self, moment: datetime) -> datetime:
        """Return when the hours last began or ended; a week ago if they cover the whole week."""
        at = _whole_minute(moment) - (_WEEK + _DAY) * _MINUTE
        while (later := self.next_change(at)) and later <= moment:
            at = later
        return at

    def _minutes_until_clock_change(self, moment: datetime, minutes: int) -> int:
        """Return after how many minutes the clocks change; ``minutes`` if they do not change before that."""

        def is_turned(after: int) -> bool:
            then = (moment + after * _MINUTE).astimezone(self.zone)
            return then.utcoffset() != moment.astimezone(self.zone).utcoffset()

        return bisect_left(range(minutes), 1, key=is_turned)

    def _minute_of_day(self, moment: datetime) -> int:
        local = moment.astimezone(self.zone)
        return local.weekday() * _DAY + local.hour * _HOUR + local.minute


def _whole_minute(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(second=0, microsecond=0)


@cache
def opening_hours(lines: tuple[str, ...], timezone: str) -> OpeningHours | None:
    """Parse several lines; returns None, which means at any time, if there is no line.

    Raises:
        ValueError: a line is invalid, or the zone does not exist.
    """
    return OpeningHours(windows_of(lines), zone_of(timezone)) if lines else None


def windows_of(lines: Iterable[str]) -> tuple[Window, ...]:
    """Parse the windows of several lines.

    Raises:
        ValueError: a line is invalid.
    """
    return tuple(window_of(line) for line in lines)
