"""Pages."""

from datetime import datetime
from typing import Self

from pydantic import Field

from analysis.api.models.common import Answer, Claimed, fields_of
from analysis.api.models.matches import MatchAnswer, PostAnswer
from storage.records import Page, PageKind, PageStanding, PageState, Verdict


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


class PageWithText(PageAnswer):
    """A page with its text, and the matches on it that may be seen."""

    text: str
    posts: list[PostAnswer] = Field(description="of a thread, in reading order")
    matches: list[MatchAnswer]

    @classmethod
    def of(cls, page: Page, matches: list[MatchAnswer]) -> Self:
        """Return what is told of a page."""
        return cls.model_validate({**fields_of(cls, page), "matches": matches})
