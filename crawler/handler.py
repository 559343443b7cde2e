"""The download handler for http and https: Scrapy's, with two more bounds that Twisted lacks.

Headers: Twisted bounds a line but not their number, so a server that never ends its headers fills the memory
until the time limit. Peers: the address that a connection was made to is checked before a byte is sent,
whatever road led there; the guard and the resolver refuse earlier and say why, this is the last door.
Connections to a proxy are the source's own choice and pass. A request through a SOCKS proxy goes by the
forwarder, which judges its address once more.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from twisted.web._newclient import ParseError

from crawler.forwarding.forwarder import SOCKS, Forwarder, address_of, problem_of
from crawler.forwarding.judging import judge_by, resolved
from crawler.inner import Inner

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress

MAX_HEADER_BYTES: Final = 64 * 1024
MAX_HEADER_LINES: Final = 300


class _BoundedParser(_LenientHTTPClientParser):
    """Gives a response up when its headers have no end."""

    header_bytes = 0
    header_lines = 0

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's name
        self.header_bytes += len(line)
        self.header_lines += 1
        if self.header_bytes > MAX_HEADER_BYTES or self.header_lines > MAX_HEADER_LINES:
            raise ParseError("too many headers", b"")  # type: ignore[no-untyped-call]
        super().lineReceived(line)


class _BoundedProtocol(_LenientHTTP11ClientProtocol):
    """Checks its peer, and parses with bounds."""

    refuses_peer: Callable[[str, int], bool]

    def connectionMade(self) -> None:  # noqa: N802 - Twisted's name
        super().connectionMade()
        transport: Any = self.transport
        peer = transport.getPeer()
        if self.refuses_peer(getattr(peer, "host", ""), getattr(peer, "port", 0)):
            transport.abortConnection()

    def request(self, request: Any) -> Any:
        answer = super().request(request)
        if self._parser is not None:
            self._parser.__class__ = _BoundedParser
        return answer


class _BoundedFactory(_LenientHTTP11ClientFactory):
    """Builds bounded protocols for one handler."""

    refuses_peer: Callable[[str, int], bool]

    def buildProtocol(self, addr: "IAddress | None") -> _BoundedProtocol:  # noqa: ARG002, N802 - Twisted's
        protocol = _BoundedProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]
        protocol.refuses_peer = self.refuses_peer
        return protocol


class BoundedHTTPHandler(HTTP11DownloadHandler):
    """HTTP/1.1 over plain connections and TLS."""

    def __init__(self, crawler: "Crawler") -> None:
        super().__init__(crawler)
        inner: Inner = crawler.settings["PINDNA_INNER"]
        has_proxies = crawler.settings.getbool("HTTPPROXY_ENABLED")

        class Factory(_BoundedFactory):
            refuses_peer = staticmethod(
                lambda host, port: not has_proxies and inner.refuses_peer(host, port)
            )

        self._pool._factory = Factory  # noqa: SLF001 - how Scrapy's own handler sets it
        self._forwarder = Forwarder(
            judge_by(resolved, places=inner.own),
            refuses_peer=inner.refuses_peer,
            most_bytes=crawler.settings.getint("DOWNLOAD_MAXSIZE"),
            timeout_s=crawler.settings.getfloat("DOWNLOAD_TIMEOUT"),
        )

    async def download_request(self, request: "Request") -> "Response":
        """Download a request, through its SOCKS proxy when it has one.

        Raises:
            Exception: as a download does, see :mod:`crawler.failures`.
        """
        proxy = request.meta.get(SOCKS)
        if proxy is None:
            return await super().download_request(request)
        passed = await self._forwarder.send_through(request, proxy)
        try:
            response = await super().download_request(request)
        except Exception as error:  # whatever a download may raise when it is hung up on
            raise problem_of(request, passed) or error from error
        finally:
            self._forwarder.take_back(request)
        response.ip_address = address_of(request, passed)
        return response

    async def close(self) -> None:
        """Close all connections, and the forwarder."""
        await super().close()
        await self._forwarder.close()
