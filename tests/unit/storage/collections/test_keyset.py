"""Ranges that follow a place, and what a list of filters asks of indexes."""

import math
from datetime import UTC, datetime, timedelta
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.collections import keyset
from storage.collections.filters import (
    CaseFilter,
    FieldBound,
    MatchFilter,
    NoticeFilter,
    PageFilter,
    WorkFilter,
)
from storage.collections.keyset import Counted, IndexRun, ListCursor, _remaining_ranges, count_run, read_slice

NOON = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
_SIGNS = {
    "$gt": lambda value, bound: value > bound,
    "$gte": lambda value, bound: value >= bound,
    "$lt": lambda value, bound: value < bound,
    "$lte": lambda value, bound: value <= bound,
}


def meets(row, query):
    return all(
        all(_SIGNS[sign](row[name], bound) for sign, bound in condition.items())
        if isinstance(condition, dict)
        else row[name] == condition
        for name, condition in query.items()
    )


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20, unique=True)


@given(rows=ROWS, place=st.data(), directions=st.tuples(st.sampled_from([1, -1]), st.sampled_from([1, -1])))
def test_ranges_after_a_row_contain_its_successors(rows, place, directions):
    run = IndexRun({"a": 1}, (("x", directions[0]), ("y", directions[1])), {"$gte": 1, "$lte": 3})
    listed = sorted(
        ({"a": 1, "x": x, "y": y} for x, y in rows if x >= 1),
        key=lambda row: (directions[0] * row["x"], directions[1] * row["y"]),
    )
    if not listed:
        return
    number = place.draw(st.integers(0, len(listed) - 1))
    row = listed[number]
    after = ListCursor(0, (row["x"], row["y"]))
    remaining = [
        [other for other in listed if meets(other, query)] for _, _, query in _remaining_ranges([run], after)
    ]
    assert [other for piece in remaining for other in piece] == listed[number + 1 :]


def test_runs_after_the_current_run_are_complete():
    runs = [IndexRun({"a": number}, (("x", 1),)) for number in range(3)]
    queries = [query for _, _, query in _remaining_ranges(runs, ListCursor(1, (7,)))]
    assert queries == [{"a": 1, "x": {"$gt": 7}}, {"a": 2}]


MOMENTS = st.integers(0, 10**9).map(lambda seconds: NOON - timedelta(seconds=seconds))


@given(moments=st.lists(MOMENTS, min_size=1, unique=True), place=st.data(), newest=MOMENTS)
def test_pieces_of_a_range_that_goes_back_in_time_are_the_range(moments, place, newest):
    floor = place.draw(st.none() | MOMENTS)
    bounds = {} if floor is None else {"$gt": floor}
    run = IndexRun({"a": 1}, (("seen", -1), ("_id", 1)), bounds, newest=newest)
    listed = [
        {"a": 1, "seen": moment, "_id": key}
        for moment in sorted(moments, reverse=True)
        if floor is None or moment > floor
        for key in "xy"
    ]
    number = place.draw(st.integers(-1, len(listed) - 1))
    after = None if number < 0 else ListCursor(0, (listed[number]["seen"], listed[number]["_id"]))
    queries = [query for _, _, query in _remaining_ranges([run], after)]
    remaining = [[row for row in listed if meets(row, query)] for query in queries]
    assert [row for piece in remaining for row in piece] == listed[number + 1 :]
    assert len(queries) <= 10


@pytest.mark.parametrize("kind", [WorkFilter, MatchFilter, CaseFilter, NoticeFilter])
def test_owner_is_in_every_range(kind):
    for owners, expected in ((("a",), "a"), (("a", "b"), {"$in": ["a", "b"]}), ((), {"$in": []})):
        runs = kind(owners=owners).runs()
        assert runs
        assert all(run.equal["owner"] == expected for run in runs)
    assert all("owner" not in run.equal for run in kind().runs())


@pytest.mark.parametrize("owners", [("a",), ()])
def test_owner_is_in_every_range_of_the_newest_and_the_overdue(owners):
    newest = [
        *CaseFilter(owners=owners, order="newest").runs(),
        *MatchFilter(owners=owners, order="newest").runs(),
        *CaseFilter(owners=owners).overdue(NOON, {"new": 7}, ["clear"]),
    ]
    assert len(newest) == 4
    assert all("owner" in run.equal for run in newest)


def test_narrower_of_two_bounds_holds():
    (run,) = MatchFilter(
        verdicts=("copy",), chars=(FieldBound(">", 5), FieldBound(">", 9), FieldBound("=", 20))
    ).runs()
    assert run.bounds == {"$gt": 9, "$gte": 20, "$lte": 20}


def test_site_without_hosts_has_no_pages():
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


