"""Response models for matches, their stretches and their decisions."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel, Field

from analysis.api.models.common import Answer, Claimed, fields_of
from analysis.api.models.described import answer_of, answer_values
from analysis.fields.match_row import MatchRow
from analysis.fields.matches import API_FIELDS
from analysis.queries.review import Dismissal
from storage.records import (
    DecisionState,
    Match,
    RestReason,
)


class SpanAnswer(Answer):
    """A stretch of a page that corresponds to a stretch of a passage.

    Offsets count characters of the page's article, or of its rest if the match's `part` is `rest`.
    """

    page_start: int
    page_end: int
    passage_start: int
    passage_end: int
    char_identity: float
    sound_identity: float
    disguises: list[str]


class PostAnswer(Answer):
    """A post of a thread, and the position of its text in the text of the page."""

    start: int
    end: int
    place: int
    author: str | None
    published: Claimed


class PlaceAnswer(Answer):
    """A piece of a page's text outside the article. Offsets refer to that text."""

    start: int
    end: int
    reason: RestReason
    place: str = Field(description="path of elements, such as `body > div.a`; may be empty")


class MatchAnswer(answer_of(API_FIELDS, found_in=list[PlaceAnswer])):  # type: ignore[misc] # of fields
    """A verified copy."""

    @classmethod
    def of(cls, match: Match) -> Self:
        """Return the answer for a match."""
        row = MatchRow(match=match)
        answer: Self = cls.model_validate({**fields_of(cls, match), **answer_values(API_FIELDS, row)})
        return answer


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
    """A dismissal: a stretch that is no infringement on a site, with the names of the affected matches."""

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
        """Return the answer for a dismissal."""
        names = {"matches": [match.name for match in dismissal.matches]}
        return cls.model_validate({**fields_of(cls, dismissal.decision), **names})


class MatchWithSpans(MatchAnswer):
    """A match with its stretches and the decisions about them."""

    spans: list[SpanAnswer]
    common: list[SpanAnswer]
    posts: list[PostAnswer] = Field(description="of a thread, those that hold most of what was copied")
    decided: list[DecidedAnswer]
