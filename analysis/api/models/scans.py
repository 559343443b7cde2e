"""Scans and their crawls."""

from datetime import datetime
from typing import Self

from analysis.api.models.common import Answer, fields_of
from storage.records import CrawlState, Fault, Scan, ScanStatus


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
    left: dict[str, int]
    error: str


class ScanWithCrawls(ScanAnswer):
    """A scan with its crawls."""

    crawls: list[CrawlAnswer]

    @classmethod
    def of(cls, scan: Scan, crawls: list[CrawlAnswer]) -> Self:
        """Return what is told of a scan."""
        return cls.model_validate({**fields_of(cls, scan), "crawls": crawls})
