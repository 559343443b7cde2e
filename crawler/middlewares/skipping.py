"""Ends entries without a request, because their address is unusable or crashed other processes."""

from typing import TYPE_CHECKING

from crawler.failures import RequestSkipped
from crawler.meta import SKIP_REASON

if TYPE_CHECKING:
    from scrapy import Request


class SkippingMiddleware:
    """Skips the requests that have a reason to be skipped."""

    def process_request(self, request: "Request") -> None:
        """Let a request pass unless its entry must end.

        Raises:
            RequestSkipped: its entry must end at once.
        """
        if SKIP_REASON in request.meta:
            raise RequestSkipped(request.meta[SKIP_REASON])
