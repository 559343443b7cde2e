"""The queue of finds: its order, what comes next, and what others do meanwhile."""

from dataclasses import replace

import pytest
from support.matches import match_with

from analysis.console.review_queue import ReviewQueue, row_of
from analysis.queries.review import Standing

OPEN = Standing("", "")


def row(name, **fields):
    return replace(row_of(match_with(id=name, page_title=name)), **fields)


@pytest.fixture
def queue():
    return ReviewQueue(row("b"), [row("a"), row("b"), row("c"), row("d")])


def names(queue):
    return [row.id for row in queue.rows]


def test_find_is_opened_where_the_queue_has_it(queue):
    assert (names(queue), queue.current.id) == (["a", "b", "c", "d"], "b")
    assert (queue.neighbour(1).id, queue.neighbour(-1).id, queue.neighbour(-2), queue.neighbour(3)) == (
        "c",
        "a",
        None,
        None,
    )


def test_match_outside_the_queue_is_placed_before_it():
    queue = ReviewQueue(row("z"), [row("a")])
    assert (names(queue), queue.at) == (["z", "a"], 0)


def test_next_waiting_match_is_undecided_and_free(queue):
    standings = {"c": Standing("confirmed", ""), "a": OPEN, "b": OPEN, "d": Standing("", "li")}
    assert queue.note(standings, me="an")
    assert queue.next_waiting().id == "a"  # nothing waits after the open one
    queue.change("a", is_licensed=True)
    assert queue.next_waiting() is None
    assert queue.note({**standings, "d": OPEN}, me="an")
    assert queue.next_waiting().id == "d"
    queue.open("d")
    assert queue.next_waiting().id == "b"


def test_decided_match_keeps_its_position(queue):
    queue.note({"b": Standing("dismissed", ""), "a": Standing("doubtful", "")}, me="an")
    assert names(queue) == ["a", "b", "c", "d"]
    assert [row.review for row in queue.rows] == ["doubtful", "dismissed", "", ""]


def test_lease_of_the_user_blocks_no_row_and_a_missing_row_keeps_its_state(queue):
    assert not queue.note({"b": Standing("", "an")}, me="an")
    assert queue.note({"b": Standing("", "li")}, me="an")
    assert [row.by for row in queue.rows] == ["", "li", "", ""]
    assert not queue.note({}, me="an")


def test_repeated_rows_appear_once(queue):
    assert queue.add([row("d"), row("e"), row("a")]) == 1
    assert names(queue) == ["a", "b", "c", "d", "e"]
    assert queue.add([row("e")]) == 0
