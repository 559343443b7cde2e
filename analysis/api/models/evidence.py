"""Response models for evidence packages and the evidence log."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel

from analysis.api.models.common import Answer, fields_of
from storage.records import KeptPackage


class PackageAnswer(Answer):
    """A package of evidence."""

    number: str
    sha256: str
    bytes: int
    excerpts: bool
    cases: list[str]
    works: list[int]
    matches: int
    problems: int
    made: datetime

    @classmethod
    def of(cls, package: KeptPackage) -> Self:
        """Return the answer for a package."""
        return cls.model_validate(
            {**fields_of(cls, package), "cases": [f"c{number}" for number in package.cases]}
        )


class LogAnswer(BaseModel):
    """The state of the evidence log. ``problem`` describes how it was altered; null if it was not."""

    log: str
    entries: int
    at: datetime | None
    unlogged: int
    last_root: datetime | None
    problem: str | None
