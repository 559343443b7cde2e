"""Response models for notices."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel, Field

from analysis.api.models.common import Answer, fields_of
from storage.records import Notice, NoticeKind, NoticeState, Outcome


class AddresseeAnswer(Answer):
    """The recipient of a notice."""

    role: str
    site: str
    name: str
    address: str
    email: str


class NoticeAnswer(Answer):
    """A notice."""

    name: str
    case: str
    state: NoticeState
    is_draft: bool
    kind: NoticeKind
    work_title: str
    site: str
    holder: str
    addressee: AddresseeAnswer
    subject: str
    text: str
    urls: list[str]
    evidence_number: str
    evidence_sha256: str
    made: datetime
    by: str
    sent: datetime | None
    receipt: str
    problem: str
    reply_due: datetime | None
    answered: datetime | None
    outcome: Outcome | None
    reply: str
    because: str

    @classmethod
    def of(cls, notice: Notice) -> Self:
        """Return the answer for a notice."""
        return cls.model_validate({**fields_of(cls, notice), "case": f"c{notice.case}"})


class MadeNotice(BaseModel):
    """A notice that was made. ``missing`` lists the codes of missing facts, which a draft marks."""

    notice: NoticeAnswer
    missing: list[str]
    left_out: int = Field(description="addresses that were gone at the last look and are not named")


class Preview(BaseModel):
    """The preview of a notice. ``missing`` lists the codes of missing facts."""

    title: str
    text: str
    missing: list[str]
