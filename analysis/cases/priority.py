"""How urgent a case is: points for what makes a copy hurt, each with what it is for. Pure.

Up to 40 for the copied characters (8 for each power of ten), 20 for the share of the work, 20 for how soon
after the work, or its newest chapter, the copy was there, 20 for other cases on the site that were confirmed
(5 each), 20 for the site's traffic rank where the settings give one. Points order a list; they prove nothing.
"""

import math
from dataclasses import dataclass
from typing import Literal

from storage.records import Case, Work

PriorityReason = Literal["copied_chars", "share", "lag_days", "other_cases", "traffic_rank"]

_LAGS = ((1, 20), (7, 15), (30, 10), (365, 5))  # days after the work at most, points
_RANKS = ((1_000, 20), (10_000, 15), (100_000, 10), (1_000_000, 5))
_PER_CASE, _MAX_CASES = 5, 20


@dataclass(frozen=True, slots=True)
class Points:
    """What a case gets points for.

    Attributes:
        reason: for what.
        points: how many.
        value: the characters, the share (0 to 1), the days, the cases, the rank; None: not known.
    """

    reason: PriorityReason
    points: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Priority:
    """How urgent a case is, and why."""

    parts: tuple[Points, ...]

    @property
    def points(self) -> int:
        """All of them, 0 to 120."""
        return sum(factor.points for factor in self.parts)


def priority_of(case: Case, work: Work | None, *, other_cases: int, rank: int | None = None) -> Priority:
    """Return how urgent a case is.

    Args:
        case: the case.
        work: its work; None when it is not stored any more.
        other_cases: how many other cases of the site are pursued.
        rank: traffic rank of the site; 1 is the busiest. None: not known.
    """
    chars = case.copied_chars
    share = min(1.0, chars / work.characters) if work is not None and work.characters else None
    lag = None if work is None else _lag_days(case, work)
    return Priority(
        (
            Points("copied_chars", min(40, round(8 * math.log10(1 + chars))), chars),
            Points("share", round(20 * (share or 0)), None if share is None else round(share, 4)),
            Points("lag_days", _by_steps(lag, _LAGS), lag),
            Points("other_cases", min(_MAX_CASES, _PER_CASE * other_cases), other_cases),
            Points("traffic_rank", _by_steps(rank, _RANKS), rank),
        )
    )


def _lag_days(case: Case, work: Work) -> int | None:
    """Return how many days after the work, or the newest chapter copied, a copy was seen; None: not after."""
    moments = (0, case.first_seen), (case.newest_passage, case.newest_seen or case.first_seen)
    lags = [
        (first_seen - dated).days
        for passage, first_seen in moments
        if (dated := work.dated(passage, before=first_seen)) is not None
    ]
    return min((days for days in lags if days >= 0), default=None)


def _by_steps(value: int | None, steps: tuple[tuple[int, int], ...]) -> int:
    return 0 if value is None else next((points for most, points in steps if value <= most), 0)
