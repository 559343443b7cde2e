"""Response models for scans and their crawls."""

from datetime import datetime
from typing import Self

from pydantic import Field

from analysis.api.models.common import Answer, fields_of
from storage.records import CrawlState, Fault, Scan, ScanStatus, UnreadReason


class CrawlAnswer(Answer):
    """One source within a scan."""

    source: str
    state: CrawlState
    counts: dict[str, int]
    addresses: dict[str, int]
    end: str
    error: str
    fault: Fault
    started: datetime | None
    finished: datetime | None


class UnreadAnswer(Answer):
    """Compared pages with content that could not be compared."""

    pages: int
    amounts: dict[UnreadReason, int] = Field(
        description="reason → characters, or a number of frames, scripts …, over all these pages"
    )


class ScanAnswer(Answer):
    """A run of the daily job."""

    id: str
    trigger: str
    sources: list[str]
    started: datetime
    finished: datetime | None
    status: ScanStatus
    counts: dict[str, int]
    not_compared: dict[str, int]
    unread: UnreadAnswer = Field(description="pages that were compared, but not fully")
    left: dict[str, int]
    error: str


class ScanWithCrawls(ScanAnswer):
    """A scan with its crawls."""

    crawls: list[CrawlAnswer]

    @classmethod
    def of(cls, scan: Scan, crawls: list[CrawlAnswer]) -> Self:
        """Return the answer for a scan."""
        return cls.model_validate({**fields_of(cls, scan), "crawls": crawls})
