"""What an act would do with many cases."""

from datetime import UTC, datetime

import pytest

from analysis.cases.bulk import Assign, BulkMove, SetDeadline, plan_of
from analysis.cases.moves import moves_by_hand
from storage.records import CASE_STATES, MOVES, Case

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def case(number, **fields):
    defaults = {
        "id": f"{number}@a.example",
        "number": number,
        "work_id": number,
        "work_title": "书",
        "site": "a.example",
        "verdict": "copy",
        "pages": 1,
        "passages": 1,
        "copied_chars": 900,
        "first_seen": NOW,
        "last_seen": NOW,
    }
    return Case(**{**defaults, **fields})


def names(cases):
    return [case.name for case in cases]


def test_every_case_is_in_exactly_a_single_list_of_the_plan():
    cases = [
        case(1, reviews={"": 2}),
        case(2, state="confirmed"),
        case(3, state="closed"),
        case(4, work_id=1, site="b.example", reviews={"": 1}),
    ]
    plan = plan_of(cases, BulkMove("confirmed"))
    assert (names(plan.changing), names(plan.same), names(plan.refused)) == (["c1", "c4"], ["c2"], ["c3"])
    assert (plan.works, plan.sites) == (1, 2)


def test_reminder_notifies_again():
    assert names(plan_of([case(1, state="notified")], BulkMove("notified")).changing) == ["c1"]


def test_unchanged_cases_of_a_bulk_action_are_listed_as_same():
    cases = [case(1, assignee="林"), case(2)]
    plan = plan_of(cases, Assign(" 林 "))
    assert (names(plan.changing), names(plan.same)) == (["c2"], ["c1"])
    assert names(plan_of(cases, Assign("")).changing) == ["c1"]
    assert names(plan_of([case(1, deadline=NOW), case(2)], SetDeadline(NOW)).changing) == ["c2"]
    assert names(plan_of([case(1, deadline=NOW), case(2)], SetDeadline(None)).changing) == ["c1"]


@pytest.mark.parametrize("state", CASE_STATES)
def test_manual_moves_are_limited_to_the_table(state):
    for reviews in ({}, {"": 1}, {"confirmed": 1}):
        by_hand = moves_by_hand(case(1, state=state, reviews=reviews))
        assert set(by_hand) <= set(MOVES[state]) - {"new"}
        assert ("dismissed" in by_hand) <= (reviews.get("", 0) > 0)
    assert "closed" in by_hand or state == "closed"
    assert moves_by_hand(case(1, state="closed")) == ()


def test_only_a_pursued_case_without_open_matches_returns_to_confirmed():
    assert "confirmed" not in moves_by_hand(case(1, reviews={"doubtful": 1}))
    assert "confirmed" in moves_by_hand(case(1, state="notified", reviews={"confirmed": 1}))
