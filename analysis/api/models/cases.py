"""Response models for cases and their events."""

from datetime import datetime
from typing import Self

from analysis.api.models.common import Answer
from analysis.api.models.described import answer_of, answer_values
from analysis.cases.views import CaseView
from analysis.fields.case_row import row_of
from analysis.fields.cases import API_FIELDS
from storage.records import EventKind

_COUNTS = {"reviews": dict[str, int], "looks": dict[str, int]}


class CaseAnswer(answer_of(API_FIELDS, **_COUNTS)):  # type: ignore[misc] # of fields
    """A case: all matches of one work on one site, with its state, priority and deadline."""

    @classmethod
    def of(cls, view: CaseView) -> Self:
        """Return the answer for a case."""
        answer: Self = cls.model_validate(answer_values(API_FIELDS, row_of(view)))
        return answer


class EventAnswer(Answer):
    """An event: something that a user did, or that pindna observed."""

    id: str
    kind: EventKind
    at: datetime
    by: str
    because: str
    subject: str
    before: str
    after: str
    detail: dict[str, str]
