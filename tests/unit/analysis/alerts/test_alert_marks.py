"""Numbered records are each read, also those that are stored after later ones."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from analysis.alerts.marks import LATE, MAX_GAPS, read_new
from storage.records import NumberMark

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@given(st.lists(st.lists(st.integers(1, 30), unique=True), max_size=8))
def test_every_number_is_read_in_any_order_of_storage(rounds):
    mark, stored, read = NumberMark(id="m", reached=0), set(), set()
    for minute, numbers in enumerate(rounds):
        stored |= set(numbers)
        gaps = {number for gap in mark.gaps for number in range(gap.first, gap.last + 1)}
        visible = sorted(number for number in stored if number > mark.reached or number in gaps)
        read |= set(visible)
        mark = read_new(mark, visible, now=NOW + timedelta(minutes=minute))
        missing = {number for gap in mark.gaps for number in range(gap.first, gap.last + 1)}
        assert missing == set(range(1, mark.reached + 1)) - stored
    assert read == stored


def test_number_missing_for_an_hour_is_not_waited_for():
    mark = read_new(NumberMark(id="m", reached=0), [3], now=NOW)
    assert read_new(mark, [], now=NOW + LATE - timedelta(seconds=1)).gaps == mark.gaps
    assert read_new(mark, [], now=NOW + LATE).gaps == ()


def test_gaps_are_bounded():
    mark = read_new(NumberMark(id="m", reached=0), range(2, 4000, 2), now=NOW)
    assert len(mark.gaps) == MAX_GAPS
