"""Read numbered records after a mark. Each record is read at least once, even if it is stored late. Pure.

A number is drawn before its record is stored, so a later record may be visible first. Missing numbers below
the highest one are gaps; gaps are checked again for an hour. A record that is stored later than that is not
read.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from storage.records import Gap, NumberMark

LATE = timedelta(hours=1)
MAX_GAPS = 200


def read_new(mark: NumberMark, numbers: Sequence[int], *, now: datetime) -> NumberMark:
    """Return the mark after reading further numbers.

    >>> from storage.records import utc_now
    >>> mark = read_new(NumberMark(id="events", reached=4), [5, 7, 8], now=utc_now())
    >>> mark.reached, [(gap.first, gap.last) for gap in mark.gaps]
    (8, [(6, 6)])

    Args:
        mark: the mark before.
        numbers: ascending numbers above the mark and in its gaps.
        now: time of reading.
    """
    later = [number for number in numbers if number > mark.reached]
    before = [number for number in numbers if number <= mark.reached]
    ends = (mark.reached, *later)
    new = [Gap(low + 1, high - 1, now) for low, high in pairwise(ends) if high - low > 1]
    old = [
        remainder for gap in mark.gaps if now - gap.since < LATE for remainder in _remaining_gaps(gap, before)
    ]
    return replace(mark, reached=ends[-1], gaps=(*old, *new)[-MAX_GAPS:])


def _remaining_gaps(gap: Gap, numbers: Sequence[int]) -> list[Gap]:
    """Return the remaining parts of a gap."""
    inside = [number for number in numbers if gap.first <= number <= gap.last]
    ends = (gap.first - 1, *inside, gap.last + 1)
    return [Gap(low + 1, high - 1, gap.since) for low, high in pairwise(ends) if high - low > 1]
