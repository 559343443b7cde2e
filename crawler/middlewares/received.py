"""Records each exchange before decompression, as the evidence of a page.

Confidential values (:mod:`crawler.download.confidential`) are removed here, before any other code sees the
exchange.
"""

from functools import cached_property
from typing import TYPE_CHECKING

from crawler.download.confidential import ConfidentialValues, confidential_of
from crawler.exchange import Exchange
from crawler.job import job_of
from crawler.meta import FROM_BROWSER, HEADER_BLOCK, RECEIVED, REQUEST_BLOCK
from storage.records import utc_now

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class ReceivedMiddleware:
    """Puts the exchange into the request's meta."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "ReceivedMiddleware":
        """Build the middleware; the source is known only once the spider is."""
        return cls(crawler)

    @cached_property
    def _confidential_values(self) -> ConfidentialValues:
        return confidential_of(job_of(self._crawler).source)

    def process_response(self, request: "Request", response: "Response") -> "Response":
        """Record the exchange."""
        if FROM_BROWSER in response.flags:
            return response
        request.meta[RECEIVED] = Exchange(
            url=response.url,
            request=self._confidential_values.request(request.meta.pop(REQUEST_BLOCK, b"")),
            status=response.status,
            header_block=self._confidential_values.response(request.meta.pop(HEADER_BLOCK, b"")),
            payload=response.body,
            at=utc_now(),
            address=str(response.ip_address or ""),
            certificates=(response.certificate.dump(),) if response.certificate is not None else (),
        )
        return response
