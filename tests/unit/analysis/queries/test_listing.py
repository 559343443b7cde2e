"""Cursors: opaque, of one list, and never more than values that are compared."""

import base64
import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.queries.listing import BadCursor, Request
from storage.collections.keyset import IndexRun, ListCursor

RUNS = [IndexRun({"a": 1}, (("x", -1), ("_id", 1))), IndexRun({"a": 2}, (("x", -1), ("_id", 1)))]
VALUES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.integers(-(2**62), 2**62),
    st.floats(-1e18, 1e18),
    st.datetimes(timezones=st.just(UTC)),
)


@given(run=st.integers(0, 1), values=st.tuples(VALUES, VALUES))
def test_cursor_leads_back_to_its_position(run, values):
    place = ListCursor(run, values)
    cursor = Request("a list").listing([], place).next
    assert Request("a list", cursor).place(RUNS) == place
    assert cursor.isascii()


def test_end_has_no_cursor():
    assert Request("a list").listing([1], None).next == ""
    assert Request("a list").place(RUNS) is None


@given(st.text(max_size=200))
def test_malformed_cursor_is_refused(text):
    if text:
        with pytest.raises(BadCursor):
            Request("a list", text).place(RUNS)


def cursor_of(*told):
    return base64.urlsafe_b64encode(json.dumps(told).encode()).decode().rstrip("=")


def digest(about="a list"):
    cursor = Request(about).listing([], ListCursor(0, (1, 2))).next
    return json.loads(base64.urlsafe_b64decode(cursor + "=="))[0]


@pytest.mark.parametrize(
    "told",
    [
        (digest("another list"), 0, [1, 2]),
        (digest(), 2, [1, 2]),
        (digest(), -1, [1, 2]),
        (digest(), True, [1, 2]),
        (digest(), "0", [1, 2]),
        (digest(), 0, [1]),
        (digest(), 0, [1, 2, 3]),
        (digest(), 0, [{"$gt": ""}, 2]),
        (digest(), 0, [{"at": "2026-01-01T00:00:00"}, 2]),
        (digest(), 0, [{"at": 7}, 2]),
        (digest(), 0, [[1], 2]),
        (digest(), 0, [None, 2]),
        (digest(), 0, [2**64, 2]),
        (digest(), 0, [float("nan"), 2]),
        (digest(), 0, ["\ud800", 2]),
        (digest(), 0, 7),
        (digest(), 0),
        (),
    ],
)
def test_self_made_cursor_is_refused(told):
    with pytest.raises(BadCursor):
        Request("a list", cursor_of(*told)).place(RUNS)


def test_cursor_size_and_depth_are_bounded():
    for text in ("A" * 60_001, base64.urlsafe_b64encode(b"[" * 40_000).decode()):
        with pytest.raises(BadCursor):
            Request("a list", text).place(RUNS)


def test_moments_keep_their_instant():
    moment = datetime(2026, 3, 1, tzinfo=timezone(timedelta(hours=8)))
    cursor = Request("a list").listing([], ListCursor(0, (moment, "a"))).next
    place = Request("a list", cursor).place(RUNS)
    assert place is not None
    assert place.values == (moment, "a")
