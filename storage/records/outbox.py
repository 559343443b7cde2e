"""Alerts to people and programs: occasions, their deliveries, and the mailings that carry them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.verdicts import Verdict
from system.messages import NO_MESSAGE, Message

# Reasons for alerts. ``new-copy``: a copy of a work at an address where it was not found before.
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
    "test",  # a test message to an addressee
]
OCCASION_KINDS: tuple[OccasionKind, ...] = get_args(OccasionKind)

# When alerts are sent. ``at-once``: immediately, except in quiet hours; the other values are digests.
Cadence = Literal["at-once", "daily", "weekly"]
CADENCES: tuple[Cadence, ...] = get_args(Cadence)

MailingState = Literal["waiting", "sent", "failed"]
MAILING_STATES: tuple[MailingState, ...] = get_args(MailingState)


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """A reason for an alert, sent once to each addressee.

    Attributes:
        id: natural key of the finding; the same in every later scan.
        at: when it occurred.
        work_id, work, holder: the work, its title and its rights holder.
        site: the site.
        url: the address with the copy.
        verdict, copied_chars: of the match, or of the case.
        case, state: short name of the case, and its state.
        source, scan_id: the source, or the scan that saw it.
        deadline: of the case.
        message: the text with its figures, without page text.
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
    """An occasion for one addressee. Its row is kept permanently, so that it is sent only once.

    Attributes:
        id: occasion and addressee, see :func:`storage.collections.outbox.delivery_id`.
        due: the earliest time of sending.
        mailing: the mailing that carries it; empty: not packed yet.
    """

    id: str
    addressee: str
    cadence: Cadence
    due: datetime
    occasion: Occasion
    mailing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailing:
    """One message to one addressee, retried until it is sent or expires.

    Attributes:
        id: derived from its deliveries; a retry has the same id.
        deliveries: ids of its deliveries; they never change.
        packed: all deliveries refer to it.
        since: time of the first attempt, or of the last manual retry.
        due: time of the next attempt; during an attempt: when another process may try.
        token: of the sending process.
        attempts: number of attempts.
        error: why the last attempt failed, without secrets.
        answer: the receiver's answer to the successful attempt.
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
    """A problem of the installation that a person must fix, from its discovery until it is over.

    Attributes:
        id: the kind of the problem.
    """

    id: str
    since: datetime
    message: Message = NO_MESSAGE


@dataclass(frozen=True, slots=True)
class Gap:
    """A range of assigned numbers, from ``first`` to ``last``, whose records have not appeared yet."""

    first: int
    last: int
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberMark:
    """Which numbered records were read: all up to ``reached``, except the gaps.

    Attributes:
        id: the kind of record.
    """

    id: str

    reached: int
    gaps: tuple[Gap, ...] = field(default_factory=tuple)
