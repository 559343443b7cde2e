"""Ends entries without a request: their address is unusable, or asking for it ended other processes."""

from typing import TYPE_CHECKING

from crawler.failures import RequestSkipped
from crawler.meta import SKIP_REASON

if TYPE_CHECKING:
    from scrapy import Request


class SkippingMiddleware:
    """Lets every other request pass."""

    def process_request(self, request: "Request") -> None:
        """Let a request pass.

        Raises:
            RequestSkipped: its entry is to end at once.
        """
        if SKIP_REASON in request.meta:
            raise RequestSkipped(request.meta[SKIP_REASON])
