"""A forward proxy on loopback, inside the crawl's own process: the only way out that the browser has.

Guarantees: no connection is made but to an address that was judged (``judging``), by the way of the pass
(``ways``), which looks at the other end once more where it can; nobody is served without the crawl's own
secret and the name of an open pass, so that the browser's own traffic, other users of the machine and closed
pages get nothing; each pass may receive so many bytes and hold so many connections, no more.

What could not be reached is answered by hanging up, so that a page never sees a word of ours; why is kept
with the pass.
"""

import asyncio
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scrapy.exceptions import CannotResolveHostError

from crawler.download.forwarding.connectors import Connector, RefusesPeer, StreamPair, direct
from crawler.download.forwarding.judging import Judge
from crawler.download.forwarding.wire import HEAD_BYTES, BadHead, ProxyRequest, closing, read_request
from crawler.failures import PrivateAddress, ProxyFailed, ProxyRefusesUs

CONNECT_S = 15.0
_HEAD_S = 15.0
_IDLE_S = 60.0
_CHUNK = 64 * 1024
_MAX_CONNECTIONS = 64  # of one page
_MAX_REFUSALS = 200  # kept of one pass
_MAX_ADDRESSES = 2000  # kept of one pass
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
    (ProxyRefusesUs, "proxy-refuses"),
    (ProxyFailed, "proxy"),
    (TimeoutError, "timeout"),
    (OSError, "refused"),
)


class Spent(Exception):
    """A page received all that it may."""


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """On which a client is let out.

    Attributes:
        way: how it is connected; None means directly.
        judge: the address that a host may be reached at; None means as the guard judges.
        most_connections: that it may hold at once.
        idle_s: for which one end may be silent, whatever the other does.
        is_told: whether it is told that there is no tunnel; a page is not, Scrapy would wait for ever.
    """

    way: Connector | None = None
    judge: Judge | None = None
    most_connections: int = _MAX_CONNECTIONS
    idle_s: float = _IDLE_S
    is_told: bool = False


@dataclass(slots=True, eq=False)
class Client:
    """What one client may do: a page, a set of pages with the same cookies, or the crawl through one proxy.

    Attributes:
        name: the user that its requests come as.
        left: bytes that it may still receive.
        terms: on which it is let out.
        addresses: where each (host, port) was reached.
        refusals: why a (host, port) was not.
    """

    name: str
    left: int
    terms: ClientLimits
    addresses: dict[tuple[str, int], str] = field(default_factory=dict)
    refusals: dict[tuple[str, int], str] = field(default_factory=dict)
    open: set[asyncio.Task[None]] = field(default_factory=set)

    def spend(self, number: int) -> None:
        """Count received bytes.

        Raises:
            Spent: they are more than what is left.
        """
        self.left -= number
        if self.left < 0:
            raise Spent

    def reached(self, asked: ProxyRequest, address: str) -> None:
        """Note where a place was reached; the oldest are forgotten."""
        self.addresses[asked.host, asked.port] = address
        if len(self.addresses) > _MAX_ADDRESSES:
            del self.addresses[next(iter(self.addresses))]

    def refuse(self, asked: ProxyRequest, reason: str) -> None:
        """Note why a place was not reached."""
        if len(self.refusals) < _MAX_REFUSALS:
            self.refusals[asked.host, asked.port] = reason


_OF_A_PAGE = ClientLimits()


