"""Decisions of analysts: a stretch of a work on a site infringes or does not infringe."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

DecisionState = Literal["confirmed", "dismissed", "doubtful"]
DECISION_STATES: tuple[DecisionState, ...] = get_args(DecisionState)

# The review states as shown to users; records store ``open`` as an empty text.
ReviewName = Literal["open", DecisionState]
REVIEW_NAMES: tuple[ReviewName, ...] = get_args(ReviewName)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An analyst's decision whether a stretch of a passage infringes on a site, with the reason.

    The decision applies to every match of the stretch on the site, in any version of a page, including
    matches found later.

    Attributes:
        id: see :func:`storage.collections.decisions.decision_id`.
        passage_sha256: the version of the passage that ``start`` and ``end`` refer to. When the text of the
            work changes, :mod:`tracker.corpus.carrying` carries its decisions over.
        start, end: the stretch of the passage.
        because: the reason; required for a dismissal.
        by: who decided; empty: unknown.
        page_id: the reviewed version of the page; empty in records of earlier schemas.
        page_seen: when that version was first seen.
        work_title, passage_title, url: where the stretch was reviewed, for display.
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
    """A decision that applies to a match; ``start`` and ``end`` are offsets in the match's passage."""

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
    """Return the decisions that have the same result as the review of the match."""
    return [decision for decision in decided if decision.state == review]
