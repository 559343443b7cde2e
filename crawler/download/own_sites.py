"""The sites of a source: only they receive its headers, its cookies and its login.

A site is a registered domain, or an IP address, on the source's port. ``m.news.example`` belongs to
``https://news.example/``, but ``news.example:8080`` does not. Neither does ``http://news.example/``, because
data for TLS is never sent unencrypted. Public suffixes come from the list in the package tldextract.
"""

from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

from crawler.download.private_allowlist import engine_urls, host_port_of
from storage.records import Source
from system.sites import DEFAULT_PORTS, registered_domain

_Origin: TypeAlias = tuple[str, str, int]

_DEFAULTS = set(DEFAULT_PORTS.items())


@dataclass(frozen=True, slots=True)
class OwnSites:
    """Scheme, host and port of each address that a source names."""

    origins: frozenset[_Origin]

    def has(self, url: str) -> bool:
        """Return whether a URL is on one of the sites, with TLS if the site has it."""
        other = _origin_of(url)
        return any(_has_same_host_and_port(origin, other) for origin in self.origins)


def own_sites_of(source: Source) -> OwnSites:
    """Return the sites of a source's start addresses, login and search engine."""
    named = [*source.addresses]
    named += [source.login.url] if source.login is not None else []
    named += engine_urls(source)
    return OwnSites(frozenset(_origin_of(url) for url in named))


def _origin_of(url: str) -> _Origin:
    host, port = host_port_of(url)
    return (urlsplit(url).scheme if host else "", host, port)


def _has_same_host_and_port(origin: _Origin, other: _Origin) -> bool:
    domain = registered_domain(origin[1])
    is_same_host = origin[1] == other[1] or (bool(domain) and domain == registered_domain(other[1]))
    is_same_port = origin[2] == other[2] or {(origin[0], origin[2]), (other[0], other[2])} == _DEFAULTS
    return is_same_host and is_same_port and other[0] in {origin[0], "https"}
