"""A document as the browser received it, with the headers of request and response. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from crawler.download.header_blocks import header_block

Headers = tuple[tuple[str, str], ...]
HeaderBlocks = tuple[bytes, bytes]  # header block of the request as sent, and of the response as received


@dataclass(frozen=True, slots=True)
class BrowserDocument:
    """The response to the request for a page.

    Attributes:
        headers: of the response, in order, as the browser reports them: without Set-Cookie.
        body: decoded.
        blocks: header blocks of request and response.
    """

    url: str
    status: int
    headers: Headers
    body: bytes
    blocks: HeaderBlocks

    def header(self, name: str) -> str:
        """Return the first value of a header; empty without one."""
        return next((value for key, value in self.headers if key.lower() == name), "")


def blocks_of(
    request: Mapping[str, Any], status: int, headers: Headers, *, wire: "WireHeaders"
) -> HeaderBlocks:
    """Return the header blocks of an exchange that the browser encrypted, in the form of HTTP/1.1.

    Args:
        request: as the protocol describes it (``Network.Request``).
        status: of the response.
        headers: of the response, as the browser reports them.
        wire: the headers from the browser's network service; they take precedence.
    """
    parts = urlsplit(request["url"])
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = wire.sent or {"Host": parts.netloc.rpartition("@")[2], **request["headers"]}
    # without pseudo-headers of HTTP/2
    fields = ((name, value) for name, value in sent.items() if not name.startswith(":"))
    came = wire.came or headers
    return (
        _header_block(f"{request['method']} {path} HTTP/1.1", fields),
        wire.came_text or _header_block(f"HTTP/1.1 {status} ", came),
    )


def _header_block(start_line: str, fields: Iterable[tuple[str, str]]) -> bytes:
    return header_block(
        _header_bytes(start_line), [(_header_bytes(name), _header_bytes(value)) for name, value in fields]
    )


def _header_bytes(text: str) -> bytes:
    """Return the bytes of a header, which the browser reports as text."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


@dataclass(slots=True)
class WireHeaders:
    """Headers from the browser's network service (``Network.…ExtraInfo``), where it reports them.

    Attributes:
        sent: fields of the request, including those that the network service adds.
        came: fields of the response, including Set-Cookie.
        came_text: header block of the response; HTTP/2 has none.
    """

    sent: Mapping[str, str] | None = None
    came: Headers = ()
    came_text: bytes = b""

    def record_request(self, event: Mapping[str, Any]) -> None:
        """Record ``Network.requestWillBeSentExtraInfo``."""
        self.sent = event["headers"]

    def record_response(self, event: Mapping[str, Any]) -> None:
        """Record ``Network.responseReceivedExtraInfo``, which joins fields of the same name."""
        values = ((name, value.split("\n")) for name, value in event["headers"].items())
        self.came = tuple((name, line) for name, lines in values for line in lines)
        self.came_text = _header_bytes(event.get("headersText", "")).rstrip(b"\r\n")
