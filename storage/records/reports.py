"""Records about created reports; they contain only time and scope."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRecord:
    """A report that a person received. The next report of its scope shows what is new since then.

    Attributes:
        id: see :func:`storage.collections.reports.report_id`.
        scope: its works and sites, as one string.
        form: the file format. Each format is tracked separately, so hourly CSV exports do not affect HTML
            reports.
    """

    id: str
    scope: str
    form: str
    made: datetime
