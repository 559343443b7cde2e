"""Response models for works and their passages."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel

from analysis.actions.loading import FileOutcome, FileResult
from analysis.api.models.common import Answer
from analysis.api.models.described import answer_of, answer_values
from analysis.fields.works import API_FIELDS
from analysis.queries.loads import Load
from analysis.words.i18n import Translator
from storage.records import Work


class LicenceAnswer(Answer):
    """A site's permission to publish a work."""

    site: str
    since: datetime | None
    until: datetime | None
    attribution: bool
    share: float | None


class WorkAnswer(answer_of(API_FIELDS, licences=list[LicenceAnswer])):  # type: ignore[misc] # of fields
    """A work."""

    @classmethod
    def of(cls, work: Work) -> Self:
        """Return the answer for a work."""
        answer: Self = cls.model_validate(answer_values(API_FIELDS, work))
        return answer


class PassageHeadAnswer(Answer):
    """A passage without its text."""

    id: int
    work_id: int
    ordinal: int
    title: str
    sha256: str


class PassageAnswer(PassageHeadAnswer):
    """A passage."""

    text: str


class Passages(BaseModel):
    """Passages of a work in reading order. ``total`` is the number of all its passages."""

    items: list[PassageHeadAnswer]
    total: int


class LoadedWork(BaseModel):
    """The result for one work of a file, or for a part of the file that could not be used.

    `refused` and `remark` have a `problem` for readers and a `reason` for programs. `remark` means that the
    rest of the file was used. A work that is `alike` was not loaded: `id` and `title` belong to the work that
    already has its text, `key` and `own_title` to the work in the file. `files` is the number of files that
    the work was made of.
    """

    outcome: FileOutcome
    id: int | None
    title: str
    problem: str
    reason: str
    key: str = ""
    own_title: str = ""
    files: int = 1

    @classmethod
    def of(cls, result: FileResult, texts: Translator) -> Self:
        """Return the answer for a result, in the caller's language."""
        work, problem = result.work, result.problem
        return cls(
            outcome=result.outcome,
            id=work.id if work else None,
            title=work.title if work else "",
            problem=texts.error(problem) if problem else "",
            reason=problem.reason if problem else "",
            key=result.alike.work.key if result.alike else "",
            own_title=result.alike.work.title if result.alike else "",
            files=result.files,
        )


class Loaded(BaseModel):
    """The results for all works of a file."""

    items: list[LoadedWork]


class LoadAnswer(BaseModel):
    """The works of one upload or one command that are still there.

    `works` are new works that contain no other texts; undoing the load removes them. New works that now
    contain other texts too are `kept`. Older works that the load changed are `changed`.
    """

    id: str
    at: datetime
    by: str
    works: list[int]
    kept: list[int]
    changed: list[int]

    @classmethod
    def of(cls, load: Load) -> Self:
        """Return the answer for a load."""
        works, kept, changed = (
            [work.id for work in group] for group in (load.works, load.kept, load.changed)
        )
        return cls(id=load.id, at=load.at, by=load.by, works=works, kept=kept, changed=changed)


class Loads(BaseModel):
    """The last loads, newest first."""

    items: list[LoadAnswer]


class RemovedWorks(BaseModel):
    """Works that were removed."""

    items: list[WorkAnswer]


class Unjudged(BaseModel):
    """The number of pages that wait for a verdict."""

    pages: int
