"""Packages of evidence that are kept for those who may fetch them."""

from dataclasses import dataclass, field
from datetime import datetime

from storage.records.times import utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPackage:
    """A package of evidence in the folder of the installation.

    Attributes:
        number: its name everywhere; the key.
        path: of the file.
        sha256, bytes: of the file.
        by: who made it.
        excerpts: it is for outsiders, with the stretches of the works that were found alone.
        cases: numbers of the cases that it is about.
        works: ids of the works that it is about; whoever may see all of them may have it.
        matches: how many it holds.
        problems: how much it lacks.
    """

    number: str
    path: str
    sha256: str
    bytes: int
    by: str
    excerpts: bool
    cases: tuple[int, ...]
    works: tuple[int, ...]
    matches: int
    problems: int = 0
    made: datetime = field(default_factory=utc_now)
