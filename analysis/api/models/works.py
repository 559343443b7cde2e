"""Works and their passages."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel

from analysis.api.models.common import Answer, Claimed, fields_of
from storage.records import Work, WorkKind, WorkRole, WorkStatus


class LicenceAnswer(Answer):
    """A site's permission to publish a work."""

    site: str
    since: datetime | None
    until: datetime | None
    attribution: bool
    share: float | None


class WorkAnswer(Answer):
    """A work."""

    id: int
    title: str
    kind: WorkKind
    role: WorkRole
    status: WorkStatus
    author: str | None
    holder: str | None
    url: str | None
    published: Claimed
    language: str | None
    rights: str | None
    edition_of: int | None
    passages: int
    characters: int
    licences: list[LicenceAnswer]
    added: datetime
    updated: datetime

    @classmethod
    def of(cls, work: Work) -> Self:
        """Return what is told of a work."""
        counted = {"passages": len(work.passage_ids), "licences": work.permissions}
        return cls.model_validate({**fields_of(cls, work), **counted})


class PassageHeadAnswer(Answer):
    """A passage but for its text."""

    id: int
    work_id: int
    ordinal: int
    title: str
    sha256: str


class PassageAnswer(PassageHeadAnswer):
    """A passage."""

    text: str


class Passages(BaseModel):
    """Passages of a work in reading order; ``total`` is how many it has."""

    items: list[PassageHeadAnswer]
    total: int
