"""Cases and what happened to them."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel, Field

from analysis.api.models.common import Answer, fields_of
from analysis.cases.views import CaseView
from storage.records import CaseState, EventKind, Verdict


class CaseAnswer(BaseModel):
    """A work on a site, and what it calls for."""

    id: str
    name: str
    work_id: int
    work_title: str
    holder: str
    site: str
    verdict: Verdict
    state: CaseState
    since: datetime | None
    reason: str
    assignee: str
    deadline: datetime | None
    overdue: bool
    priority: int
    pages: int
    passages: int
    copied_chars: int
    page_share: float
    work_share: float
    reviews: dict[str, int]
    looks: dict[str, int]
    first_seen: datetime
    last_seen: datetime
    checked: datetime | None
    absent_since: datetime | None
    version: int = Field(description="grows with each move; see `seen` of a move")

    @classmethod
    def of(cls, view: CaseView) -> Self:
        """Return what is told of a case."""
        return cls.model_validate(
            {
                **fields_of(cls, view.case),
                "holder": view.holder,
                "deadline": view.deadline,
                "overdue": view.is_overdue,
                "priority": view.priority.points,
                "version": view.case.moves,
                "reviews": {review or "open": count for review, count in view.case.reviews.items()},
            }
        )


class EventAnswer(Answer):
    """Something that was done or seen."""

    id: str
    kind: EventKind
    at: datetime
    by: str
    because: str
    subject: str
    before: str
    after: str
    detail: dict[str, str]
