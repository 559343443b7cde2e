"""Events of cases and matches: what happened, when, by whom and why. Stored once, never changed."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.case_states import CaseState
from storage.records.times import utc_now

# An event that changes the state of a case has the name of the new state, except ``reopened``. Labels:
# ``analysis.words.labels.EVENTS``.
EventKind = Literal[
    "carried-over",  # the case is older than the storage of events
    "opened",
    "joined",  # a new copy joined the case; the subject is the match
    "confirmed",
    "dismissed",
    "notified",
    "accepted",
    "refused",
    "unanswered",
    "removed",
    "partly_removed",
    "still_up",
    "back",
    "closed",
    "reopened",
    "assigned",
    "deadline",
    "noted",
    "replied",  # the site replied; if the state changes, another event follows
    "exported",  # an evidence package was made; the subject is its number
    "notice-made",
    "notice-sent",
    "notice-failed",
    "notice-uncertain",
    "notice-withdrawn",
    "match-confirmed",
    "match-dismissed",
    "match-doubtful",
    "match-reopened",
    # Kinds of events without a case: the audit log of the console and the API.
    "signed-in",
    "signed-out",
    "sign-in-refused",
    "account-added",
    "account-changed",
    "token-made",
    "token-revoked",
    "licence-granted",
    "source-saved",
    "source-removed",
    "work-added",
    "work-changed",
    "work-removed",
    "scan-started",
    "scan-stopped",
    "requested",  # any other action in the console or through the API; the detail names it
]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
SYSTEM = "pindna"  # the actor of automatic events


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event of a case, a match, an account or the installation.

    Attributes:
        id: natural key: storing the same event twice gives one event. ``c7#3`` is the third move of case c7.
        case: the number of the case, which stays when the id of a book changes; 0: no case.
        at: when it happened.
        by: who acted; :data:`SYSTEM` for results of a scan, a look or the calendar.
        because: the reason, as the person wrote it.
        subject: name of the match, notice or look.
        before, after: states of the case, for a move.
        detail: further fields.
        number: position among all events, assigned when stored. Numbers only grow; there may be gaps.
        stored: when it was stored.
    """

    id: str
    case: int
    kind: EventKind
    at: datetime
    by: str
    because: str = ""
    subject: str = ""
    before: CaseState | Literal[""] = ""
    after: CaseState | Literal[""] = ""
    detail: dict[str, str] = field(default_factory=dict)
    number: int = 0
    stored: datetime = field(default_factory=utc_now)
