"""What analysts decide: a stretch of a work on a site is an infringement, or is none."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

DecisionState = Literal["confirmed", "dismissed", "doubtful"]
DECISION_STATES: tuple[DecisionState, ...] = get_args(DecisionState)

# What people see of a review; a record has an empty text for ``open``.
ReviewName = Literal["open", DecisionState]
REVIEW_NAMES: tuple[ReviewName, ...] = get_args(ReviewName)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An analyst's “infringing” or “not infringing, because …” for a stretch of a passage on a site.

    It belongs to no version of a page: every match of the stretch on the site has it, whenever it was found.

    Attributes:
        id: see :func:`storage.collections.decisions.decision_id`.
        passage_sha256: the version of the passage that ``start`` and ``end`` are about. When the work gets
            another text, its decisions are carried over (:mod:`tracker.corpus.carrying`).
        start, end: the stretch of the passage.
        because: a dismissal has a reason, a confirmation may have one.
        by: who decided; empty where no name was given.
        page_id: the version of the page that was looked at; empty in what earlier schemas stored.
        page_seen: when that version was first seen.
        work_title, passage_title, url: where the stretch was looked at, for people.
    """

    id: str
    state: DecisionState
    site: str
    work_id: int
    passage_id: int
    passage_sha256: str
    start: int
    end: int
    because: str = ""
    by: str = ""
    page_id: str = ""
    page_seen: datetime | None = None
    work_title: str = ""
    passage_title: str = ""
    url: str = ""
    made: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchDecision:
    """A decision as it bears on a match; ``start`` and ``end`` are the part of the match's passage."""

    decision_id: str
    state: DecisionState
    start: int
    end: int
    because: str
    by: str
    made: datetime
    page_id: str
    page_seen: datetime | None
    url: str


def decisive(decided: Iterable[MatchDecision], review: str) -> list[MatchDecision]:
    """Return the decisions that a review follows from: those that say the same."""
    return [decision for decision in decided if decision.state == review]
