"""How numbered records are read on from a mark, each at least once, also those that are stored late. Pure.

A number is drawn before its record is stored, so a later one may be seen first. What is missing below the
highest number that was seen is a gap; gaps are looked into again for an hour. A record that is stored later
than that after its number was drawn is not read.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from storage.records import Gap, NumberMark

LATE = timedelta(hours=1)
MAX_GAPS = 200


def read_new(mark: NumberMark, numbers: Sequence[int], *, now: datetime) -> NumberMark:
    """Return the mark after some more numbers were seen.

    >>> from storage.records import utc_now
    >>> mark = read_new(NumberMark(id="events", reached=4), [5, 7, 8], now=utc_now())
    >>> mark.reached, [(gap.first, gap.last) for gap in mark.gaps]
    (8, [(6, 6)])

    Args:
        mark: before.
        numbers: ascending; those above the mark, and those found in its gaps.
        now: when they were read.
    """
    later = [number for number in numbers if number > mark.reached]
    before = [number for number in numbers if number <= mark.reached]
    ends = (mark.reached, *later)
    new = [Gap(low + 1, high - 1, now) for low, high in pairwise(ends) if high - low > 1]
    old = [remainder for gap in mark.gaps if now - gap.since < LATE for remainder in _without(gap, before)]
    return replace(mark, reached=ends[-1], gaps=(*old, *new)[-MAX_GAPS:])


def _without(gap: Gap, numbers: Sequence[int]) -> list[Gap]:
    """Return what is left of a gap."""
    inside = [number for number in numbers if gap.first <= number <= gap.last]
    ends = (gap.first - 1, *inside, gap.last + 1)
    return [Gap(low + 1, high - 1, gap.since) for low, high in pairwise(ends) if high - low > 1]
