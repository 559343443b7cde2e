"""Response models for notices."""

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field

from analysis.api.models.common import Answer, fields_of
from analysis.notices.forms import PlatformForm
from analysis.notices.making import MadeNotices, NoticePreview
from storage.records import Notice, NoticeKind, NoticeState, Outcome


class AddresseeAnswer(Answer):
    """The recipient of a notice."""

    role: str
    site: str
    name: str
    address: str
    email: str


class NoticeCaseAnswer(Answer):
    """A case in a notice. ``reminds`` is the earlier notice that a reminder refers to."""

    name: str
    work_title: str
    urls: list[str]
    reminds: str


class NoticeAnswer(Answer):
    """A notice. ``case`` and ``work_title`` are those of its first case."""

    name: str
    case: str
    cases: list[NoticeCaseAnswer]
    letter: int
    letters: int
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
        first = notice.cases[0]
        fields = {**fields_of(cls, notice), "case": first.name, "work_title": first.work_title}
        return cls.model_validate(fields)


class FormAnswer(BaseModel):
    """A form of a platform."""

    name: str
    title: dict[str, str]
    sheet: str
    batch: int

    @classmethod
    def of(cls, form: PlatformForm) -> Self:
        """Return the answer for a form."""
        return cls(
            name=form.name,
            title={language: form.title_in(language) for language in form.title},
            sheet=form.sheet,
            batch=form.batch,
        )


class LetterFacts(BaseModel):
    """What is missing in a letter, and what it leaves out."""

    missing: list[str] = Field(description="codes of the missing facts, which a draft marks")
    missing_of_works: dict[str, list[str]] = Field(
        description="titles of the works that lack a fact, by its code, if the letter is about several"
    )
    left_out: int = Field(description="addresses that were gone at the last look and are not named")
    waiting: list[str] = Field(
        description="cases of the site that are left out because they wait for the reply to a letter"
    )


class MadeNotice(LetterFacts):
    """The notices that were made: one, or several if there are too many addresses for one."""

    notice: NoticeAnswer
    notices: list[NoticeAnswer]

    @classmethod
    def of(cls, made: MadeNotices) -> Self:
        """Return the answer for notices that were made together."""
        notices = [NoticeAnswer.of(notice) for notice in made.notices]
        return cls(notice=notices[0], notices=notices, **_letter_facts(made))


class Preview(LetterFacts):
    """The preview of a letter: the first one, if there are too many addresses for one."""

    title: str
    text: str
    works: list[str]
    addresses: int

    @classmethod
    def of(cls, preview: NoticePreview) -> Self:
        """Return the answer for a preview."""
        letter = preview.letter
        return cls(
            title=letter.title,
            text=letter.text(),
            works=list(preview.works),
            addresses=preview.addresses,
            **_letter_facts(preview),
        )


def _letter_facts(letter: MadeNotices | NoticePreview) -> dict[str, Any]:
    return {
        "missing": list(letter.missing),
        "missing_of_works": {code: list(titles) for code, titles in letter.titles.items()},
        "left_out": letter.left_out,
        "waiting": list(letter.waiting),
    }
