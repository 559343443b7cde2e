"""The heads of HTTP/1.1 messages, as far as a forward proxy has to understand them. Pure.

RFC 9110 (semantics), RFC 9112 (messages). A request in absolute form or CONNECT is understood, nothing else;
what concerns one connection only (RFC 9110, 7.6.1) is not passed on.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

HEAD_BYTES = 64 * 1024
HEAD_LINES = 300
_HOP = frozenset(
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


class BadHead(ValueError):
    """A head is not one that may be passed on."""


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """What a client asks of the proxy.

    Attributes:
        is_tunnel: CONNECT; else one exchange of plain HTTP.
        user: name and password as they were sent, empty without.
        head: what to send on instead, for plain HTTP.
        body_bytes: length of the request's body.
    """

    host: str
    port: int
    is_tunnel: bool
    user: tuple[str, str]
    head: bytes = b""
    body_bytes: int = 0


def read_request(head: bytes) -> ProxyRequest:
    """Return what the head of a request asks for.

    Raises:
        BadHead: it is no CONNECT and no plain http, or cannot be passed on.
    """
    line, *fields = _lines(head)
    try:
        method, target, version = line.decode("ascii").split(" ")
    except ValueError as error:
        raise BadHead("request line") from error
    if not version.startswith("HTTP/1."):
        raise BadHead("version")
    user = _user(_value(fields, b"proxy-authorization"))
    if method == "CONNECT":
        host, port = _place(f"//{target}", default=0)
        return ProxyRequest(host, port, True, user)
    host, port = _place(target, default=80)
    if not target.lower().startswith("http://") or _value(fields, b"transfer-encoding"):
        raise BadHead("not plain http")
    path = target[len("http://") + len(urlsplit(target).netloc) :]
    path = path if path.startswith("/") else f"/{path}"
    first = f"{method} {path} HTTP/1.1".encode("ascii")
    length = _value(fields, b"content-length") or b"0"
    if not length.isdigit():
        raise BadHead("length")
    return ProxyRequest(host, port, False, user, _joined([first, *_kept(fields), _CLOSE]), int(length[:18]))


def closing(head: bytes) -> tuple[int, bytes]:
    """Return the status of a response, and its head as one after which the connection ends.

    Raises:
        BadHead: it is no head of a response.
    """
    line, *fields = _lines(head)
    parts = line.split(b" ", 2)
    if not parts[0].startswith(b"HTTP/1.") or len(parts) == 1 or not parts[1].isdigit():
        raise BadHead("status line")
    return int(parts[1][:6]), _joined([line, *_kept(fields), _CLOSE])


def _lines(head: bytes) -> list[bytes]:
    lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    if len(head) > HEAD_BYTES or len(lines) > HEAD_LINES:
        raise BadHead("too many headers")
    return lines


def _joined(lines: Sequence[bytes]) -> bytes:
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _kept(fields: Sequence[bytes]) -> list[bytes]:
    return [field for field in fields if field.partition(b":")[0].strip().lower() not in _HOP]


def _value(fields: Sequence[bytes], name: bytes) -> bytes:
    for field in fields:
        key, _, value = field.partition(b":")
        if key.strip().lower() == name:
            return value.strip()
    return b""


def _place(target: str, *, default: int) -> tuple[str, int]:
    try:
        parts = urlsplit(target)
        host, port = parts.hostname or "", parts.port or default
    except ValueError as error:
        raise BadHead("address") from error
    if not host or port not in _PORTS:
        raise BadHead("address")
    return host, port


def _user(value: bytes) -> tuple[str, str]:
    """Read ``Basic …`` (RFC 7617)."""
    scheme, _, packed = value.partition(b" ")
    if scheme.lower() != b"basic":
        return "", ""
    try:
        name, _, password = base64.b64decode(packed, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, password
