"""The download handler for http and https: Scrapy's, with two more bounds that Twisted lacks, and one less.

Headers: Twisted bounds a line but not their number, so a server that never ends its headers fills the
memory until the time limit; and it gives a whole response up for one header whose name is no token (RFC
9110, 5.6.2), which is skipped here as browsers do. The head is kept as the bytes that came, for the
evidence. Peers: the address that a connection was made to is checked before a byte is sent, whatever road
led there; the guard and the resolver refuse earlier and say why, this is the last door. A proxy is the
source's own choice. A request through a SOCKS proxy goes by the forwarder, which
judges its address once more.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from twisted.web._newclient import ParseError

from crawler.download.forwarding.forwarder import Forwarder, address_of, problem_of
from crawler.download.forwarding.judging import judge_by, resolved
from crawler.download.private_places import Inner
from crawler.meta import HEAD, SOCKS

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress

MAX_HEADER_BYTES = 64 * 1024
MAX_HEADER_LINES = 300


_CARRIER = b"X-Pindna-Head"  # takes them through Twisted and Scrapy, and is taken out again
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class _BoundedParser(_LenientHTTPClientParser):
    """Gives a response up when its headers have no end, and for nothing else in them."""

    header_bytes = 0
    header_lines = 0
    head: tuple[bytes, ...] = ()

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's name
        self.header_bytes += len(line)
        self.header_lines += 1
        if self.header_bytes > MAX_HEADER_BYTES or self.header_lines > MAX_HEADER_LINES:
            raise ParseError("too many headers", b"")  # type: ignore[no-untyped-call]
        if line.removesuffix(b"\r"):
            self.head += (line.removesuffix(b"\r"),)
        if line[:1] in (b" ", b"\t") and self._partialHeader is None and len(self.head) > 1:
            return  # it goes on with a header that is not there
        super().lineReceived(line)

    def headerReceived(self, name: bytes, value: bytes) -> None:  # noqa: N802 - Twisted's name
        name = name.rstrip(b" \t")
        if _TOKEN.fullmatch(name) and name.lower() != _CARRIER.lower():
            super().headerReceived(name, value)  # type: ignore[no-untyped-call]

    def allHeadersReceived(self) -> None:  # noqa: N802 - Twisted's name
        head, self.head = b64encode(b"\r\n".join(self.head)), ()
        self.headers.setRawHeaders(_CARRIER, [head])
        super().allHeadersReceived()  # type: ignore[no-untyped-call]


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
        inner: Inner = crawler.settings["PINDNA_PRIVATE_PLACES"]

        class Factory(_BoundedFactory):
            refuses_peer = staticmethod(
                lambda host, port: (host, port) != self._forwarder.place and inner.refuses_peer(host, port)
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
            return _headed(request, await super().download_request(request))
        passed = await self._forwarder.send_through(request, proxy)
        try:
            response = _headed(request, await super().download_request(request))
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


def _headed(request: "Request", response: "Response") -> "Response":
    """Move the head that came from the response's headers to the request's meta."""
    found = response.headers.pop(_CARRIER, [b""])
    request.meta[HEAD] = b64decode(found[0])
    return response
