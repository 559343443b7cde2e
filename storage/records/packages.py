"""Evidence packages in the installation's folder."""

from dataclasses import dataclass, field
from datetime import datetime

from storage.records.times import utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPackage:
    """An evidence package in the installation's folder.

    Attributes:
        number: the package number; the key.
        path: of the file.
        sha256, bytes: of the file.
        by: the account that created it.
        excerpts: the package is for outsiders and contains only the copied stretches of the works.
        cases: numbers of its cases.
        works: ids of its works; an account that may see all of them may download the package.
        matches: number of matches.
        problems: number of missing parts.
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