class ForwardProxy:
    """The proxy.

    Args:
        judge: the address that a host may be reached at.
        refuses_peer: tells of a connection's other end whether it must not be there.
    """

    def __init__(self, judge: Judge, *, refuses_peer: RefusesPeer) -> None:
        self._judge = judge
        self._direct = direct(refuses_peer=refuses_peer)
        self._passes: dict[str, Client] = {}
        self._server: asyncio.Server | None = None
        self.password = secrets.token_urlsafe(24)
        self.url = ""

    async def start(self) -> None:
        """Begin to listen, on a port of loopback that the system chooses."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=HEAD_BYTES)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening and hang up everywhere."""
        if self._server is not None:
            self._server.close()
        for name in list(self._passes):
            self.withdraw(name)

    def grant(self, name: str, *, most_bytes: int, terms: ClientLimits = _OF_A_PAGE) -> Client:
        """Let a client out; one that is let out already may receive so many bytes more."""
        found = self._passes.setdefault(name, Client(name, 0, terms))
        found.left = max(0, found.left) + most_bytes
        return found

    def withdraw(self, name: str) -> None:
        """Let a client out no more, and end its connections."""
        found = self._passes.pop(name, None)
        for task in tuple(found.open) if found else ():
            task.cancel()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except (
            OSError,
            BadHead,
            Spent,
            TimeoutError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
        ):
            pass  # hanging up is the answer; the pass has the reason
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:  # withdrawn: the end of the connection, not of the crawl
                task.uncancel()
        finally:
            _hang_up(writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_S):
            asked = read_request(await reader.readuntil(b"\r\n\r\n"))
        name, password = asked.user
        found = self._passes.get(name)
        if found is None or not secrets.compare_digest(password.encode(), self.password.encode()):
            writer.write(_UNAUTHORISED)
            await writer.drain()
            return
        task: Any = asyncio.current_task()
        if len(found.open) >= found.terms.most_connections:
            found.refuse(asked, "hostile")
            return
        found.open.add(task)
        try:
            await self._pass_on(found, asked, reader, writer)
        finally:
            found.open.discard(task)

    async def _pass_on(
        self, found: Client, asked: ProxyRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        opened = await self._reach(found, asked)
        if opened is None:
            if asked.is_tunnel and found.terms.is_told:
                writer.write(_NO_TUNNEL)
                await writer.drain()
            return
        far_writer = opened[1]
        try:
            if asked.is_tunnel:
                writer.write(_TUNNEL_OPEN)
                await _tunnel(found, (reader, writer), opened)
            else:
                await _exchange(found, asked, (reader, writer), opened)
        except Spent:
            found.refuse(asked, "too-large")
        except (BadHead, asyncio.LimitOverrunError):
            found.refuse(asked, "other")
        except TimeoutError:
            found.refuse(asked, "timeout")
        finally:
            _hang_up(far_writer)

    async def _reach(self, found: Client, asked: ProxyRequest) -> StreamPair | None:
        """Connect to where a host may be reached; None when it may not or cannot."""
        try:
            async with asyncio.timeout(CONNECT_S):
                address = await (found.terms.judge or self._judge)(asked.host, asked.port)
                opened = await (found.terms.way or self._direct)(address, asked.port)
        except tuple(kind for kind, _ in _REASONS) as error:
            found.refuse(asked, next(reason for kind, reason in _REASONS if isinstance(error, kind)))
            return None
        found.reached(asked, address)
        return opened


async def _tunnel(found: Client, near: StreamPair, far: StreamPair) -> None:
    """Pass bytes on in both directions until one of them ends."""
    idle_s = found.terms.idle_s
    await _first_of(_pump(near[0], far[1], None, idle_s), _pump(far[0], near[1], found, idle_s))


async def _exchange(found: Client, asked: ProxyRequest, near: StreamPair, far: StreamPair) -> None:
    """Pass one request and its response on; both connections end with it."""
    (reader, writer), (far_reader, far_writer) = near, far
    far_writer.write(asked.head)
    left = asked.body_bytes
    while left and (chunk := await reader.read(min(left, _CHUNK))):
        left -= len(chunk)
        far_writer.write(chunk)
        await far_writer.drain()
    for _ in range(_MAX_INTERIM):
        async with asyncio.timeout(found.terms.idle_s):
            head = await far_reader.readuntil(b"\r\n\r\n")
        found.spend(len(head))
        status, told = closing(head)
        if status == _SWITCHING:
            raise BadHead("switching protocols")
        if status not in _INTERIM:
            writer.write(told)
            await _first_of(_pump(far_reader, writer, found, found.terms.idle_s), _gone(reader))
            return
    raise BadHead("interim responses")


async def _pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, found: Client | None, idle_s: float
) -> None:
    """Pass bytes on to their end; counted against a pass where one is given."""
    while True:
        async with asyncio.timeout(idle_s):
            chunk = await reader.read(_CHUNK)
        if not chunk:
            return
        if found is not None:
            found.spend(len(chunk))
        writer.write(chunk)
        async with asyncio.timeout(idle_s):
            await writer.drain()


async def _gone(reader: asyncio.StreamReader) -> None:
    """Wait until the client hangs up; whatever else it sends is not for the server it was connected with."""
    while await reader.read(_CHUNK):
        pass


async def _first_of(*waits: Any) -> None:
    """Wait for the first to end, and end the others.

    Raises:
        Exception: as the first one does.
    """
    tasks = [asyncio.ensure_future(each) for each in waits]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _hang_up(writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, RuntimeError):
        writer.close()
