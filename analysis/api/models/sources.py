"""Response models for sources and their health."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel

from analysis.api.models.common import Answer, fields_of
from analysis.queries.sources import SourceView, version_of
from crawler.download.private_allowlist import refused_urls
from storage.records import Rendering, SearchForm, Source, SourceKind


class AlertAnswer(Answer):
    """An alert of a source, which a person should look at."""

    kind: str
    detail: str
    since: datetime
    last: datetime


class SearchesAnswer(Answer):
    """The search engine of a source, its budget, its price for 1,000 searches, and its searches of today."""

    form: SearchForm
    engine: str
    file: str
    queries: int
    daily: int | None
    cost: float
    currency: str
    today: int = 0

    @classmethod
    def of(cls, view: SourceView) -> Self:
        """Return the answer for a source that searches."""
        return cls.model_validate(view.source.discovery).model_copy(update={"today": view.searches})


class SourceAnswer(BaseModel):
    """A source with its health."""

    name: str
    kind: SourceKind
    enabled: bool
    start_urls: list[str]
    sitemaps: list[str]
    feeds: list[str]
    interval_h: float
    hours: list[str]
    timezone: str
    max_pages: int
    obey_robots: bool
    render: Rendering
    crawls: int
    last_crawl: datetime | None
    last_success: datetime | None
    next_crawl: datetime | None
    paused_until: datetime | None
    pause_reason: str
    alerts: list[AlertAnswer]
    searches: SearchesAnswer | None

    @classmethod
    def of(cls, view: SourceView) -> Self:
        """Return the answer for a source."""
        both = {**fields_of(cls, view.health), **fields_of(cls, view.source), "next_crawl": view.next_crawl}
        searches = SearchesAnswer.of(view) if view.source.discovery is not None else None
        alerts = [AlertAnswer.model_validate(alert) for alert in view.alerts]
        return cls.model_validate({**both, "alerts": alerts, "searches": searches})


class DefinitionAnswer(BaseModel):
    """The definition of a source as in its TOML file. `version` changes whenever the definition changes."""

    version: str
    definition: dict[str, Any]


class SavedSource(BaseModel):
    """A saved source. The next change may send this `version`, so that it is refused if the source changed.

    No crawl requests the addresses in `refused`, because they are in inner networks and `crawler.allow_inner`
    does not contain them.
    """

    name: str
    version: str
    enabled: bool
    refused: list[str]

    @classmethod
    def of(cls, source: Source, allowed: Sequence[str]) -> Self:
        """Return the answer for a source. ``allowed`` lists the inner addresses that crawls may request."""
        refused = refused_urls(source, allowed)
        return cls(name=source.name, version=version_of(source), enabled=source.enabled, refused=refused)


class StepAnswer(Answer):
    """The result of one address in a trial of a source."""

    url: str
    asked: str
    status: int
    reason: str
    advice: str
    kind: str
    title: str
    characters: int
    confidence: float
    encoding: str
    parts: int
    rendered: bool
    texts: int
    lists: int
    first: list[str]
    robots: str
    author: str
    published: str
    text: str
    following: list[str]


class Trial(BaseModel):
    """The results of a trial of a source; `proposed_kind` if its pages show that its kind is wrong."""

    steps: list[StepAnswer]
    proposed_kind: SourceKind | None
