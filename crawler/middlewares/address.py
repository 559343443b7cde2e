"""Refuses requests to private addresses, and to schemes other than http and https.

The exceptions are in :mod:`crawler.download.private_allowlist`; they depend on the referring page.
"""

from typing import TYPE_CHECKING

from crawler.addresses import MAX_ADDRESS_CHARS, is_web
from crawler.download.private_allowlist import PrivateAllowlist
from crawler.failures import AddressTooLong, PrivateAddress
from crawler.meta import REFERRER, SEARCH

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class AddressMiddleware:
    """Checks every request, including redirects and robots.txt."""

    def __init__(self, allowlist: PrivateAllowlist) -> None:
        self._allowlist = allowlist

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "AddressMiddleware":
        """Build the middleware from ``PINDNA_PRIVATE_ALLOWLIST``."""
        return cls(crawler.settings["PINDNA_PRIVATE_ALLOWLIST"])

    def process_request(self, request: "Request") -> None:
        """Let a request pass.

        Raises:
            PrivateAddress: it must not be sent.
            AddressTooLong: its address is too long.
        """
        if len(request.url) > MAX_ADDRESS_CHARS:
            raise AddressTooLong("an address that is too long")
        if not is_web(request.url):
            raise PrivateAddress("not a web address")
        referrer = [request.meta.get(REFERRER, ""), *request.meta.get("redirect_urls", ())][-1]
        if not self._allowlist.allows(
            request.url, referrer=referrer, is_search=bool(request.meta.get(SEARCH))
        ):
            raise PrivateAddress("an inner address")
