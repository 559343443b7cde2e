"""Matches, their stretches and what was decided about them."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel, Field

from analysis.api.models.common import Answer, Claimed, fields_of
from analysis.queries.review import Dismissal
from storage.records import (
    DecisionState,
    LicenceState,
    Match,
    MatchPart,
    Precedence,
    RestReason,
    Verdict,
)
from tracker.review.versions import review_version


class SpanAnswer(Answer):
    """A stretch of a page that agrees with a stretch of a passage.

    Offsets count characters of the page's article, or of its rest, as the match's `part` says.
    """

    page_start: int
    page_end: int
    passage_start: int
    passage_end: int
    char_identity: float
    sound_identity: float
    disguises: list[str]


class PostAnswer(Answer):
    """A post of a thread, and where its text stands in the page's."""

    start: int
    end: int
    place: int
    author: str | None
    published: Claimed


class PlaceAnswer(Answer):
    """A piece of a page's text outside the article; offsets count in that text."""

    start: int
    end: int
    reason: RestReason
    place: str = Field(description="path of elements, such as `body > div.a`; may be empty")


class MatchAnswer(Answer):
    """A verified copy."""

    id: str
    name: str
    page_id: str
    passage_id: int
    work_id: int
    work_title: str
    edition: str
    passage_title: str
    site: str
    url: str
    page_title: str
    profile: str
    verdict: Verdict
    coverage: float
    passage_coverage: float
    copied_chars: int
    longest_span: int
    char_identity: float
    sound_identity: float
    disguises: list[str]
    part: MatchPart = Field(description="`rest`: outside the page's article; a person must check it")
    found_in: list[PlaceAnswer] = Field(description="of a match in the rest: where on the page it is")
    licence: LicenceState
    page_older: bool
    page_older_by: Precedence
    work_published: Claimed
    page_published: Claimed
    review: str = Field(description="open, confirmed, dismissed or doubtful")
    version: str = Field(description="of what was decided about it; see `seen` of a decision")
    because: str
    reviewed: datetime | None
    first_seen: datetime
    last_seen: datetime

    @classmethod
    def of(cls, match: Match) -> Self:
        """Return what is told of a match."""
        review = {"review": match.review or "open", "version": review_version(match)}
        return cls.model_validate({**fields_of(cls, match), **review})


class DecidedAnswer(Answer):
    """A decision about a stretch of a match's passage."""

    decision_id: str
    state: DecisionState
    start: int
    end: int
    because: str
    by: str
    made: datetime
    url: str


class DismissalAnswer(BaseModel):
    """A stretch that counts as no infringement on a site, and the names of the matches that this bears on."""

    id: str
    site: str
    work_id: int
    work_title: str
    passage_id: int
    passage_title: str
    start: int
    end: int
    because: str
    by: str
    made: datetime
    url: str
    matches: list[str]

    @classmethod
    def of(cls, dismissal: Dismissal) -> Self:
        """Return what is told of a dismissal."""
        names = {"matches": [match.name for match in dismissal.matches]}
        return cls.model_validate({**fields_of(cls, dismissal.decision), **names})


class MatchWithSpans(MatchAnswer):
    """A match with its stretches and what was decided about them."""

    spans: list[SpanAnswer]
    common: list[SpanAnswer]
    posts: list[PostAnswer] = Field(description="of a thread, those that hold most of what was copied")
    decided: list[DecidedAnswer]