def test_every_state_is_overdue_by_its_days():
    runs = CaseFilter().overdue(NOON, {"new": 7, "notified": 1, "removed": 0}, ["licensed"])
    assert [run.equal.get("state") for run in runs] == [None, "new", "notified"]
    assert runs[1].bounds == {"$lt": NOON - timedelta(days=7)}
    assert "licensed" not in runs[1].also["verdict"]["$in"]


class Rows:
    """A collection in memory that answers the stages of lists, and counts its questions."""

    def __init__(self, rows):
        self.rows = rows
        self.questions = []

    def aggregate(self, *stages):
        self.questions.append(stages)
        rows = list(self.rows)
        for stage in stages:
            ((name, argument),) = stage.items()
            if name == "$match":
                rows = [row for row in rows if matches(row, argument)]
            elif name == "$sort":
                for field, direction in reversed(list(argument.items())):
                    rows.sort(key=lambda row: row[field], reverse=direction < 0)
            elif name == "$limit":
                rows = rows[:argument]
            elif name == "$skip":
                rows = rows[argument:]
            elif name == "$facet":
                counts = {
                    facet_name: sum(matches(row, of(steps)) for row in rows)
                    for facet_name, steps in argument.items()
                }
                rows = [{facet_name: [{"count": count}] for facet_name, count in counts.items()}]
        yield from rows


def of(steps):
    return next((step["$match"] for step in steps if "$match" in step), {})


def lists_of(query):
    return {
        name: condition["$in"]
        for name, condition in query.items()
        if isinstance(condition, dict) and "$in" in condition
    }


def matches(row, query):
    lists = lists_of(query)
    single_values = {name: condition for name, condition in query.items() if name not in lists}
    return meets(row, single_values) and all(row[name] in values for name, values in lists.items())


LISTED = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 2), st.integers(0, 3), st.booleans()), max_size=40
).map(
    lambda rows: [
        {"_id": number, "host": host, "state": state, "seen": seen, "wanted": wanted}
        for number, (host, state, seen, wanted) in enumerate(rows)
    ]
)


@given(
    rows=LISTED,
    hosts=st.sets(st.integers(0, 7), min_size=1),
    also=st.sampled_from([{}, {"wanted": True}]),
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 30), st.integers(2, 6)),
)
def test_list_of_too_many_ranges_is_read_in_parts_and_in_order(rows, hosts, also, sizes):
    limit, ranges, examined = sizes
    run = IndexRun(
        {"host": {"$in": sorted(hosts)}, "state": {"$in": [0, 1]}}, (("seen", -1), ("_id", 1)), also=also
    )
    expected = sorted(
        (row for row in rows if matches(row, {**run.equal, **also})),
        key=lambda row: (-row["seen"], row["_id"]),
    )
    collection, listed, after = Rows(rows), [], None
    with (
        mock.patch.object(keyset, "MAX_RANGES", ranges),
        mock.patch.object(keyset, "EXAMINED", examined),
    ):
        for _ in range(200):
            stretch = read_slice(collection, [run], after=after, limit=limit)
            assert len(stretch.rows) <= limit
            listed += stretch.rows
            after = stretch.end
            if after is None:
                break
    assert listed == expected
    for first, *_ in collection.questions:
        assert math.prod(map(len, lists_of(first["$match"]).values())) <= max(
            ranges, 2
        )  # one host is in two states


@pytest.mark.parametrize(
    ("run", "number"),
    [
        (PageFilter(hosts=tuple(f"h{n}" for n in range(450))).runs()[0], 3),
        (MatchFilter(owners=tuple(f"o{n}" for n in range(60))).runs()[0], 2),
        (MatchFilter(owners=tuple(f"o{n}" for n in range(60)), reviews=("", "doubtful")).runs()[0], 1),
        (CaseFilter(owners=tuple(f"o{n}" for n in range(51))).runs()[0], 3),
        (WorkFilter(owners=tuple(f"o{n}" for n in range(67))).runs()[0], 2),
    ],
)
def test_no_query_needs_more_ranges_than_mongodb_merges(run, number):
    collection = Rows([])
    read_slice(collection, [run], after=None, limit=9)
    products = [math.prod(map(len, lists_of(first["$match"]).values())) for first, *_ in collection.questions]
    assert max(products) <= keyset.MAX_RANGES
    assert len(collection.questions) == number


def test_count_examines_the_rows_that_the_list_examines():
    """The matching rows are the newest, and the server returns the other rows first."""
    rows = [{"_id": n, "a": 1, "seen": n, "wanted": n > 7} for n in range(10)]
    run = IndexRun({"a": 1}, (("seen", -1), ("_id", 1)), also={"wanted": True})
    with mock.patch.object(keyset, "EXAMINED", 3):
        assert count_run(Rows(rows), run, most=9) == Counted(2, is_more=True)
