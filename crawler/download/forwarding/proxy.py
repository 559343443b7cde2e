"""A forward proxy on loopback, in the process of the crawl: the browser's only connection to the network.

Guarantees:

- It connects only to checked addresses (``lookup``), with the connector of the client (``connectors``), which
  checks the peer again if it can.
- It serves only requests with the password of the crawl and the name of an admitted client. The browser's own
  traffic, other users of the machine and closed pages are refused.
- Each client has a limit of received bytes and of connections.

If a host cannot be reached, the connection is closed, so a page never receives a response from the proxy. The
reason is recorded at the client.
"""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError

from crawler.download.forwarding.connectors import Connector, RefusesPeer, StreamPair, direct_connector
from crawler.download.forwarding.http1 import (
    MAX_HEADER_BYTES,
    BadMessage,
    ProxyRequest,
    parse_request,
    parse_response,
)
from crawler.download.forwarding.lookup import Lookup
from crawler.failures import PrivateAddress, ProxyDeniesLogin, ProxyFailed
from system.sites import DEFAULT_PORTS

CONNECT_S = 15.0
_REQUEST_S = 15.0
_IDLE_S = 60.0
_CHUNK = 64 * 1024
_MAX_CONNECTIONS = 64  # maximum number of connections of one page
_MAX_REFUSALS = 200  # kept for one client
_MAX_ADDRESSES = 2000  # kept for one client
_MAX_EXCHANGES = 32  # maximum number of recorded exchanges per client: at most 4 MB
_END = b"\r\n\r\n"
_INTERIM = range(100, 200)
_MAX_INTERIM = 5
_SWITCHING = 101
_UNAUTHORISED = (
    b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="crawl"\r\n'
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
_TUNNEL_OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"
_NO_TUNNEL = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (PrivateAddress, "inner-address"),
    (CannotResolveHostError, "dns"),
    (ProxyDeniesLogin, "proxy-refuses"),
    (ProxyFailed, "proxy"),
    (TimeoutError, "timeout"),
    (OSError, "refused"),
)


class TooManyBytes(Exception):
    """A client has received more bytes than its limit."""


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Limits and connection of a client.

    Attributes:
        connector: None to connect directly.
        lookup: returns the allowed address of a host; None for the proxy's own.
        max_connections: open at once.
        idle_s: how long one end may be silent.
        reports_failure: whether a failed tunnel is answered with status 502. Pages get no answer; Scrapy
            would otherwise wait until its time limit.
    """

    connector: Connector | None = None
    lookup: Lookup | None = None
    max_connections: int = _MAX_CONNECTIONS
    idle_s: float = _IDLE_S
    reports_failure: bool = False


@dataclass(slots=True, eq=False)
class Client:
    """A client: a page, a set of pages with the same cookies, or the crawl through one SOCKS proxy.

    Attributes:
        name: the user name in its requests.
        bytes_left: bytes that it may still receive.
        limits: other limits.
        addresses: the IP address of each (host, port).
        refusals: why a (host, port) was not reached.
        exchanges: URL → header blocks of the last exchange of plain HTTP, as sent and as received.
        connections: the tasks that serve it.
    """

    name: str
    bytes_left: int
    limits: ClientLimits
    addresses: dict[tuple[str, int], str] = field(default_factory=dict)
    refusals: dict[tuple[str, int], str] = field(default_factory=dict)
    exchanges: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    connections: set[asyncio.Task[None]] = field(default_factory=set)

    def spend(self, number: int) -> None:
        """Count received bytes.

        Raises:
            TooManyBytes: the client has received more than its limit.
        """
        self.bytes_left -= number
        if self.bytes_left < 0:
            raise TooManyBytes

    def record_address(self, request: ProxyRequest, address: str) -> None:
        """Record the address of a host; drop the oldest one if there are too many."""
        self.addresses[request.host, request.port] = address
        if len(self.addresses) > _MAX_ADDRESSES:
            del self.addresses[next(iter(self.addresses))]

    def record_exchange(self, request: ProxyRequest, came: bytes) -> None:
        """Record the exchange of a URL; drop the oldest one if there are too many."""
        self.exchanges.pop(request.url, None)
        self.exchanges[request.url] = request.header_block.removesuffix(_END), came.removesuffix(_END)
        if len(self.exchanges) > _MAX_EXCHANGES:
            del self.exchanges[next(iter(self.exchanges))]

    def record_refusal(self, request: ProxyRequest, reason: str) -> None:
        """Record why a host was not reached."""
        if len(self.refusals) < _MAX_REFUSALS:
            self.refusals[request.host, request.port] = reason


_PAGE_LIMITS = ClientLimits()


class ForwardProxy:
    """The proxy.

    Args:
        lookup: returns the allowed address of a host.
        refuses_peer: returns whether a connection to an address and port must not be used.
    """

    def __init__(self, lookup: Lookup, *, refuses_peer: RefusesPeer) -> None:
        self._lookup = lookup
        self._connect_directly = direct_connector(refuses_peer=refuses_peer)
        self._clients: dict[str, Client] = {}
        self._server: asyncio.Server | None = None
        self.password = secrets.token_urlsafe(24)
        self.url = ""

    async def start(self) -> None:
        """Start to listen on a free port of loopback."""
        self._server = await asyncio.start_server(
            self._accept_connection, "127.0.0.1", 0, limit=MAX_HEADER_BYTES
        )
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening and close every connection."""
        if self._server is not None:
            self._server.close()
        for name in list(self._clients):
            self.dismiss(name)

    def admit(self, name: str, *, max_bytes: int, limits: ClientLimits = _PAGE_LIMITS) -> Client:
        """Serve a client from now on; increase the byte limit of one that is already served."""
        client = self._clients.setdefault(name, Client(name, 0, limits))
        client.bytes_left = max(0, client.bytes_left) + max_bytes
        return client

    def dismiss(self, name: str) -> None:
        """Stop serving a client, and close its connections."""
        client = self._clients.pop(name, None)
        for task in tuple(client.connections) if client else ():
            task.cancel()

    async def _accept_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve_client(reader, writer)
        except (
            OSError,
            BadMessage,
            TooManyBytes,
            TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
        ):
            pass  # the connection is closed below, and the reason is recorded at the client
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:  # the client was dismissed: end only the connection, not the crawl
                task.uncancel()
        finally:
            _hang_up(writer)

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_REQUEST_S):
            request = parse_request(await reader.readuntil(b"\r\n\r\n"))
        name, password = request.credentials
        client = self._clients.get(name)
        if client is None or not secrets.compare_digest(password.encode(), self.password.encode()):
            writer.write(_UNAUTHORISED)
            await writer.drain()
            return
        task: Any = asyncio.current_task()
        if len(client.connections) >= client.limits.max_connections:
            client.record_refusal(request, "hostile")
            return
        client.connections.add(task)
        try:
            await self._forward_request(client, request, (reader, writer))
        finally:
            client.connections.discard(task)

    async def _forward_request(self, client: Client, request: ProxyRequest, near: StreamPair) -> None:
        far = await self._connect_to_host(client, request)
        writer = near[1]
        if far is None:
            if request.is_tunnel and client.limits.reports_failure:
                writer.write(_NO_TUNNEL)
                await writer.drain()
            return
        try:
            if request.is_tunnel:
                writer.write(_TUNNEL_OPEN)
                await _relay_both_ways(client, near, far)
            else:
                await _relay_one_exchange(client, request, near, far)
        except TooManyBytes:
            client.record_refusal(request, "too-large")
        except (BadMessage, asyncio.LimitOverrunError):
            client.record_refusal(request, "other")
        except TimeoutError:
            client.record_refusal(request, "timeout")
        finally:
            _hang_up(far[1])

    async def _connect_to_host(self, client: Client, request: ProxyRequest) -> StreamPair | None:
        """Connect to a host; None if that is not allowed or fails."""
        limits = client.limits
        try:
            async with asyncio.timeout(CONNECT_S):
                address = await (limits.lookup or self._lookup)(request.host, request.port)
                streams = await (limits.connector or self._connect_directly)(address, request.port)
        except tuple(kind for kind, _ in _REASONS) as error:
            client.record_refusal(
                request, next(reason for kind, reason in _REASONS if isinstance(error, kind))
            )
            return None
        client.record_address(request, address)
        return streams


