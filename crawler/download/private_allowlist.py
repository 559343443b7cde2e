"""The private addresses that a crawl may connect to, against SSRF. Pure but for what the resolver notes here.

A private host and port is allowed where two agree: ``crawler.allow_inner`` names it, and the source names it
as its own (an address to begin at, a sitemap, a feed, its login) or as its search engine. It is allowed for
that purpose alone: a page elsewhere that links, redirects or refers to it is refused, and only searches reach
the engine. Hosts are compared as they are written, so no other name that leads to the same address is
allowed.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from crawler.addresses import is_private_host, is_private_peer, literal_address, plain_host
from crawler.download.proxies import expand_variables
from storage.records import Source
from system.messages import N_
from system.sites import DEFAULT_PORTS

HostPort: TypeAlias = tuple[str, int]
REFUSED = N_("{url} is an inner address: no crawl asks for it unless crawler.allow_inner names it.")

# The reactor's resolver is process-wide; host → address of the names that it resolved though their address
# is private.
RESOLVED_PRIVATE: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class PrivateAllowlist:
    """The private hosts and ports that one crawl may connect to.

    Attributes:
        own: of the source's own pages.
        engine: of its search engine.
        proxies: that it goes through, wherever they are; no page is requested from them.
    """

    source_hosts: frozenset[HostPort] = frozenset()
    engine: frozenset[HostPort] = frozenset()
    proxies: frozenset[HostPort] = frozenset()

    @property
    def host_ports(self) -> frozenset[HostPort]:
        """Every host and port that may be connected to."""
        return self.source_hosts | self.engine | self.proxies

    @property
    def hosts(self) -> frozenset[str]:
        """Every host among them."""
        return frozenset(host for host, _ in self.host_ports)

    def allows(self, url: str, *, referrer: str = "", is_search: bool = False) -> bool:
        """Return whether a URL may be requested, as far as its spelling tells.

        Args:
            url: to request.
            referrer: the page that led to it; empty when it is one that the source names.
            is_search: it is a search, which goes to the engine.
        """
        target = host_port_of(url)
        if not is_private_host(target[0]) and target[0] not in self.hosts:
            return True
        allowed = self.engine if is_search else self.source_hosts
        return target in allowed and (not referrer or host_port_of(referrer) in allowed)

    def refuses_peer(self, host: str, port: int) -> bool:
        """Return whether a connection was made to a private address that is not on the list."""
        allowed = {(RESOLVED_PRIVATE.get(name, name), number) for name, number in self.host_ports}
        return is_private_peer(host) and (host.partition("%")[0], port) not in allowed


def host_port_of(url: str) -> HostPort:
    """Return normalized host and port of a URL; ``("", 0)`` when it is not valid."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", 0
    default = DEFAULT_PORTS.get(parts.scheme, 0)
    return normalized_host(parts.hostname or ""), default if port is None else port


def normalized_host(host: str) -> str:
    """Return a host in one spelling."""
    address = literal_address(host)
    return plain_host(host) if address is None else str(address)


def private_allowlist_of(source: Source, setting: Iterable[str]) -> PrivateAllowlist:
    """Return what a crawl of a source may connect to.

    Args:
        source: names its own addresses and its engine.
        setting: ``crawler.allow_inner``, each a host, or host:port.

    Raises:
        MissingVariable, OpenVariable: a proxy's address names an environment variable that cannot be read.
    """
    entries = [_parse_entry(text) for text in setting]
    proxies = [
        expand_variables(url, source=source.name) for url in source.proxies if not url.startswith("socks")
    ]
    return PrivateAllowlist(
        _allowed_targets(_own_urls(source), entries),
        _allowed_targets(_engine_urls(source), entries),
        frozenset(map(host_port_of, proxies)),
    )


def refused_urls(source: Source, setting: Iterable[str]) -> list[str]:
    """Return the private addresses that a source names and that no crawl of it will ask for.

    Args:
        source: names them as its own or as its engine's.
        setting: ``crawler.allow_inner``.
    """
    urls = [*_own_urls(source), *_engine_urls(source)]
    allowed = _allowed_targets(urls, [_parse_entry(text) for text in setting])
    private = (url for url in dict.fromkeys(urls) if is_private_host(host_port_of(url)[0]))
    return [url for url in private if host_port_of(url) not in allowed]


def _own_urls(source: Source) -> list[str]:
    login = [source.login.url] if source.login is not None else []
    return [*source.addresses, *login]


def _engine_urls(source: Source) -> list[str]:
    return [source.discovery.engine] if source.discovery is not None else []


def _allowed_targets(urls: Iterable[str], entries: Collection[tuple[str, int | None]]) -> frozenset[HostPort]:
    targets = {host_port_of(url) for url in urls}
    return frozenset(target for target in targets if (target[0], None) in entries or target in entries)


def _parse_entry(text: str) -> tuple[str, int | None]:
    """Read ``host``, ``host:port``, ``[address]:port``; the setting was checked when it was read."""
    if text.count(":") > 1 and not text.startswith("["):
        return normalized_host(text), None
    parts = urlsplit(f"//{text}")
    return normalized_host(parts.hostname or ""), parts.port
