"""Which inner addresses a crawl may ask for, and on whose word. Pure but for what the resolver notes here.

An inner place, a host with its port, is opened where two agree: ``crawler.allow_inner`` names it, and the
source names it as its own (an address to begin at, a sitemap, a feed, its login) or as its search
engine. It is opened for that purpose alone: a page elsewhere that links, redirects or refers to it is
refused, and nothing but a search reaches the engine. A place is compared as it is written, so no other name
that leads to the same address opens it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from crawler.addresses import is_private_host, is_private_peer, literal_address, plain_host
from crawler.download.proxies import filled
from storage.records import Source

Place: TypeAlias = tuple[str, int]

_PORTS = {"http": 80, "https": 443}
# The reactor's resolver is process-wide; host → address of the names that it let through though they are
# inner.
RESOLVED: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Inner:
    """The inner places that one crawl may ask for.

    Attributes:
        own: of the source's own pages.
        engine: of its search engine.
        proxies: that it goes through, wherever they are; no page is asked for there.
    """

    own: frozenset[Place] = frozenset()
    engine: frozenset[Place] = frozenset()
    proxies: frozenset[Place] = frozenset()

    @property
    def places(self) -> frozenset[Place]:
        """Every place that a connection may be made to."""
        return self.own | self.engine | self.proxies

    @property
    def hosts(self) -> frozenset[str]:
        """Every host that has such a place."""
        return frozenset(host for host, _ in self.places)

    def lets(self, url: str, *, by: str = "", is_search: bool = False) -> bool:
        """Return whether an address may be asked for, as far as its spelling tells.

        Args:
            url: the address.
            by: the page that led to it; empty when it is one that the source names.
            is_search: it is a search, which goes to the engine.
        """
        place = place_of(url)
        if not is_private_host(place[0]) and place[0] not in self.hosts:
            return True
        places = self.engine if is_search else self.own
        return place in places and (not by or place_of(by) in places)

    def refuses_peer(self, host: str, port: int) -> bool:
        """Return whether a connection was made to an inner address that is none of these places."""
        opened = {(RESOLVED.get(name, name), number) for name, number in self.places}
        return is_private_peer(host) and (host.partition("%")[0], port) not in opened


def place_of(url: str) -> Place:
    """Return host and port of an address, the host in one spelling; ``("", 0)`` for what is no address."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", 0
    return host_of(parts.hostname or ""), _PORTS.get(parts.scheme, 0) if port is None else port


def host_of(host: str) -> str:
    """Return a host in one spelling."""
    address = literal_address(host)
    return plain_host(host) if address is None else str(address)


def inner_of(source: Source, allowed: Iterable[str]) -> Inner:
    """Return what a crawl of a source may ask for.

    Args:
        source: names its own addresses and its engine.
        allowed: ``crawler.allow_inner``, each a host, or host:port.

    Raises:
        MissingVariable, OpenVariable: a proxy's address names an environment variable that cannot be read.
    """
    places = [_allowed(each) for each in allowed]
    login = [source.login.url] if source.login is not None else []
    own = [*source.start_urls, *source.sitemaps, *source.feeds, *login]
    engine = [source.discovery.engine] if source.discovery is not None else []
    proxies = [filled(each, source=source.name) for each in source.proxies if not each.startswith("socks")]
    return Inner(_among(own, places), _among(engine, places), frozenset(map(place_of, proxies)))


def _among(urls: Iterable[str], allowed: Collection[tuple[str, int | None]]) -> frozenset[Place]:
    named = {place_of(url) for url in urls}
    return frozenset(each for each in named if (each[0], None) in allowed or each in allowed)


def _allowed(text: str) -> tuple[str, int | None]:
    """Read ``host``, ``host:port``, ``[address]:port``; the setting was checked when it was read."""
    if text.count(":") > 1 and not text.startswith("["):
        return host_of(text), None
    parts = urlsplit(f"//{text}")
    return host_of(parts.hostname or ""), parts.port
