"""What happened to cases and matches: who did what, when and why. Stored once and never changed."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.case_states import CaseState
from storage.records.times import utc_now

# A move is called as the state that it leads to, but for ``reopened``.
# Labels: ``analysis.words.labels.EVENTS``.
EventKind = Literal[
    "carried-over",  # the case is from before events were kept
    "opened",
    "joined",  # a new copy; the subject is its match
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
    "replied",  # words of the site; the move that follows from them is an event of its own
    "exported",  # a package of evidence was made; the subject is its number
    "notice-made",
    "notice-sent",
    "notice-failed",
    "notice-uncertain",
    "notice-withdrawn",
    "match-confirmed",
    "match-dismissed",
    "match-doubtful",
    "match-reopened",
    # Of no case: the audit log of the console and the API.
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
    "requested",  # any other act in the console or through the API; its detail names it
]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
SYSTEM = "pindna"  # who does what nobody does by hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that was done or seen, and who says so.

    Attributes:
        id: natural key: the same event told again is one event. ``c7#3`` is the third move of case c7.
        case: the number of the case, which stays when a book gets another id; 0: of none.
        at: when it happened.
        by: who did it; :data:`SYSTEM` for what follows from a scan, a look or the calendar.
        because: why, in the words of who did it.
        subject: the name of the match, notice or look that it is about.
        before, after: states of the case, where it was moved.
        detail: what else is known of it.
        number: place among all events, given when it is stored; numbers only grow, and some may be missing.
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
