"""A resolver that gives no private addresses, so that a name cannot lead where a literal address may not.

Twisted connects to the very address that is checked here, so there is no gap for DNS rebinding. This holds
for handlers that resolve through the reactor. Literal addresses are checked in requests, and again as the
peers of connections; a browser needs a proxy that checks for it.
"""

import ipaddress
from typing import TYPE_CHECKING, Any

from scrapy.resolver import CachingThreadedResolver
from twisted.internet.error import DNSLookupError

from crawler.addresses import is_private, literal_address, plain_host
from crawler.download.private_allowlist import RESOLVED_PRIVATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase
    from twisted.internet.defer import Deferred

# The reactor's resolver is process-wide, and only DNSLookupError passes through Twisted's adapters; the
# names are kept here so that the report can tell a refused name from an unknown one.
REFUSED_NAMES: set[str] = set()


class SafeResolver(CachingThreadedResolver):
    """Scrapy's resolver, refusing names of private addresses but for the allowed hosts."""

    hosts: frozenset[str] = frozenset()

    @classmethod
    def from_crawler(cls, crawler: "Crawler", reactor: "ReactorBase") -> "SafeResolver":
        """Build the resolver from ``PINDNA_PRIVATE_ALLOWLIST``."""
        resolver = super().from_crawler(crawler, reactor)
        resolver.hosts = crawler.settings["PINDNA_PRIVATE_ALLOWLIST"].hosts
        return resolver

    def getHostByName(self, name: str, timeout: "Sequence[int]" = ()) -> "Deferred[str]":  # noqa: N802 - Twisted's name
        """Resolve a name; it fails with ``DNSLookupError`` when the address is private."""
        return super().getHostByName(name, timeout).addCallback(self._check, name)

    def _check(self, address: Any, name: str) -> str:
        host = plain_host(name)
        if literal_address(host) is None and is_private(ipaddress.ip_address(address)):
            if host not in self.hosts:
                REFUSED_NAMES.add(name.lower())
                raise DNSLookupError(f"{name} is an inner address")
            RESOLVED_PRIVATE[host] = str(address)
        return str(address)