def destination_of(url: str) -> tuple[str, int]:
    """Return the host and port that a client requests from the proxy for an http(s) URL."""
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]


async def _relay_both_ways(client: Client, near: StreamPair, far: StreamPair) -> None:
    """Relay bytes in both directions until one direction ends."""
    idle_s = client.limits.idle_s
    await _wait_for_first(_relay(near[0], far[1], None, idle_s), _relay(far[0], near[1], client, idle_s))


async def _relay_one_exchange(
    client: Client, request: ProxyRequest, near: StreamPair, far: StreamPair
) -> None:
    """Relay one request and its response; then both connections end."""
    (reader, writer), (far_reader, far_writer) = near, far
    far_writer.write(request.header_block)
    remaining_bytes = request.body_bytes
    while remaining_bytes and (chunk := await reader.read(min(remaining_bytes, _CHUNK))):
        remaining_bytes -= len(chunk)
        far_writer.write(chunk)
        await far_writer.drain()
    for _ in range(_MAX_INTERIM):
        async with asyncio.timeout(client.limits.idle_s):
            header_block = await far_reader.readuntil(b"\r\n\r\n")
        client.spend(len(header_block))
        status, closing = parse_response(header_block)
        if status == _SWITCHING:
            raise BadMessage("switching protocols")
        if status not in _INTERIM:
            client.record_exchange(request, header_block)
            writer.write(closing)
            await _wait_for_first(
                _relay(far_reader, writer, client, client.limits.idle_s), _wait_for_hang_up(reader)
            )
            return
    raise BadMessage("interim responses")


async def _relay(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, client: Client | None, idle_s: float
) -> None:
    """Relay bytes until the end, and count them for the client."""
    while True:
        async with asyncio.timeout(idle_s):
            chunk = await reader.read(_CHUNK)
        if not chunk:
            return
        if client is not None:
            client.spend(len(chunk))
        writer.write(chunk)
        async with asyncio.timeout(idle_s):
            await writer.drain()


async def _wait_for_hang_up(reader: asyncio.StreamReader) -> None:
    """Wait until the client closes the connection, and ignore any data that it still sends."""
    while await reader.read(_CHUNK):
        pass


async def _wait_for_first(*coroutines: Any) -> None:
    """Wait until the first coroutine ends, and cancel the others.

    Raises:
        Exception: of the first coroutine.
    """
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        finished, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in finished:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _hang_up(writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, RuntimeError):
        writer.close()
