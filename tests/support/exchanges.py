"""Exchanges for tests: what one request and its answer are, and what their bodies hash to."""

import hashlib
from collections.abc import Collection
from datetime import UTC, datetime

from crawler.download.header_blocks import header_block
from crawler.exchange import Exchange

NOW = datetime(2026, 3, 1, 8, 30, 15, 123000, tzinfo=UTC)
URL = "http://x.example/a/1.html"
_REQUEST = b"GET /a/1.html HTTP/1.1\r\nHost: x.example\r\nUser-Agent: pindna/0.2"
_HTML = ((b"Content-Type", b"text/html"),)


def received_with(
    payload: bytes = b"<p>x</p>",
    *,
    status: int = 200,
    headers: Collection[tuple[bytes, bytes]] = _HTML,
    url: str = URL,
) -> Exchange:
    """Return an exchange of which only some fields matter."""
    block = header_block(f"HTTP/1.1 {status} OK".encode(), headers)
    return Exchange(url, _REQUEST, status, block, payload, NOW, "93.184.216.34")


def sha256_of(body: bytes) -> str:
    """Return the SHA-256 of a body in hexadecimal."""
    return hashlib.sha256(body).hexdigest()
