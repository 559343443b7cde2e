"""Refuses requests to inner addresses and to anything but http and https: start URLs, links, redirects."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.addresses import MAX_ADDRESS_CHARS, Network, is_web, refuses
from crawler.failures import InnerAddress, LongAddressAsked
from crawler.resolver import allowed_networks

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class GuardMiddleware:
    """Looks at every request on its way out, redirected ones and robots.txt included."""

    def __init__(self, allowed: tuple[Network, ...]) -> None:
        self._allowed = allowed

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "GuardMiddleware":
        """Build the middleware from ``PINDNA_ALLOW_INNER``."""
        return cls(allowed_networks(crawler.settings.getlist("PINDNA_ALLOW_INNER")))

    def process_request(self, request: "Request") -> None:
        """Let a request pass.

        Raises:
            InnerAddress: it must not be sent.
            LongAddressAsked: its address is too long.
        """
        if len(request.url) > MAX_ADDRESS_CHARS:
            raise LongAddressAsked("an address that is too long")
        if not is_web(request.url):
            raise InnerAddress("not a web address")
        if refuses(urlsplit(request.url).hostname or "", allowed=self._allowed):
            raise InnerAddress("an inner address")
