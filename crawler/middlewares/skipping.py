"""Ends entries without a request: their address is unusable, or asking for it ended other processes."""

from typing import TYPE_CHECKING

from crawler.failures import NotAsked
from crawler.meta import NOT_ASKED

if TYPE_CHECKING:
    from scrapy import Request


class NotAskedMiddleware:
    """Lets every other request pass."""

    def process_request(self, request: "Request") -> None:
        """Let a request pass.

        Raises:
            NotAsked: its entry is to end at once.
        """
        if NOT_ASKED in request.meta:
            raise NotAsked(request.meta[NOT_ASKED])
