"""Deadlines of cases: set by a user, else a number of days after the state began."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta, tzinfo

from storage.records import VERDICTS, Case, CaseState, Verdict, meaning_of
from storage.settings.results import AnalysisSettings

HARMLESS = frozenset[Verdict](verdict for verdict in VERDICTS if not meaning_of(verdict).is_taken)


def days_of_states(settings: AnalysisSettings) -> Mapping[CaseState, int]:
    """Return the number of days that each state may last; 0: unlimited."""
    case_settings = settings.cases
    return {
        "new": case_settings.decision_days,
        "confirmed": case_settings.notice_days,
        "dismissed": 0,
        "notified": settings.notices.reply_days,
        "accepted": case_settings.removal_days,
        "refused": case_settings.follow_up_days,
        "unanswered": case_settings.follow_up_days,
        "removed": 0,
        "partly_removed": case_settings.follow_up_days,
        "still_up": case_settings.follow_up_days,
        "back": case_settings.notice_days,
        "closed": 0,
    }


def deadline_of(case: Case, settings: AnalysisSettings) -> datetime | None:
    """Return the deadline of a case; None if no action is needed, as for licensed copies."""
    if case.deadline is not None:
        return case.deadline
    if case.state == "new" and case.verdict in HARMLESS:
        return None
    days = days_of_states(settings)[case.state]
    return (case.since or case.first_seen) + timedelta(days=days) if days else None


def is_overdue(case: Case, settings: AnalysisSettings, *, now: datetime) -> bool:
    """Return whether the deadline of a case has passed."""
    deadline = deadline_of(case, settings)
    return deadline is not None and deadline < now


def end_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the last second of a day: a deadline includes its day."""
    return datetime.combine(day, time(23, 59, 59), zone)
