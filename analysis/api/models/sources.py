"""Sources, and how they fare."""

from datetime import datetime
from typing import Self

from pydantic import BaseModel

from analysis.api.models.common import Answer, fields_of
from analysis.queries.sources import SourceView
from storage.records import SourceKind


class AlertAnswer(Answer):
    """Something about a source that a person should look at."""

    kind: str
    detail: str
    since: datetime
    last: datetime


class SourceAnswer(BaseModel):
    """A source, and how it fares."""

    name: str
    kind: SourceKind
    enabled: bool
    start_urls: list[str]
    sitemaps: list[str]
    feeds: list[str]
    interval_h: float
    max_pages: int
    obey_robots: bool
    render: bool
    crawls: int
    last_crawl: datetime | None
    last_success: datetime | None
    paused_until: datetime | None
    pause_reason: str
    alerts: list[AlertAnswer]

    @classmethod
    def of(cls, view: SourceView) -> Self:
        """Return what is told of a source."""
        both = {**fields_of(cls, view.health), **fields_of(cls, view.source)}
        return cls.model_validate(
            {**both, "alerts": [AlertAnswer.model_validate(alert) for alert in view.alerts]}
        )
