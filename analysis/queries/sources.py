"""Sources, their health, and the data learnt from their hosts."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol, TypeVar

from analysis.accounts.permissions import Identity
from analysis.queries.listing import DEFAULT_LIMIT, Listing, Request
from storage.collections.lists import SOURCES
from storage.collections.repeats import HostRepeats, Repeat
from storage.collections.stores import Stores
from storage.collections.templates import HostTemplate
from storage.records import Alert, Source, SourceHealth, utc_now
from storage.settings import TrackerSettings
from tracker.scans.hours import next_crawl

_VERSION_CHARS = 16
_HIDDEN = "***"  # a header of a search engine, for users who may not change the source
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source with its health and its alerts.

    Attributes:
        next_crawl: when the next scheduled scan is expected to crawl it; None: no scan will.
        opens: when it may be crawled next; the present time if it is open now.
        searches: its searches of today, in its time zone.
    """

    source: Source
    health: SourceHealth
    alerts: tuple[Alert, ...]
    next_crawl: datetime | None
    opens: datetime
    searches: int = 0


def list_sources(
    identity: Identity,
    stores: Stores,
    rules: TrackerSettings,
    *,
    cursor: str = "",
    limit: int = DEFAULT_LIMIT,
) -> Listing[SourceView]:
    """Return sources sorted by name. The rules contain the time of the daily scan.

    Raises:
        NotPermitted, BadCursor, BadLimit: the request is not allowed.
    """
    identity.require("sources:read")
    request = Request("sources", cursor, limit)
    batch = stores.lists.sources(after=request.place(SOURCES), limit=limit)
    return request.listing(_views(identity, stores, rules, batch.records), batch.end)


def get_source(identity: Identity, stores: Stores, rules: TrackerSettings, name: str) -> SourceView:
    """Return a source. The rules contain the time of the daily scan.

    Raises:
        NotPermitted: the user may not read sources.
        UnknownRecord: there is no source of that name.
    """
    identity.require("sources:read")
    (view,) = _views(identity, stores, rules, [stores.sources.get(name)])
    return view


def every_source(identity: Identity, stores: Stores, rules: TrackerSettings) -> list[SourceView]:
    """Return all sources sorted by name. The rules contain the time of the daily scan.

    Raises:
        NotPermitted: the user may not read sources.
    """
    identity.require("sources:read")
    return _views(identity, stores, rules, stores.sources.all())


def definition(identity: Identity, stores: Stores, name: str) -> tuple[dict[str, Any], str]:
    """Return the definition of a source as in its TOML file, and its version.

    Raises:
        NotPermitted: the user may not read sources.
        UnknownRecord: there is no source of that name.
    """
    from crawler.sources.definition import definition_of  # noqa: PLC0415 - Scrapy, which lists need not

    identity.require("sources:read")
    source = _shown(identity, stores.sources.get(name))
    return definition_of(source), version_of(source)


def version_of(source: Source) -> str:
    """Return a version that changes with every change of the definition of a source."""
    from crawler.sources.definition import definition_of  # noqa: PLC0415 - Scrapy, which lists need not

    text = json.dumps(definition_of(source), sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_VERSION_CHARS]


def _views(
    identity: Identity, stores: Stores, rules: TrackerSettings, sources: Sequence[Source]
) -> list[SourceView]:
    health, alerts, now = stores.health.all(), stores.health.open_alerts(), utc_now()
    views = []
    for source in sources:
        source_health = health.get(source.name, SourceHealth(name=source.name))
        views.append(
            SourceView(
                _shown(identity, source),
                source_health,
                tuple(alert for alert in alerts if alert.source == source.name),
                next_crawl=next_crawl(source, source_health, rules, now=now),
                opens=source.opens(now),
                searches=source_health.searches_on(source.day_of(now)),
            )
        )
    return views


def _shown(identity: Identity, source: Source) -> Source:
    """Return a source; without logins, cookies and proxies if the user may not change it."""
    if "sources:write" in identity.permissions:
        return source
    search = source.discovery
    if search is not None:
        search = replace(search, headers=dict.fromkeys(search.headers, _HIDDEN))
    return replace(source, login=None, cookies=None, proxies=(), header_sets=(), discovery=search)


def repeats_of(
    identity: Identity, stores: Stores, hosts: Collection[str], *, limit: int
) -> dict[str, tuple[Repeat, ...]]:
    """Return host → sentences that it repeats on many of its pages, the most frequent first.

    Args:
        identity: the user or program that asks.
        stores: the database.
        hosts: the hosts of a source; there may be thousands.
        limit: maximum number of hosts; hosts without such a record do not count.

    Raises:
        NotPermitted: the user may not read sources.
    """
    pairs = _known(identity, stores.repeats, hosts, limit=limit)
    return {host: record.repeats for host, record in pairs if record.repeats}


def templates_of(
    identity: Identity, stores: Stores, hosts: Collection[str], *, limit: int
) -> dict[str, HostTemplate]:
    """Return host → template that was learnt from its pages.

    Args:
        identity: the user or program that asks.
        stores: the database.
        hosts: the hosts of a source; there may be thousands.
        limit: maximum number of hosts; hosts without such a record do not count.

    Raises:
        NotPermitted: the user may not read sources.
    """
    pairs = _known(identity, stores.templates, hosts, limit=limit)
    return {host: record for host, record in pairs if record.containers}


def taught_of(
    identity: Identity, stores: Stores, hosts: Iterable[str]
) -> dict[str, tuple[HostRepeats, HostTemplate]]:
    """Return host → data learnt from its pages, which are needed to extract its pages again.

    Raises:
        NotPermitted: the user may not read sources.
    """
    identity.require("sources:read")
    return {host: (stores.repeats.of_host(host), stores.templates.of_host(host)) for host in hosts}


class _ByHost(Protocol[T_co]):
    """A store of data learnt from hosts."""

    def hosts_among(self, hosts: Iterable[str], *, limit: int) -> list[str]:
        """Return the hosts with learnt data, sorted by name, at most ``limit`` of them."""

    def of_host(self, host: str) -> T_co:
        """Return the data learnt from a host."""


def _known(
    identity: Identity, store: _ByHost[T_co], hosts: Collection[str], *, limit: int
) -> list[tuple[str, T_co]]:
    """Return (host, learnt data) sorted by host. For arguments and errors see :func:`repeats_of`."""
    identity.require("sources:read")
    return [(host, store.of_host(host)) for host in store.hosts_among(hosts, limit=limit)]
