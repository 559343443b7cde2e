"""Summarise the looks at an address as periods with the same result. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from storage.records import Look, LookState


@dataclass(frozen=True, slots=True)
class TimelineStretch:
    """A period in which all looks had the same result.

    Attributes:
        begin: time of its first look.
        end: time of the first look with another result; for the last period, the end of the line.
        looks: number of looks.
        reason: reason of its last look.
    """

    state: LookState
    begin: datetime
    end: datetime
    looks: int
    reason: str = ""


def stretches(looks: Iterable[Look], *, until: datetime) -> list[TimelineStretch]:
    """Return the periods, the oldest first. Each begins where the previous one ends.

    Args:
        looks: looks at one address, the oldest first.
        until: the end of the line; a later look ends the line itself.
    """
    result: list[TimelineStretch] = []
    for look in looks:
        if result and result[-1].state == look.state:
            result[-1] = replace(result[-1], looks=result[-1].looks + 1, reason=look.reason, end=look.at)
            continue
        if result:
            result[-1] = replace(result[-1], end=look.at)
        result.append(TimelineStretch(look.state, look.at, look.at, 1, look.reason))
    if result:
        result[-1] = replace(result[-1], end=max(until, result[-1].end))
    return result


def shares(line: Sequence[TimelineStretch], *, least: float = 0.02) -> list[float]:
    """Return the share of the line that each period takes up; together they are 1.

    Args:
        line: the result of :func:`stretches`.
        least: minimum share, so short periods stay visible; less if there are many.
    """
    if not line:
        return []
    least = min(least, 1 / len(line))
    total = (line[-1].end - line[0].begin).total_seconds()
    if not total:
        return [1 / len(line)] * len(line)
    free = 1 - least * len(line)
    return [least + free * (stretch.end - stretch.begin).total_seconds() / total for stretch in line]
