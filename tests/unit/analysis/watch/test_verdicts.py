"""What the addresses of a case make of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from analysis.watch.verdicts import outcome_of
from storage.records import Case, Watch

START = datetime(2026, 3, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
UP = Watch(
    id="w", url="http://x/1", source="s", cases=(1,), page_id="p", since=START, due=START, state="up",
    looked=START + 9 * HOUR, last_up=START + 9 * HOUR,
)  # fmt: skip
GONE = replace(UP, state="gone", gone_since=START + 5 * HOUR, confirmed=START + 6 * HOUR, last_up=START)
OUT = replace(UP, state="unreachable", last_up=START)
BACK = replace(UP, returned=START + 8 * HOUR)


def case(state, *, since=2, **fields):
    return Case(
        id="1@x", work_id=1, work_title="书", site="x", verdict="copy", pages=2, passages=1, copied_chars=99,
        first_seen=START, last_seen=START, state=state, since=START + since * HOUR, number=1, **fields,
    )  # fmt: skip


@pytest.mark.parametrize(
    "state", ["confirmed", "notified", "accepted", "refused", "unanswered", "still_up", "back"]
)
def test_case_is_removed_or_partly_removed_by_its_addresses(state):
    assert outcome_of(case(state), [GONE, GONE]) == "removed"
    assert outcome_of(case(state), [GONE, UP]) == "partly_removed"
    for other in (OUT, replace(OUT, state="restricted"), replace(OUT, state="waiting")):
        assert outcome_of(case(state), [GONE, other]) == "partly_removed"  # it may be there
    assert outcome_of(case(state), []) is None


def test_removed_case_stays_removed_without_an_up_look():
    assert outcome_of(case("removed"), [GONE, GONE]) is None
    assert outcome_of(case("removed"), [GONE, OUT]) is None
    assert outcome_of(case("partly_removed"), [GONE, UP]) is None
    assert outcome_of(case("partly_removed"), [GONE, GONE]) == "removed"


def test_case_is_back_when_a_removed_copy_is_up():
    assert outcome_of(case("removed"), [BACK, GONE]) == "back"
    assert outcome_of(case("removed"), [UP, GONE]) == "back"  # a new copy
    assert outcome_of(case("removed"), [replace(UP, state="moved"), GONE]) == "back"
    assert outcome_of(case("partly_removed"), [BACK, GONE]) == "back"
    assert outcome_of(case("partly_removed", since=9), [BACK, GONE]) is None  # it was so before


@pytest.mark.parametrize("state", ["notified", "accepted", "refused", "unanswered", "still_up"])
def test_earlier_removal_is_not_reported_twice(state):
    again = case(state, since=7)  # a further notice for what is left
    assert outcome_of(again, [GONE, UP]) is None
    assert outcome_of(again, [GONE, GONE]) == "removed"
    assert outcome_of(again, [BACK, UP]) == "back"
    later = START + 8 * HOUR
    expected = None if state == "still_up" else "still_up"
    assert outcome_of(again, [GONE, UP], deadline=later) == expected


def test_only_a_new_removal_is_reported_after_a_return():
    assert outcome_of(case("back", since=8), [BACK, GONE]) is None
    again = replace(GONE, confirmed=START + 10 * HOUR)
    assert outcome_of(case("back", since=8), [BACK, again]) == "partly_removed"


@pytest.mark.parametrize("state", ["notified", "accepted", "refused", "unanswered"])
def test_copy_that_is_up_after_the_deadline_makes_the_case_still_up(state):
    late, early = START + 10 * HOUR, START + 8 * HOUR
    assert outcome_of(case(state), [UP, OUT], deadline=early) == "still_up"
    assert outcome_of(case(state), [UP, OUT], deadline=late) is None
    assert outcome_of(case(state), [OUT, OUT], deadline=early) is None
    assert outcome_of(case("confirmed"), [UP, UP], deadline=early) is None
    assert outcome_of(case("still_up"), [UP, UP], deadline=early) is None
