"""Reports that were made: only when, and about what."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRecord:
    """A report that a person received; the next one of its scope says what is new since.

    Attributes:
        id: see :func:`storage.collections.reports.report_id`.
        scope: of works and sites, as one string.
        form: the kind of file: a program that takes a table each hour leaves the readers of the HTML alone.
    """

    id: str
    scope: str
    form: str
    made: datetime
