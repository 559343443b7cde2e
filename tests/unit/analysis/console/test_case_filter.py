"""What a list of cases is asked for in its address."""

from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.console.parts.case_filter import LEADS, UNASSIGNED, CaseListFilter, filter_of
from analysis.console.parts.filter_values import BadFilter
from analysis.queries.comparisons import BadComparison
from storage.collections.filters import FieldBound
from storage.records import CASE_STATES, VERDICTS

CHINA = timezone(timedelta(hours=8))
NAMES = [own.name for own in fields(CaseListFilter)]


def test_bounds_days_and_assignees_are_parsed():
    asked = filter_of(
        {
            "chars": ">70, <=9000",
            "pages": "2..5",
            "work_share": ">70",
            "page_share": "50%..0.9",
            "since": "2026-11-01",
            "until": "2026-11-02",
            "assignee": " 林 ",
            "verdict": LEADS,
            "overdue": "1",
            "cursor": "left out",
        }
    )
    wanted = asked.wanted(CHINA, work=7)
    assert wanted.chars == (FieldBound(">", 70.0), FieldBound("<=", 9000.0))
    assert wanted.pages == (FieldBound(">=", 2.0), FieldBound("<=", 5.0))
    assert wanted.work_share == (FieldBound(">", 0.7),)
    assert wanted.page_share == (FieldBound(">=", 0.5), FieldBound("<=", 0.9))
    assert wanted.since == datetime(2026, 10, 31, 16, tzinfo=UTC)
    assert wanted.until == datetime(2026, 11, 2, 16, tzinfo=UTC)  # the second day is part of it
    assert (wanted.work, wanted.assignee, wanted.leads, wanted.verdict) == (7, "林", True, None)
    assert wanted.overdue
    assert "cursor" not in asked.parameters()


def test_period_may_begin_at_a_moment_but_ends_with_a_day():
    moment = datetime(2026, 11, 23, 6, 5, tzinfo=UTC)
    assert CaseListFilter(since=moment.isoformat()).wanted(CHINA).since == moment
    for field, value in (("until", moment.isoformat()), ("since", "2026-11-23T06:05")):
        with pytest.raises(BadFilter):
            CaseListFilter(**{field: value}).wanted(CHINA)


def test_empty_filter_selects_everything_and_unassigned_is_separate():
    assert CaseListFilter().is_empty
    assert CaseListFilter().wanted(UTC).assignee is None
    assert CaseListFilter(assignee=UNASSIGNED).wanted(UTC).assignee == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("state", "gone"),
        ("verdict", "LEADS"),
        ("since", "2026-02-30"),
        ("since", "1. 2. 2026"),
        ("until", "9999-12-31"),
        ("until", "0001-01-01"),
        ("order", "oldest"),
        ("overdue", "yes"),
        ("site", "x" * 501),
    ],
)
def test_impossible_filter_is_reported(name, value):
    with pytest.raises(BadFilter) as told:
        CaseListFilter(**{name: value}).wanted(UTC)
    assert told.value.data["name"] == name


@pytest.mark.parametrize("text", ["> 70 characters", "70%", ">", "1..2..3", "70..", "１２x"])
def test_malformed_bound_is_reported(text):
    with pytest.raises(BadComparison):
        CaseListFilter(chars=text).wanted(UTC)


@given(
    st.dictionaries(
        st.sampled_from([*NAMES, "cursor", "__class__"]),
        st.text(max_size=40)
        | st.sampled_from([*CASE_STATES, *VERDICTS, "1", ">70", "2026-11-23", "newest", UNASSIGNED]),
    )
)
def test_any_address_is_understood_or_refused_in_words(given_fields):
    asked = filter_of(given_fields)
    assert filter_of({name: str(value) for name, value in asked.parameters().items()}) == asked
    try:
        wanted = asked.wanted(CHINA)
    except (BadFilter, BadComparison):
        return
    assert (wanted.state or "") == asked.state
    assert wanted.overdue == (asked.overdue == "1")
    assert all(own.value >= 0 for own in (*wanted.chars, *wanted.pages))


@given(st.integers(0, 10**11), st.sampled_from([">", ">=", "<", "<=", "="]))
def test_every_typed_bound_is_in_the_query(number, sign):
    assert CaseListFilter(chars=f" {sign} {number}").wanted(UTC).chars == (FieldBound(sign, float(number)),)
