"""Until when something must be done about a case: a person's word, else some days after its state began."""

from datetime import datetime, timedelta

from storage.analysis_settings import CaseSettings
from storage.records import Case


def deadline_of(case: Case, settings: CaseSettings) -> datetime | None:
    """Return until when something must be done; None: nothing has to.

    Args:
        case: the case.
        settings: how many days each state may last; 0: for ever.
    """
    if case.deadline is not None:
        return case.deadline
    days = {
        "new": settings.decision_days,
        "confirmed": settings.notice_days,
        "back": settings.notice_days,
        "notified": settings.answer_days,
        "accepted": settings.removal_days,
        "refused": settings.follow_up_days,
        "unanswered": settings.follow_up_days,
        "still_up": settings.follow_up_days,
        "partly_removed": settings.follow_up_days,
    }.get(case.state, 0)
    began = case.since or case.first_seen
    return began + timedelta(days=days) if days else None


def is_overdue(case: Case, settings: CaseSettings, *, now: datetime) -> bool:
    """Return whether the deadline of a case is over."""
    deadline = deadline_of(case, settings)
    return deadline is not None and deadline < now
