"""Cases: all matches of one work on one site, and what people do about them.

Verdict, pages and characters of a case are derived from its matches and can be recomputed at any time. State,
assignee and deadline follow from the events of the case. Each event has the next number of the case, so one
of two simultaneous events is refused. If a process ends after it stores an event, the next process applies
the event to the case.
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
    """All matches of one work on one site: the subject of a takedown notice.

    Attributes:
        pages: addresses with a match that counts; 0 when no match is left.
        page_share: the largest share of a page's text that is copied, 0 to 1.
        work_share: the share of the work's text that is copied, 0 to 1.
        reviews: how many of the matches are open (``""``), confirmed, dismissed, doubtful.
        waiting: how many open matches need a decision. Licensed matches need none.
        state: the present state; see :data:`MOVES`.
        since: when that state began.
        reason: why it is closed: a person's text, or a code of :mod:`tracker.judgement.cases`.
        assignee: the account that works on it; empty: unassigned.
        deadline: the deadline that a person set for this state.
        moves: how many events have changed state, assignee or deadline.
        looks: how many pages are ``up``, ``gone`` … by their last look; see :class:`storage.records.Look`.
        checked: the last look at any page; None before the first look.
        absent_since: when the last page went; None while a page is up.
        newest_passage: id of the copied passage that was stored last; 0: not known yet.
        newest_seen: when a copy of that passage was first seen.
        charged_to: ids of the books that are charged with its text, if that is so for all its matches.
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
    charged_to: tuple[int, ...] = ()

    @property
    def also_contained(self) -> bool:
        """Whether other works are charged with all its text."""
        return bool(self.charged_to)

    @property
    def name(self) -> str:
        """The name that people type, such as ``c7``; a case without a number has its id as name."""
        return f"c{self.number}" if self.number else self.id


def apply_event(case: Case, event: Event) -> Case:
    """Apply the next event to a case; returns the changed case.

    Args:
        case: before the event.
        event: the event with the number ``case.moves + 1``. A new state clears the earlier reason and
            deadline. Its detail contains ``reason``, ``assignee`` and ``deadline`` (ISO 8601, or empty) if it
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
    """The fields of a match that its case needs to compute figures.

    For a match with many stretches the summary is a hundred times smaller than the match.

    Attributes:
        stretches: the stretches of the passage that count: alternating starts and ends (exclusive), packed.
        joined: the case has an event for the match, or needs none.
        confirmed_in_part: at least one stretch is confirmed.
        part: the text of the page that contains the match.
        charged_to: ids of the books that are charged with its text.
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
    charged_to: tuple[int, ...] = ()


def pack_stretches(stretches: Iterable[tuple[int, int]]) -> "array[int]":
    """Pack stretches for :class:`MatchSummary`, with 8 bytes for each stretch."""
    return array("i", chain.from_iterable(stretches))


def summary_of(match: Match) -> MatchSummary:
    """Return the fields of a match that its case needs."""
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
        charged_to=match.charged_to,
    )
