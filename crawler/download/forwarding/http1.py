"""Parses start lines and fields of HTTP/1.1 messages for the forward proxy. Pure.

RFC 9110 (semantics), RFC 9112 (messages). Requests are in absolute form or CONNECT. Fields for a single
connection (RFC 9110, 7.6.1) are not forwarded. A header block is a start line with its field lines and the
empty line that ends them.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_HEADER_BYTES = 64 * 1024
MAX_HEADER_LINES = 300
_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"upgrade",
    }
)
_CLOSE = b"Connection: close"
_PORTS = range(1, 65536)


class BadMessage(ValueError):
    """A header block cannot be forwarded."""


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """A request to the proxy.

    Attributes:
        is_tunnel: whether it is CONNECT; else it is one exchange of plain HTTP.
        credentials: user name and password as sent; empty without.
        url: requested address, for plain HTTP.
        header_block: to send to the server, for plain HTTP.
        body_bytes: length of the request's body.
    """

    host: str
    port: int
    is_tunnel: bool
    credentials: tuple[str, str]
    url: str = ""
    header_block: bytes = b""
    body_bytes: int = 0


def parse_request(header_block: bytes) -> ProxyRequest:
    """Parse the header block of a request.

    Raises:
        BadMessage: it is neither CONNECT nor plain http, or cannot be forwarded.
    """
    line, *fields = _unfolded_lines(header_block)
    try:
        method, target, version = line.decode("ascii").split(" ")
    except ValueError as error:
        raise BadMessage("request line") from error
    if not version.startswith("HTTP/1."):
        raise BadMessage("version")
    credentials = _parse_basic_credentials(_header_value(fields, b"proxy-authorization"))
    if method == "CONNECT":
        host, port = _host_port(f"//{target}", default=0)
        return ProxyRequest(host, port, True, credentials)
    host, port = _host_port(target, default=80)
    if not target.lower().startswith("http://") or _header_value(fields, b"transfer-encoding"):
        raise BadMessage("not plain http")
    path = target[len("http://") + len(urlsplit(target).netloc) :]
    path = path if path.startswith("/") else f"/{path}"
    first = f"{method} {path} HTTP/1.1".encode("ascii")
    length = _header_value(fields, b"content-length") or b"0"
    if not length.isdigit():
        raise BadMessage("length")
    forwarded = _header_block([first, *_end_to_end(fields), _CLOSE])
    return ProxyRequest(host, port, False, credentials, target, forwarded, int(length[:18]))


def parse_response(header_block: bytes) -> tuple[int, bytes]:
    """Return the status of a response, and its header block with ``Connection: close``.

    Raises:
        BadMessage: it is not the header block of a response.
    """
    line, *fields = _unfolded_lines(header_block)
    parts = line.split(b" ", 2)
    if not parts[0].startswith(b"HTTP/1.") or len(parts) == 1 or not parts[1].isdigit():
        raise BadMessage("status line")
    return int(parts[1][:6]), _header_block([line, *_end_to_end(fields), _CLOSE])


def _unfolded_lines(header_block: bytes) -> list[bytes]:
    lines = header_block.removesuffix(b"\r\n\r\n").split(b"\r\n")
    if len(header_block) > MAX_HEADER_BYTES or len(lines) > MAX_HEADER_LINES:
        raise BadMessage("too many headers")
    return lines


def _header_block(lines: Sequence[bytes]) -> bytes:
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _end_to_end(fields: Sequence[bytes]) -> list[bytes]:
    return [field for field in fields if field.partition(b":")[0].strip().lower() not in _HOP_BY_HOP]


def _header_value(fields: Sequence[bytes], name: bytes) -> bytes:
    for field in fields:
        key, _, value = field.partition(b":")
        if key.strip().lower() == name:
            return value.strip()
    return b""


def _host_port(target: str, *, default: int) -> tuple[str, int]:
    try:
        parts = urlsplit(target)
        host, port = parts.hostname or "", parts.port or default
    except ValueError as error:
        raise BadMessage("address") from error
    if not host or port not in _PORTS:
        raise BadMessage("address")
    return host, port


def _parse_basic_credentials(value: bytes) -> tuple[str, str]:
    """Read ``Basic …`` (RFC 7617)."""
    scheme, _, packed = value.partition(b" ")
    if scheme.lower() != b"basic":
        return "", ""
    try:
        name, _, password = base64.b64decode(packed, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, password
