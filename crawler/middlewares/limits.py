"""Refuses responses that would exhaust the crawler, and marks truncated ones.

Scrapy limits the size of a body before and after decompression, but not the layers (gzip in gzip in gzip …)
or the cookies that a response sets. It does not report a truncated compressed body either.
"""

from typing import TYPE_CHECKING

from crawler.download.completeness import is_complete
from crawler.failures import HostileResponse
from crawler.meta import BROKEN_OFF

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

_MAX_LAYERS = 2
_MAX_COOKIES = 50
_MAX_COOKIE_BYTES = 16 * 1024


class LimitsMiddleware:
    """Checks the headers and the end of each response."""

    def process_response(self, request: "Request", response: "Response") -> "Response":  # noqa: ARG002 - Scrapy's
        """Let a response pass; flag it if its compressed body is truncated.

        Raises:
            HostileResponse: it has too many layers of compression.
        """
        layers = sum(value.count(b",") + 1 for value in response.headers.getlist("Content-Encoding"))
        if layers > _MAX_LAYERS:
            raise HostileResponse("layers of compression")
        cookies = response.headers.getlist("Set-Cookie")
        if len(cookies) > _MAX_COOKIES or sum(map(len, cookies)) > _MAX_COOKIE_BYTES:
            del response.headers["Set-Cookie"]
        encoding = (response.headers.get("Content-Encoding") or b"").decode("latin-1").strip().lower()
        if response.body and not is_complete(response.body, encoding):
            response.flags.append(BROKEN_OFF)
        return response
