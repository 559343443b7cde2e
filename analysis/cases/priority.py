"""The priority of a case: points for each factor. Pure.

The maximum is 40 for the copied characters (8 for each power of ten), 20 for the share of the work, 20 for
the time between the work, or its newest chapter, and the copy, 20 for other confirmed cases on the site (5
each), and 20 for the site's traffic rank if the settings contain one. Points sort a list; they prove nothing.
"""

import math
from dataclasses import dataclass
from typing import Literal

from storage.records import Case, Work

PriorityReason = Literal["copied_chars", "share", "lag_days", "other_cases", "traffic_rank"]

_LAGS = ((1, 20), (7, 15), (30, 10), (365, 5))  # (maximum days between work and copy, points)
_RANKS = ((1_000, 20), (10_000, 15), (100_000, 10), (1_000_000, 5))
_PER_CASE, _MAX_CASES = 5, 20


@dataclass(frozen=True, slots=True)
class Points:
    """The points for one factor.

    Attributes:
        reason: the factor.
        points: the number.
        value: characters, share (0 to 1), days, cases or rank; None: unknown.
    """

    reason: PriorityReason
    points: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Priority:
    """The priority of a case, and its factors."""

    parts: tuple[Points, ...]

    @property
    def points(self) -> int:
        """Sum of all points, 0 to 120."""
        return sum(factor.points for factor in self.parts)


def priority_of(case: Case, work: Work | None, *, other_cases: int, rank: int | None = None) -> Priority:
    """Return the priority of a case.

    Args:
        case: the case.
        work: its work; None if it is no longer stored.
        other_cases: number of other pursued cases on the site.
        rank: traffic rank of the site, 1 is the busiest; None: unknown.
    """
    chars = case.copied_chars
    share = min(1.0, chars / work.characters) if work is not None and work.characters else None
    lag = None if work is None else _lag_days(case, work)
    return Priority(
        (
            Points("copied_chars", min(40, round(8 * math.log10(1 + chars))), chars),
            Points("share", round(20 * (share or 0)), None if share is None else round(share, 4)),
            Points("lag_days", _points_by_steps(lag, _LAGS), lag),
            Points("other_cases", min(_MAX_CASES, _PER_CASE * other_cases), other_cases),
            Points("traffic_rank", _points_by_steps(rank, _RANKS), rank),
        )
    )


def _lag_days(case: Case, work: Work) -> int | None:
    """Return the days from the work, or its newest copied chapter, to the first copy; None if not later."""
    moments = (0, case.first_seen), (case.newest_passage, case.newest_seen or case.first_seen)
    lags = [
        (first_seen - dated).days
        for passage, first_seen in moments
        if (dated := work.dated(passage, before=first_seen)) is not None
    ]
    return min((days for days in lags if days >= 0), default=None)


def _points_by_steps(value: int | None, steps: tuple[tuple[int, int], ...]) -> int:
    return 0 if value is None else next((points for most, points in steps if value <= most), 0)
