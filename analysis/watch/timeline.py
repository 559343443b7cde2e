"""What looks at an address saw, as stretches of time in which they saw the same. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from storage.records import Look, LookState


@dataclass(frozen=True, slots=True)
class TimelineStretch:
    """A time in which each look saw the same.

    Attributes:
        begin: of its first look.
        end: of the first look that saw something else; the end of the line for the last stretch.
        looks: how many.
        reason: of its last look.
    """

    state: LookState
    begin: datetime
    end: datetime
    looks: int
    reason: str = ""


def stretches(looks: Iterable[Look], *, until: datetime) -> list[TimelineStretch]:
    """Return looks as stretches, the oldest first; each begins where the one before ends.

    Args:
        looks: of one address, the oldest first.
        until: the end of the line; a look after it ends the line itself.
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
    """Return how much of the line each stretch takes up; together they are 1.

    Args:
        line: of :func:`stretches`.
        least: share that each one takes at least, so that a short one is seen; of many it is less.
    """
    if not line:
        return []
    least = min(least, 1 / len(line))
    total = (line[-1].end - line[0].begin).total_seconds()
    if not total:
        return [1 / len(line)] * len(line)
    free = 1 - least * len(line)
    return [least + free * (stretch.end - stretch.begin).total_seconds() / total for stretch in line]
