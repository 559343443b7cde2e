"""Pages."""

from datetime import datetime
from typing import Self

from pydantic import Field

from analysis.api.models.common import Answer, Claimed, fields_of
from analysis.api.models.matches import MatchAnswer, PlaceAnswer, PostAnswer
from storage.records import Page, PageKind, PageStanding, PageState, UnreadReason, Verdict


class PageAnswer(Answer):
    """A page in one version of its text."""

    id: str
    url: str
    host: str
    site: str
    source: str
    kind: PageKind
    title: str
    author: str | None
    published: Claimed
    first_seen: datetime
    last_seen: datetime
    scan_id: str
    standing: PageStanding
    state: PageState
    reason: str
    verdict: Verdict | None
    coverage: float
    copied_chars: int
    low_confidence: bool
    rest_verdict: Verdict | None = Field(description="the gravest verdict on a match outside the article")
    is_doubtful: bool = Field(description="the verdict rests on text outside the article alone")
    unread: dict[UnreadReason, int] = Field(
        description="what could not be compared: reason → characters, or a number of frames, scripts …"
    )


class PageWithText(PageAnswer):
    """A page with its text, and the matches on it that may be seen."""

    text: str = Field(description="of the article")
    rest: str = Field(description="all other Chinese text of the page, compared too")
    rest_pieces: list[PlaceAnswer] = Field(description="where each piece of the rest is from")
    posts: list[PostAnswer] = Field(description="of a thread, in reading order")
    matches: list[MatchAnswer]

    @classmethod
    def of(cls, page: Page, matches: list[MatchAnswer]) -> Self:
        """Return the answer for a page."""
        return cls.model_validate({**fields_of(cls, page), "matches": matches})
