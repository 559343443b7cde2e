"""What the command line says of a case."""

from datetime import UTC, datetime, timedelta

from deploy.cli.case.case_view import assigned_line, event_cells
from storage.records import Case, Event

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def case(**given):
    fields = {"work_id": 1, "work_title": "青灯渡", "site": "a.example", "verdict": "copy", "state": "new"}
    figures = {"number": 3, "pages": 1, "passages": 1, "copied_chars": 9, "first_seen": NOW, "last_seen": NOW}
    return Case(id="1:a.example", **{**fields, **figures, **given})


def test_assigned_line_names_assignee_and_deadline():
    assert assigned_line(case(), now=NOW) == "c3: New · no assignee"
    late = case(assignee="林", deadline=NOW - timedelta(days=5))
    assert assigned_line(late, now=NOW) == "c3: New · 林 · overdue since 2026-10-27"


def test_history_shows_a_deadline_as_a_day():
    detail = {"deadline": "2026-12-31T15:59:59+00:00"}
    event = Event(id="", case=3, kind="deadline", at=NOW, by="林", detail=detail)
    assert event_cells(event)[2] == "2026-12-31"
    assert event_cells(Event(id="", case=3, kind="noted", at=NOW, by="林"))[2] == ""
