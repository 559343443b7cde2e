"""Request a JSON document of another server within limits of time, size, redirects and addresses.

The name is resolved once, each of its addresses is checked, and the connection goes to a checked address. So
neither a redirect nor a changing answer of DNS leads to a private address. Only the configured address itself
may be private, and only if ``crawler.allow_inner`` lists it.
"""

import http.client
import ipaddress
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote, urlsplit

from crawler.addresses import is_private, is_web, join_url
from crawler.download.private_allowlist import HostPort, host_port_of
from system.messages import N_, Message
from system.version import VERSION

MAX_BYTES = 1024 * 1024
_MAX_REDIRECTS = 5
_CHUNK = 64 * 1024
_MAX_ADDRESSES = 4  # of a host, that are tried
_REDIRECTS = frozenset(
    {
        HTTPStatus.MOVED_PERMANENTLY,
        HTTPStatus.FOUND,
        HTTPStatus.SEE_OTHER,
        HTTPStatus.TEMPORARY_REDIRECT,
        HTTPStatus.PERMANENT_REDIRECT,
    }
)
_HEADERS = {
    "Accept": "application/rdap+json, application/json",
    "Accept-Encoding": "identity",
    "Connection": "close",
    "User-Agent": f"pindna/{VERSION}",
}
_PRINTABLE = "/?:@!$&'()*+,;=%-._~[]"


class NoAnswer(Exception):
    """A server gave no usable answer.

    Attributes:
        reason: why, with the host.
        is_unknown: the server answered that it does not know the object.
    """

    def __init__(self, template: str, *, is_unknown: bool = False, **data: str | int) -> None:
        super().__init__(template)
        self.reason = Message(template, dict(data))
        self.is_unknown = is_unknown


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """A document, and the address that it came from after redirects."""

    document: object
    url: str


def get_json(url: str, *, private: HostPort | None = None, timeout_s: float) -> JsonAnswer:
    """Return the JSON document at an address.

    Args:
        url: http or https.
        private: host and port that may be private; None: none.
        timeout_s: limit for everything, including redirects.

    Raises:
        NoAnswer: there is no usable document.
    """
    end = time.monotonic() + timeout_s
    for _ in range(_MAX_REDIRECTS + 1):
        status, location, body = _get(url, private, end)
        if status not in _REDIRECTS:
            return JsonAnswer(_document(url, status, body), url)
        target = join_url(url, location)
        if not is_web(target) or (url.startswith("https:") and not target.startswith("https:")):
            raise NoAnswer(N_("{host} redirects to an address that is not followed"), host=_host(url))
        url = target
    raise NoAnswer(N_("{host} redirects too often"), host=_host(url))


def _document(url: str, status: int, body: bytes) -> object:
    """Return the document of an answer.

    Raises:
        NoAnswer: there is none.
    """
    if status == HTTPStatus.NOT_FOUND:
        raise NoAnswer(N_("{host} has no record of it"), host=_host(url), is_unknown=True)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise NoAnswer(N_("{host} accepts no more requests for now; try again later"), host=_host(url))
    if status != HTTPStatus.OK:
        raise NoAnswer(N_("{host} answered with HTTP status {status}"), host=_host(url), status=status)
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NoAnswer(N_("the answer of {host} is not JSON"), host=_host(url)) from error


def _get(url: str, private: HostPort | None, end: float) -> tuple[int, str, bytes]:
    """Return status, target of a redirect, and body of one request.

    Raises:
        NoAnswer: the server did not answer, or its answer is too long.
    """
    host = _host(url)
    try:
        with _connection(url, private, end) as connection:
            parts = urlsplit(url)
            path = quote(parts.path or "/", safe=_PRINTABLE)
            query = f"?{quote(parts.query, safe=_PRINTABLE)}" if parts.query else ""
            connection.request("GET", path + query, headers=_HEADERS)
            with connection.getresponse() as response:
                body = _body(response, host)
                _remaining(end)  # a connection that was cut off looks like a complete answer
                return response.status, response.headers.get("Location", ""), body
    except ssl.SSLCertVerificationError as error:
        raise NoAnswer(N_("the certificate of {host} is not valid"), host=host) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        if time.monotonic() >= end:
            raise NoAnswer(N_("{host} did not answer in time"), host=host) from error
        raise NoAnswer(N_("{host} cannot be reached"), host=host) from error


def _body(response: http.client.HTTPResponse, host: str) -> bytes:
    """Return a body.

    Raises:
        NoAnswer: it is too long.
    """
    body = bytearray()
    while chunk := response.read1(_CHUNK):
        body += chunk
        if len(body) > MAX_BYTES:
            raise NoAnswer(N_("the answer of {host} is too long"), host=host)
    return bytes(body)


@contextmanager
def _connection(url: str, private: HostPort | None, end: float) -> Iterator[http.client.HTTPConnection]:
    """Open a connection to a checked address, which is cut off at the deadline.

    Raises:
        NoAnswer: the address is private, or the name is unknown.
        OSError: the connection failed.
    """
    host, port = host_port_of(url)
    addresses = _checked_addresses(host, port, is_allowed=(host, port) == private, end=end)
    plain = _connect(addresses, port, end)
    watched = plain.dup()  # a duplicate, because TLS takes over the socket itself
    cutter = threading.Timer(_remaining(end), _shut_down, (watched,))
    cutter.daemon = True
    cutter.start()
    try:
        connected = _with_tls(plain, host) if urlsplit(url).scheme == "https" else plain
        with connected:
            connection = http.client.HTTPConnection(f"[{host}]" if ":" in host else host, port)
            connection.sock = connected
            yield connection
            connection.close()
    finally:
        cutter.cancel()
        watched.close()
        plain.close()


def _with_tls(plain: socket.socket, host: str) -> socket.socket:
    return ssl.create_default_context().wrap_socket(plain, server_hostname=host)


def _shut_down(end: socket.socket) -> None:
    """Make every read from and write to a connection fail at once."""
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def _connect(addresses: Sequence[str], port: int, end: float) -> socket.socket:
    """Return a connection to the first address that accepts one.

    Raises:
        OSError: none does.
    """
    for address in addresses[:-1]:
        with suppress(OSError):
            return socket.create_connection((address, port), timeout=_remaining(end) / len(addresses))
    return socket.create_connection((addresses[-1], port), timeout=_remaining(end))


def _checked_addresses(host: str, port: int, *, is_allowed: bool, end: float) -> list[str]:
    """Return the IP addresses of a host.

    Raises:
        NoAnswer: the name is unknown, or one of its addresses is private.
    """
    addresses = _resolve(host, port, _remaining(end))
    if not addresses:
        raise NoAnswer(N_("the name {host} cannot be resolved"), host=host)
    if not is_allowed and any(is_private(ipaddress.ip_address(address)) for address in addresses):
        raise NoAnswer(
            N_("{host} is a private address, which crawler.allow_inner does not list for this use"), host=host
        )
    return addresses[:_MAX_ADDRESSES]


def _resolve(host: str, port: int, timeout_s: float) -> list[str]:
    """Return the IP addresses of a host; none if the resolver does not answer in time."""
    addresses: list[str] = []

    def look_up() -> None:
        with suppress(OSError, UnicodeError):
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses.extend(dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in entries))

    thread = threading.Thread(target=look_up, daemon=True)  # a resolver may need longer than the deadline
    thread.start()
    thread.join(timeout_s)
    return list(addresses)


def _remaining(end: float) -> float:
    """Return the seconds until the deadline.

    Raises:
        TimeoutError: it has passed.
    """
    remaining = end - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining


def _host(url: str) -> str:
    return host_port_of(url)[0][:100]
