"""Priority, deadlines, who was first, and the one table of moves: pure rules."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support.matches import match_with

from analysis.cases.deadlines import deadline_of, is_overdue
from analysis.cases.priority import priority_of
from analysis.cases.publication_order import publication_order
from analysis.words.labels import CASE_STATES as LABELS
from analysis.words.labels import CLOSED_BECAUSE, EVENTS, PRIORITIES
from storage.records import (
    CASE_STATES,
    EVENT_KINDS,
    MOVES,
    Addition,
    Case,
    Event,
    Work,
    apply_event,
    claim,
    derived_state,
)
from storage.settings.results import AnalysisSettings
from tracker.judgement import case_states

NOW = datetime(2026, 3, 10, tzinfo=UTC)
CASE = Case(
    id="1@a.cn",
    work_id=1,
    work_title="书",
    site="a.cn",
    verdict="copy",
    pages=1,
    passages=1,
    copied_chars=999,
    first_seen=NOW,
    last_seen=NOW,
    since=NOW,
    number=1,
    moves=1,
)
WORK = Work(id=1, key="书", title="书", kind="novel", origin="书.txt", characters=1998, published=claim(NOW))
SETTINGS = AnalysisSettings()


def test_every_state_has_moves_a_label_and_a_way_to_be_closed():
    assert MOVES.keys() == set(CASE_STATES) == LABELS.keys()
    assert all("closed" in MOVES[state] for state in CASE_STATES if state != "closed")
    assert set().union(*MOVES.values()) == set(CASE_STATES)
    assert [state for state in CASE_STATES if state in MOVES[state]] == ["notified"]
    no_return = {"new", "confirmed", "dismissed", "back"}
    assert {state for state in CASE_STATES if "back" not in MOVES[state]} == no_return


def test_every_event_and_every_automatic_reason_has_a_label():
    assert set(EVENT_KINDS) <= EVENTS.keys()
    reasons = {case_states.NO_MATCHES, case_states.NOT_PROTECTED, case_states.JOINED}
    assert reasons == CLOSED_BECAUSE.keys()


@pytest.mark.parametrize(
    ("reviews", "state"),
    [
        (["", ""], "new"),
        (["", "confirmed"], "new"),
        (["confirmed", "dismissed", "doubtful"], "confirmed"),
        (["doubtful", "dismissed"], "new"),
        (["dismissed"], "dismissed"),
        ([], "new"),
    ],
)
def test_state_of_a_case_follows_from_its_reviews(reviews, state):
    assert derived_state(reviews) == state


def test_move_clears_reason_and_deadline_of_the_previous_state():
    closed = Event(id="", case=1, kind="closed", at=NOW, by="林", after="closed", detail={"reason": "和解"})
    case = apply_event(replace(CASE, deadline=NOW), closed)
    assert (case.state, case.reason, case.deadline, case.moves) == ("closed", "和解", None, 2)
    case = apply_event(
        case, Event(id="", case=1, kind="assigned", at=NOW, by="林", detail={"assignee": "陈"})
    )
    assert (case.state, case.reason, case.assignee, case.moves) == ("closed", "和解", "陈", 3)
    later = NOW + timedelta(days=1)
    with_deadline = {"deadline": later.isoformat()}
    case = apply_event(
        case, Event(id="", case=1, kind="notified", at=later, by="林", after="notified", detail=with_deadline)
    )
    assert (case.reason, case.deadline, case.since) == ("", later, later)
    detail = {"deadline": ""}
    assert (
        apply_event(case, Event(id="", case=1, kind="deadline", at=NOW, by="林", detail=detail)).deadline
        is None
    )


@pytest.mark.parametrize(
    ("state", "days"),
    [
        ("new", 7),
        ("confirmed", 3),
        ("back", 3),
        ("notified", 7),
        ("refused", 7),
        ("removed", None),
        ("closed", None),
    ],
)
def test_state_may_last_as_long_as_the_settings_say(state, days):
    expected = None if days is None else NOW + timedelta(days=days)
    assert deadline_of(replace(CASE, state=state), SETTINGS) == expected


def test_licensed_case_has_no_decision_deadline():
    allowed = replace(CASE, verdict="licensed", state="new")
    assert deadline_of(replace(allowed, verdict="quote"), SETTINGS)
    assert deadline_of(allowed, SETTINGS) is None
    assert deadline_of(replace(allowed, deadline=NOW), SETTINGS) == NOW


def test_manual_deadline_overrides_the_settings():
    case = replace(CASE, deadline=NOW + timedelta(days=30))
    assert deadline_of(case, SETTINGS) == case.deadline
    assert not is_overdue(case, SETTINGS, now=NOW + timedelta(days=30))
    assert is_overdue(case, SETTINGS, now=NOW + timedelta(days=30, seconds=1))
    without = AnalysisSettings.model_validate({"cases": {"decision_days": 0}})
    assert not is_overdue(CASE, without, now=NOW + timedelta(days=999))


def points(case=CASE, work=WORK, other_cases=0, rank=None):
    priority = priority_of(case, work, other_cases=other_cases, rank=rank)
    return {factor.reason: factor.points for factor in priority.parts} | {"all": priority.points}


def test_priority_gives_the_points_of_every_factor():
    assert points() == {
        "copied_chars": 24,
        "share": 10,
        "lag_days": 20,
        "other_cases": 0,
        "traffic_rank": 0,
        "all": 54,
    }
    assert PRIORITIES.keys() == points().keys() - {"all"}


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 20), (1, 20), (2, 15), (7, 15), (30, 10), (365, 5), (366, 0), (-1, 0)]
)
def test_early_copy_is_more_urgent(days, expected):
    assert points(replace(CASE, first_seen=NOW + timedelta(days=days)))["lag_days"] == expected


@pytest.mark.parametrize(("rank", "expected"), [(1, 20), (1_001, 15), (100_000, 10), (1_000_001, 0)])
def test_busy_site_is_more_urgent(rank, expected):
    assert points(rank=rank)["traffic_rank"] == expected


def test_other_cases_on_a_site_raise_the_priority():
    assert points(other_cases=2)["other_cases"] == 10
    assert points(other_cases=99)["other_cases"] == 20


def test_copy_of_a_new_chapter_of_an_old_serial_is_urgent():
    old = replace(WORK, published=claim(NOW - timedelta(days=2000)))
    serial = replace(old, additions=(Addition(first_id=900, at=NOW - timedelta(hours=9)),))
    case = replace(CASE, newest_passage=901, newest_seen=NOW)

    def lag(work, case):
        parts = priority_of(case, work, other_cases=0).parts
        return next((factor.value, factor.points) for factor in parts if factor.reason == "lag_days")

    assert lag(old, case) == (2000, 0)
    assert lag(serial, case) == (0, 20)
    assert lag(serial, replace(case, newest_passage=899)) == (2000, 0)
    # A chapter that was loaded after its copy was seen dates nothing.
    assert lag(serial, replace(case, newest_seen=NOW - timedelta(days=1))) == (1999, 0)


def test_unknown_factor_gets_no_points():
    priority = priority_of(CASE, None, other_cases=0)
    assert [factor.value for factor in priority.parts] == [999, None, None, 0, None]
    assert priority.points == 24


def test_publication_order_uses_dates_and_first_sights():
    early, late = claim(NOW - timedelta(days=9)), claim(NOW)
    matches = [
        match_with(id="a", number=1, url="u1", first_seen=NOW, page_published=late),
        match_with(
            id="b",
            number=2,
            url="u2",
            first_seen=NOW + timedelta(days=1),
            page_published=early,
            page_older=True,
            page_older_by="claimed-date",
        ),
    ]
    first = publication_order(matches, WORK)
    assert (first.claimed, first.claimed_url, first.first_seen) == (early, "u2", NOW)
    assert (first.work, first.proof, first.older) == (WORK.published, "书.txt", (("m2", "claimed-date"),))
    assert publication_order([], None).work is None
