"""What people and programs are told: occasions, their deliveries to addressees, and the mailings of these."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.verdicts import Verdict
from system.messages import NO_MESSAGE, Message

# What there may be to tell. ``new-copy``: an address where a work was not found before.
OccasionKind = Literal[
    "new-copy",
    "case-reopened",
    "removed",
    "back",
    "deadline-near",
    "source-failing",
    "source-banned",
    "scan-failed",
    "coverage-fell",
    "index-unhealthy",
    "log-broken",
    "test",  # nothing happened: somebody tries whether an addressee is reached
]
OCCASION_KINDS: tuple[OccasionKind, ...] = get_args(OccasionKind)

# ``at-once``: when nobody is to be left in peace; the others in digests.
Cadence = Literal["at-once", "daily", "weekly"]
CADENCES: tuple[Cadence, ...] = get_args(Cadence)

MailingState = Literal["waiting", "sent", "failed"]
MAILING_STATES: tuple[MailingState, ...] = get_args(MailingState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Something to tell, once to each addressee.

    Attributes:
        id: natural key of what was found: the same finding has it in every later scan.
        at: when it came about.
        work_id, work, holder: the work that it is about, its title and its rights holder.
        site: the site that it is about.
        url: the address with the copy.
        verdict, copied_chars: of the match, or of the case.
        case, state: short name of the case, and its state.
        source, scan_id: what it is about, or where it was seen.
        deadline: of the case.
        message: the figures behind it, without text of pages.
    """

    id: str
    kind: OccasionKind
    at: datetime
    work_id: int | None = None
    work: str = ""
    holder: str = ""
    site: str = ""
    url: str = ""
    verdict: Verdict | Literal[""] = ""
    copied_chars: int = 0
    case: str = ""
    state: str = ""
    source: str = ""
    scan_id: str = ""
    deadline: datetime | None = None
    message: Message = NO_MESSAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An occasion on its way to one addressee; its row stays for ever, so that it is told once.

    Attributes:
        id: occasion and addressee, see :func:`storage.collections.outbox.delivery_id`.
        due: when it may be told.
        mailing: that carries it; empty while it waits to be packed.
    """

    id: str
    addressee: str
    cadence: Cadence
    due: datetime
    occasion: Occasion
    mailing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailing:
    """One message to one addressee, sent until it is through or its time is up.

    Attributes:
        id: from what it carries; a repeat has the same.
        deliveries: the ids of what it carries; they never change.
        packed: all of them know it.
        since: since when it has been tried; then, or when a person had it tried again.
        due: when it is tried next; while one sends it: when another one may.
        token: of who sends it.
        attempts: how often it was begun.
        error: why the last attempt failed, without secrets.
        answer: what came back when it was through.
    """

    id: str
    addressee: str
    cadence: Cadence
    deliveries: tuple[str, ...]
    made: datetime
    since: datetime
    due: datetime
    packed: bool = False
    state: MailingState = "waiting"
    token: str = ""
    attempts: int = 0
    error: Message = NO_MESSAGE
    answer: str = ""
    sent: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A state of the installation that somebody must mend, from when it was first seen until it is over.

    Attributes:
        id: its kind.
    """

    id: str
    since: datetime
    message: Message = NO_MESSAGE


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers that were given out and not seen yet, from ``first`` to ``last``."""

    first: int
    last: int
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberMark:
    """How far numbered records were read: all up to ``reached`` but those in the gaps.

    Attributes:
        id: of what was read.
    """

    id: str

    reached: int
    gaps: tuple[Gap, ...] = field(default_factory=tuple)
