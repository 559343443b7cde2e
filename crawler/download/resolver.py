"""A resolver that refuses names with private addresses.

Twisted connects to exactly the checked address, so DNS rebinding is not possible for handlers that resolve
through the reactor. Literal addresses are checked in requests, and again as peers of connections. For the
browser, the forward proxy does the check.
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

# Only DNSLookupError passes through Twisted's adapters, so refused names are recorded here to distinguish
# them from unknown ones in reports. The reactor's resolver is process-wide.
REFUSED_NAMES: set[str] = set()


class SafeResolver(CachingThreadedResolver):
    """Scrapy's resolver without private addresses, except those of allowed hosts."""

    hosts: frozenset[str] = frozenset()

    @classmethod
    def from_crawler(cls, crawler: "Crawler", reactor: "ReactorBase") -> "SafeResolver":
        """Build the resolver from ``PINDNA_PRIVATE_ALLOWLIST``."""
        resolver = super().from_crawler(crawler, reactor)
        resolver.hosts = crawler.settings["PINDNA_PRIVATE_ALLOWLIST"].hosts
        return resolver

    def getHostByName(self, name: str, timeout: "Sequence[int]" = ()) -> "Deferred[str]":  # noqa: N802 - Twisted's name
        """Resolve a name; fail with ``DNSLookupError`` if the address is private."""
        return super().getHostByName(name, timeout).addCallback(self._check_address, name)

    def _check_address(self, address: Any, name: str) -> str:
        host = plain_host(name)
        if literal_address(host) is None and is_private(ipaddress.ip_address(address)):
            if host not in self.hosts:
                REFUSED_NAMES.add(name.lower())
                raise DNSLookupError(f"{name} is an inner address")
            RESOLVED_PRIVATE[host] = str(address)
        return str(address)
