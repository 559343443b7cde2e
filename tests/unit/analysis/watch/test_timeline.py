"""What looks saw as a line of time."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.watch.timeline import shares, stretches
from storage.records import LOOK_STATES, Look

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def looks(*states):
    return [
        Look(
            id=str(number),
            url="http://a.example/1",
            page_id="p",
            state=state,
            scan_id="s",
            source="s",
            at=BEGIN + day * DAY,
            reason=f"r{number}",
        )
        for number, (day, state) in enumerate(states)
    ]


def test_equal_looks_form_a_stretch_until_a_different_look():
    line = stretches(looks((0, "up"), (1, "up"), (3, "gone"), (4, "up")), until=BEGIN + 6 * DAY)
    periods = [
        (stretch.state, (stretch.begin - BEGIN).days, (stretch.end - BEGIN).days, stretch.looks)
        for stretch in line
    ]
    assert periods == [("up", 0, 3, 2), ("gone", 3, 4, 1), ("up", 4, 6, 1)]
    assert [stretch.reason for stretch in line] == ["r1", "r2", "r3"]


def test_timeline_needs_a_look_and_ends_with_the_last():
    assert stretches([], until=BEGIN) == []
    assert shares([]) == []
    assert stretches(looks((2, "up")), until=BEGIN)[0].end == BEGIN + 2 * DAY


def test_widths_follow_time_but_a_short_stretch_stays_visible():
    line = stretches(looks((0, "up"), (1, "gone")), until=BEGIN + 1000 * DAY)
    assert shares(line) == [pytest.approx(0.02 + 0.96 / 1000), pytest.approx(0.02 + 0.96 * 0.999)]
    assert shares(stretches(looks((0, "up")), until=BEGIN)) == [1]


@given(
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from(LOOK_STATES)), max_size=80).map(sorted),
    st.integers(0, 800),
)
def test_line_has_no_gap_counts_every_look_and_fills_its_room(observations, until):
    line = stretches(looks(*observations), until=BEGIN + until * DAY)
    assert sum(stretch.looks for stretch in line) == len(observations)
    for before, after in pairwise(line):
        assert before.end == after.begin
        assert before.state != after.state
    if line:
        assert sum(shares(line)) == pytest.approx(1)
        assert min(shares(line)) > 0
