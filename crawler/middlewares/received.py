"""Keeps what went over the wire, before anything is unpacked: the evidence of a page.

It sits inside the decompression, so it sees the headers as they are sent and the body as it is received.
"""

from typing import TYPE_CHECKING, Final

from scrapy.utils.request import request_httprepr

from crawler.outcomes import Received
from storage.records import utc_now

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

BROWSER: Final = "browser"  # flag of responses whose exchange the browser's handler kept
RECEIVED: Final = "pindna_received"  # meta: the exchange of the last response


class ReceivedMiddleware:
    """Puts the exchange into the request's meta."""

    def process_response(self, request: "Request", response: "Response") -> "Response":
        """Keep the exchange."""
        if BROWSER in response.flags:
            return response
        headers = tuple(
            (name, value) for name in response.headers for value in response.headers.getlist(name)
        )
        head = request_httprepr(request).partition(b"\r\n\r\n")[0]
        request.meta[RECEIVED] = Received(
            url=response.url,
            request=_without_secrets(head),
            status=response.status,
            headers=headers,
            payload=response.body,
            at=utc_now(),
            address=str(response.ip_address or ""),
        )
        return response


def _without_secrets(head: bytes) -> bytes:
    """Take the passwords of proxies and the cookies of logins out of what is kept."""
    secret = (b"proxy-authorization:", b"authorization:", b"cookie:")
    lines = head.split(b"\r\n")
    return b"\r\n".join(line for line in lines if not line.lower().startswith(secret))
