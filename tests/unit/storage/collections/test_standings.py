"""What the versions of one address count for."""

from datetime import UTC, datetime, timedelta

import pytest

from storage.collections.standings import Mark, marks_of

NOON = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)


def row(name, *, last_seen, verdict="copy", state="compared", first=0, **fields):
    """A version that was seen last after so many hours."""
    return {
        "_id": name,
        "url": "u",
        "kind": "chapter",
        "state": state,
        "verdict": verdict,
        "first_seen": NOON + timedelta(hours=first),
        "last_seen": NOON + timedelta(hours=last_seen),
        **fields,
    }


def waiting(name, *, last_seen, **fields):
    return row(name, last_seen=last_seen, verdict=None, state="fetched", **fields)


def failed(name, *, last_seen, **fields):
    return row(name, last_seen=last_seen, verdict=None, state="failed", **fields)


def standings(*rows):
    return {mark.page_id: mark.standing for mark in marks_of(rows)}


def test_only_version_is_current():
    assert marks_of([waiting("a", last_seen=0)]) == [Mark("a", "current", None)]


def test_compared_text_replaces_the_previous_text():
    old, new = marks_of([row("old", last_seen=0), row("new", last_seen=1)])
    assert old == Mark("old", "replaced", NOON + timedelta(hours=1))
    assert new == Mark("new", "current", None)


def test_waiting_text_keeps_the_last_text_as_evidence():
    assert standings(row("old", last_seen=0), waiting("new", last_seen=1)) == {
        "old": "last-text",
        "new": "current",
    }


def test_page_that_vanished_keeps_its_last_text_and_only_that():
    marks = standings(row("older", last_seen=0), row("text", last_seen=1), failed("404", last_seen=2))
    assert marks == {"older": "replaced", "text": "last-text", "404": "current"}


@pytest.mark.parametrize("kind", ["blocked", "incomplete", "obfuscated", "unreadable"])
def test_partially_read_page_keeps_the_last_full_text_as_evidence(kind):
    marks = standings(
        row("text", last_seen=0), row("older", last_seen=1, kind=kind), row("wall", last_seen=2, kind=kind)
    )
    assert marks == {"text": "last-text", "older": "replaced", "wall": "current"}
    assert standings(row("older", last_seen=1, kind=kind), row("wall", last_seen=2, kind=kind)) == {
        "older": "replaced",
        "wall": "current",
    }


def test_past_failure_is_history():
    assert standings(row("text", last_seen=3), failed("404", last_seen=2)) == {
        "text": "current",
        "404": "replaced",
    }


def test_last_of_several_failures_is_current():
    marks = standings(failed("blocked", last_seen=1), failed("404", last_seen=2), row("text", last_seen=0))
    assert marks == {"blocked": "replaced", "404": "current", "text": "last-text"}


def test_text_overtaken_while_waiting_does_not_become_current():
    assert standings(row("back", last_seen=2), row("late", last_seen=1)) == {
        "back": "current",
        "late": "replaced",
    }


def test_uncompared_text_is_replaced_by_any_later_text():
    assert standings(waiting("a", last_seen=0), waiting("b", last_seen=1)) == {
        "a": "replaced",
        "b": "current",
    }


@pytest.mark.parametrize("order", [1, -1])
def test_younger_version_counts_as_later_at_the_same_moment(order):
    rows = [row("a", last_seen=5, first=0), row("b", last_seen=5, first=1)][::order]
    assert standings(*rows) == {"a": "replaced", "b": "current"}


def test_moment_of_replacement_stays():
    since = NOON - timedelta(days=1)
    (old, _) = marks_of([row("old", last_seen=0, replaced=since), row("new", last_seen=1)])
    assert old.replaced == since


@pytest.mark.parametrize(
    ("fields", "is_back", "waits"),
    [
        ({"standing": "replaced"}, True, True),
        ({"standing": "replaced", "state": "fetched"}, True, False),  # it waits already
        ({"standing": "last-text"}, False, False),
        ({"standing": "current"}, False, False),
        ({}, False, False),
    ],
)
def test_replaced_text_that_is_current_again_is_compared_again(fields, is_back, waits):
    (mark, _) = marks_of([row("a", last_seen=2, **fields), row("b", last_seen=1)])
    assert (mark.standing, mark.replaced) == ("current", None)
    assert (mark.is_back, mark.waits) == (is_back, waits)
