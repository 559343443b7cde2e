"""Cases: all matches of one work on one site, and what people make of them.

What a case comes to (verdict, pages, characters) is derived from its matches and may be counted anew at any
time. What people do with it (its state, who works on it, until when) is the sum of its events: each bears the
next number of the case, so of two that are made at once one is refused, and an event that was stored before
its case was changed is applied by whoever comes next.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

from storage.records.case_states import CaseState
from storage.records.events import Event
from storage.records.looks import LookState
from storage.records.matches import Match, ReviewState
from storage.records.rest import MatchPart
from storage.records.verdicts import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All matches of one work on one site: what a takedown notice is about.

    Attributes:
        pages: addresses with a match that counts; 0 when nothing is found any more.
        page_share: the largest share of a page's text that is copied, 0 to 1.
        work_share: the share of the work's text that is copied, 0 to 1.
        reviews: how many of the matches are open (``""``), confirmed, dismissed, doubtful.
        waiting: how many of the open ones wait for a decision: what a licence permits needs none.
        state: what became of it; see :data:`MOVES`.
        since: when that state began.
        reason: why it is closed: words of a person, or a code of ours (:mod:`tracker.judgement.cases`).
        assignee: who works on it; empty: nobody.
        deadline: until when something must be done, where a person said so for this state.
        moves: how many events have changed state, assignee or deadline.
        looks: how many of its pages the last look at each saw ``up``, ``gone`` …; see
            :class:`storage.records.Look`.
        checked: the last look at any of them; None before the first one.
        absent_since: since when all of them are gone; None while one is not.
        newest_passage: of the passages that are copied, the one that was stored last; 0: not known yet.
        newest_seen: the first sight of a copy of it.
        number: its short name: the ``7`` of ``c7``; 0 until it is stored.
    """

    id: str
    work_id: int
    work_title: str
    site: str
    verdict: Verdict
    pages: int
    passages: int
    copied_chars: int
    first_seen: datetime
    last_seen: datetime
    page_share: float = 0.0
    work_share: float = 0.0
    reviews: dict[ReviewState, int] = field(default_factory=dict)
    waiting: int = 0
    state: CaseState = "new"
    since: datetime | None = None
    reason: str = ""
    assignee: str = ""
    deadline: datetime | None = None
    moves: int = 0
    number: int = 0
    looks: dict[LookState, int] = field(default_factory=dict)
    checked: datetime | None = None
    absent_since: datetime | None = None
    newest_passage: int = 0
    newest_seen: datetime | None = None

    @property
    def name(self) -> str:
        """The name that people type: ``c7``; the id of a case that has no number."""
        return f"c{self.number}" if self.number else self.id


def apply_event(case: Case, event: Event) -> Case:
    """Return a case as its next event leaves it.

    Args:
        case: before the event.
        event: of the number ``case.moves + 1``. A new state ends reason and deadline of the one before.
            In its detail stand ``reason``, ``assignee`` and ``deadline`` (ISO 8601, or empty), where it
            sets them.
    """
    detail = event.detail
    changed = replace(case, moves=case.moves + 1, assignee=detail.get("assignee", case.assignee))
    if event.after:
        reason = detail.get("reason", "")
        changed = replace(changed, state=event.after, since=event.at, reason=reason, deadline=None)
    if "deadline" in detail:
        day = detail["deadline"]
        changed = replace(changed, deadline=datetime.fromisoformat(day) if day else None)
    return changed


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSummary:
    """What a case needs to know of one of its matches; a hundredth of the match where it has many stretches.

    Attributes:
        stretches: of the passage, half-open, as far as they count: starts and ends in turn, packed.
        joined: its case has an event of it, or needs none.
        confirmed_in_part: one of its stretches is confirmed, whatever the others are.
        part: the text of the page that it is in.
    """

    id: str
    name: str
    page_id: str
    passage_id: int
    url: str
    work_title: str
    verdict: Verdict
    review: ReviewState
    copied_chars: int
    coverage: float
    stretches: "array[int]"
    first_seen: datetime
    last_seen: datetime
    joined: bool = True
    confirmed_in_part: bool = False
    part: MatchPart = "article"


def pack_stretches(stretches: Iterable[tuple[int, int]]) -> "array[int]":
    """Return stretches as :class:`MatchSummary` holds them: 8 bytes each."""
    return array("i", chain.from_iterable(stretches))


def summary_of(match: Match) -> MatchSummary:
    """Return what a case needs to know of a match."""
    return MatchSummary(
        id=match.id,
        name=match.name,
        page_id=match.page_id,
        passage_id=match.passage_id,
        url=match.url,
        work_title=match.work_title,
        verdict=match.verdict,
        review=match.review,
        copied_chars=match.copied_chars,
        coverage=match.coverage,
        stretches=pack_stretches((span.passage_start, span.passage_end) for span in match.spans),
        first_seen=match.first_seen,
        last_seen=match.last_seen,
        joined=match.joined,
        confirmed_in_part=any(decided.state == "confirmed" for decided in match.decided),
        part=match.part,
    )
