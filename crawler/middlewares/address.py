"""Refuses requests to inner addresses and to anything but http and https: start URLs, links, redirects.

The exceptions are in :mod:`crawler.download.private_allowlist`; they depend on who led to the address.
"""

from typing import TYPE_CHECKING

from crawler.addresses import MAX_ADDRESS_CHARS, is_web
from crawler.download.private_allowlist import PrivateAllowlist
from crawler.failures import InnerAddress, LongAddressAsked
from crawler.meta import ASKED_BY, UNPACED

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class AddressMiddleware:
    """Looks at every request on its way out, redirected ones and robots.txt included."""

    def __init__(self, inner: PrivateAllowlist) -> None:
        self._inner = inner

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "AddressMiddleware":
        """Build the middleware from ``PINDNA_INNER``."""
        return cls(crawler.settings["PINDNA_INNER"])

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
        by = [request.meta.get(ASKED_BY, ""), *request.meta.get("redirect_urls", ())][-1]
        if not self._inner.allows(request.url, referrer=by, is_search=bool(request.meta.get(UNPACED))):
            raise InnerAddress("an inner address")
