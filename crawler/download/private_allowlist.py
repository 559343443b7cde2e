"""The private addresses that a crawl may connect to, against SSRF. Pure, except the resolver's record.

A private host and port is allowed only if ``crawler.allow_inner`` lists it and the source names it: as a
start address, sitemap, feed or login, or as its search engine. It is allowed for that purpose alone: links,
redirects and references from other pages are refused, and only searches reach the engine. Hosts are compared
as written, so another name for the same address is not allowed.
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
REFUSED = N_("{url} is a private address. To crawl it, add it to crawler.allow_inner.")

# host → private address, for allowed names. The resolver of the process adds the entries.
RESOLVED_PRIVATE: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class PrivateAllowlist:
    """The private hosts and ports that one crawl may connect to.

    Attributes:
        source_hosts: of the source's own pages.
        engine: of its search engine.
        proxies: of its proxies; no page is requested from them.
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
        """Return whether a URL may be requested, judged by its spelling.

        Args:
            url: to request.
            referrer: the page that led to it; empty for an address that the source names.
            is_search: whether it is a search, which goes to the engine.
        """
        target = host_port_of(url)
        if not is_private_host(target[0]) and target[0] not in self.hosts:
            return True
        allowed = self.engine if is_search else self.source_hosts
        return target in allowed and (not referrer or host_port_of(referrer) in allowed)

    def refuses_peer(self, host: str, port: int) -> bool:
        """Return whether a connection leads to a private address that is not allowed."""
        allowed = {(RESOLVED_PRIVATE.get(name, name), number) for name, number in self.host_ports}
        return is_private_peer(host) and (host.partition("%")[0], port) not in allowed


def host_port_of(url: str) -> HostPort:
    """Return the normalized host and the port of a URL; ``("", 0)`` for an invalid one."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", 0
    default = DEFAULT_PORTS.get(parts.scheme, 0)
    return normalized_host(parts.hostname or ""), default if port is None else port


def normalized_host(host: str) -> str:
    """Return the canonical spelling of a host."""
    address = literal_address(host)
    return plain_host(host) if address is None else str(address)


def private_allowlist_of(source: Source, setting: Iterable[str]) -> PrivateAllowlist:
    """Return the private hosts that a crawl of a source may connect to.

    Args:
        source: with its addresses and its engine.
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
        _allowed_targets(engine_urls(source), entries),
        frozenset(map(host_port_of, proxies)),
    )


def refused_urls(source: Source, setting: Iterable[str]) -> list[str]:
    """Return the private addresses of a source that its crawls will not request.

    Args:
        source: with its addresses and its engine.
        setting: ``crawler.allow_inner``.
    """
    urls = [*_own_urls(source), *engine_urls(source)]
    allowed = _allowed_targets(urls, [_parse_entry(text) for text in setting])
    private = (url for url in dict.fromkeys(urls) if is_private_host(host_port_of(url)[0]))
    return [url for url in private if host_port_of(url) not in allowed]


def is_listed(url: str, setting: Iterable[str]) -> bool:
    """Return whether ``crawler.allow_inner`` lists the host and port of a URL."""
    return bool(_allowed_targets([url], [_parse_entry(text) for text in setting]))


def _own_urls(source: Source) -> list[str]:
    login = [source.login.url] if source.login is not None else []
    return [*source.addresses, *login]


def engine_urls(source: Source) -> list[str]:
    """Return the address of the source's search engine; none if it has none."""
    return [source.discovery.engine] if source.discovery is not None and source.discovery.engine else []


def _allowed_targets(urls: Iterable[str], entries: Collection[tuple[str, int | None]]) -> frozenset[HostPort]:
    targets = {host_port_of(url) for url in urls}
    return frozenset(target for target in targets if (target[0], None) in entries or target in entries)


def _parse_entry(text: str) -> tuple[str, int | None]:
    """Read ``host``, ``host:port``, ``[address]:port``; the setting was checked when it was read."""
    if text.count(":") > 1 and not text.startswith("["):
        return normalized_host(text), None
    parts = urlsplit(f"//{text}")
    return normalized_host(parts.hostname or ""), parts.port
