"""Response models for pages."""

from typing import Self

from pydantic import Field

from analysis.api.models.common import fields_of
from analysis.api.models.described import answer_of
from analysis.api.models.matches import MatchAnswer, PlaceAnswer, PostAnswer
from analysis.fields.pages import API_FIELDS
from storage.records import Page, UnreadReason


class PageAnswer(answer_of(API_FIELDS, unread=dict[UnreadReason, int])):  # type: ignore[misc] # of fields
    """A page in one version of its text."""


class PageWithText(PageAnswer):
    """A page with its text, and its matches that the caller may see."""

    text: str = Field(description="of the article")
    rest: str = Field(description="all other Chinese text of the page, compared too")
    rest_pieces: list[PlaceAnswer] = Field(description="where each piece of the rest is from")
    posts: list[PostAnswer] = Field(description="of a thread, in reading order")
    matches: list[MatchAnswer]

    @classmethod
    def of(cls, page: Page, matches: list[MatchAnswer]) -> Self:
        """Return the answer for a page."""
        answer: Self = cls.model_validate({**fields_of(cls, page), "matches": matches})
        return answer
