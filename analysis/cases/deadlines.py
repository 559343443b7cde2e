"""Until when something must be done about a case: a person's word, else some days after its state began."""

from datetime import datetime, timedelta

from storage.analysis_settings import AnalysisSettings
from storage.records import Case


def deadline_of(case: Case, settings: AnalysisSettings) -> datetime | None:
    """Return until when something must be done; None: nothing has to.

    Args:
        case: the case.
        settings: how many days each state may last; 0: for ever.
    """
    if case.deadline is not None:
        return case.deadline
    days = {
        "new": settings.cases.decision_days,
        "confirmed": settings.cases.notice_days,
        "back": settings.cases.notice_days,
        "notified": settings.notices.reply_days,
        "accepted": settings.cases.removal_days,
        "refused": settings.cases.follow_up_days,
        "unanswered": settings.cases.follow_up_days,
        "still_up": settings.cases.follow_up_days,
        "partly_removed": settings.cases.follow_up_days,
    }.get(case.state, 0)
    began = case.since or case.first_seen
    return began + timedelta(days=days) if days else None


def is_overdue(case: Case, settings: AnalysisSettings, *, now: datetime) -> bool:
    """Return whether the deadline of a case is over."""
    deadline = deadline_of(case, settings)
    return deadline is not None and deadline < now
