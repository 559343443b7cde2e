"""Ranges that follow a place, and what a list of filters asks of indexes."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.collections.filters import (
    CaseFilter,
    Comparison,
    MatchFilter,
    NoticeFilter,
    PageFilter,
    WorkFilter,
)
from storage.collections.walking import Place, Run, _ranges

NOON = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
_SIGNS = {
    "$gt": lambda value, bound: value > bound,
    "$gte": lambda value, bound: value >= bound,
    "$lt": lambda value, bound: value < bound,
    "$lte": lambda value, bound: value <= bound,
}


def meets(row, query):
    return all(
        all(_SIGNS[sign](row[name], bound) for sign, bound in wanted.items())
        if isinstance(wanted, dict)
        else row[name] == wanted
        for name, wanted in query.items()
    )


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20, unique=True)


@given(rows=ROWS, place=st.data(), directions=st.tuples(st.sampled_from([1, -1]), st.sampled_from([1, -1])))
def test_the_ranges_after_a_row_hold_what_follows_it_in_the_order(rows, place, directions):
    run = Run({"a": 1}, (("x", directions[0]), ("y", directions[1])), {"$gte": 1, "$lte": 3})
    listed = sorted(
        ({"a": 1, "x": x, "y": y} for x, y in rows if x >= 1),
        key=lambda row: (directions[0] * row["x"], directions[1] * row["y"]),
    )
    if not listed:
        return
    number = place.draw(st.integers(0, len(listed) - 1))
    row = listed[number]
    after = Place(0, (row["x"], row["y"]))
    left = [[other for other in listed if meets(other, query)] for _, _, query in _ranges([run], after)]
    assert [other for part in left for other in part] == listed[number + 1 :]


def test_the_runs_after_the_one_of_the_place_are_whole():
    runs = [Run({"a": number}, (("x", 1),)) for number in range(3)]
    asked = [query for _, _, query in _ranges(runs, Place(1, (7,)))]
    assert asked == [{"a": 1, "x": {"$gt": 7}}, {"a": 2}]


MOMENTS = st.integers(0, 10**9).map(lambda seconds: NOON - timedelta(seconds=seconds))


@given(moments=st.lists(MOMENTS, min_size=1, unique=True), place=st.data(), newest=MOMENTS)
def test_the_pieces_of_a_range_that_goes_back_in_time_are_the_range(moments, place, newest):
    floor = place.draw(st.none() | MOMENTS)
    bounds = {} if floor is None else {"$gt": floor}
    run = Run({"a": 1}, (("seen", -1), ("_id", 1)), bounds, newest=newest)
    listed = [
        {"a": 1, "seen": moment, "_id": key}
        for moment in sorted(moments, reverse=True)
        if floor is None or moment > floor
        for key in "xy"
    ]
    number = place.draw(st.integers(-1, len(listed) - 1))
    after = None if number < 0 else Place(0, (listed[number]["seen"], listed[number]["_id"]))
    asked = [query for _, _, query in _ranges([run], after)]
    left = [[row for row in listed if meets(row, query)] for query in asked]
    assert [row for part in left for row in part] == listed[number + 1 :]
    assert len(asked) <= 10


@pytest.mark.parametrize("kind", [WorkFilter, MatchFilter, CaseFilter, NoticeFilter])
def test_an_owner_is_in_every_range(kind):
    for owners, expected in ((("a",), "a"), (("a", "b"), {"$in": ["a", "b"]}), ((), {"$in": []})):
        runs = kind(owners=owners).runs()
        assert runs
        assert all(run.equal["owner"] == expected for run in runs)
    assert all("owner" not in run.equal for run in kind().runs())


@pytest.mark.parametrize("owners", [("a",), ()])
def test_an_owner_is_in_every_range_of_the_newest_and_the_overdue(owners):
    newest = [
        *CaseFilter(owners=owners, order="newest").runs(),
        *MatchFilter(owners=owners, order="newest").runs(),
        *CaseFilter(owners=owners).overdue(NOON, {"new": 7}, ["clear"]),
    ]
    assert len(newest) == 4
    assert all("owner" in run.equal for run in newest)


def test_the_narrower_of_two_bounds_holds():
    (run,) = MatchFilter(
        verdicts=("copy",), chars=(Comparison(">", 5), Comparison(">", 9), Comparison("=", 20))
    ).runs()
    assert run.bounds == {"$gt": 9, "$gte": 20, "$lte": 20}


def test_a_site_without_hosts_has_no_pages():
    assert PageFilter(hosts=()).runs() == []


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, [("fetched", ""), ("compared", ""), ("failed", None)]),
        ({"states": ("failed", "fetched")}, [("fetched", ""), ("failed", None)]),
        ({"states": ("failed",), "reason": "timeout"}, [("failed", "timeout")]),
    ],
)
def test_pages_are_listed_state_by_state(wanted, expected):
    runs = PageFilter(source="x", **wanted).runs()
    assert [(run.equal["state"], run.equal.get("reason")) for run in runs] == expected
    assert all(run.equal["source"] == "x" and not run.also for run in runs)


def test_each_state_is_overdue_by_its_own_days():
    runs = CaseFilter().overdue(NOON, {"new": 7, "notified": 1, "removed": 0}, ["licensed"])
    assert [run.equal.get("state") for run in runs] == [None, "new", "notified"]
    assert runs[1].bounds == {"$lt": NOON - timedelta(days=7)}
    assert "licensed" not in runs[1].also["verdict"]["$in"]
