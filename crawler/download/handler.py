"""The download handler for http and https: Scrapy's, with bounds and checks that Twisted lacks.

Headers: Twisted bounds a line but not their number, so a server that never ends its headers fills the
memory until the time limit; here both are bounded. Twisted gives a whole response up for one field whose name
is no token (RFC 9110, 5.6.2); here it is skipped, as browsers do. The header block is kept as the bytes that
came, for the evidence.

Peers: the address that a connection was made to is checked before a byte is sent, however it was reached.
The address middleware and the resolver refuse earlier and say why; this is the last check. A proxy is the
source's own choice. A request through a SOCKS proxy goes by the forwarder, which looks its address up itself.
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
from crawler.download.forwarding.http1 import MAX_HEADER_BYTES, MAX_HEADER_LINES
from crawler.download.forwarding.lookup import resolve_name, safe_lookup
from crawler.download.private_allowlist import PrivateAllowlist
from crawler.meta import HEADER_BLOCK, SOCKS

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress

_CARRIER = b"X-Pindna-Head"  # carries the header block through Twisted and Scrapy, and is removed again
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class _BoundedParser(_LenientHTTPClientParser):
    """Gives a response up only when it has too many header bytes or lines."""

    header_bytes = 0
    header_lines = 0
    lines: tuple[bytes, ...] = ()

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's name
        self.header_bytes += len(line)
        self.header_lines += 1
        if self.header_bytes > MAX_HEADER_BYTES or self.header_lines > MAX_HEADER_LINES:
            raise ParseError("too many headers", b"")  # type: ignore[no-untyped-call]
        if line.removesuffix(b"\r"):
            self.lines += (line.removesuffix(b"\r"),)
        if line[:1] in (b" ", b"\t") and self._partialHeader is None and len(self.lines) > 1:
            return  # it continues a field that is not there
        super().lineReceived(line)

    def headerReceived(self, name: bytes, value: bytes) -> None:  # noqa: N802 - Twisted's name
        name = name.rstrip(b" \t")
        if _TOKEN.fullmatch(name) and name.lower() != _CARRIER.lower():
            super().headerReceived(name, value)  # type: ignore[no-untyped-call]

    def allHeadersReceived(self) -> None:  # noqa: N802 - Twisted's name
        block, self.lines = b64encode(b"\r\n".join(self.lines)), ()
        self.headers.setRawHeaders(_CARRIER, [block])
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
        deferred = super().request(request)
        if self._parser is not None:
            self._parser.__class__ = _BoundedParser
        return deferred


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
        private: PrivateAllowlist = crawler.settings["PINDNA_PRIVATE_ALLOWLIST"]

        class Factory(_BoundedFactory):
            refuses_peer = staticmethod(
                lambda host, port: (
                    (host, port) != self._forwarder.host_port and private.refuses_peer(host, port)
                )
            )

        self._pool._factory = Factory  # noqa: SLF001 - how Scrapy's own handler sets it
        self._forwarder = Forwarder(
            safe_lookup(resolve_name, allowed=private.own),
            refuses_peer=private.refuses_peer,
            max_bytes=crawler.settings.getint("DOWNLOAD_MAXSIZE"),
            timeout_s=crawler.settings.getfloat("DOWNLOAD_TIMEOUT"),
        )

    async def download_request(self, request: "Request") -> "Response":
        """Download a request, through its SOCKS proxy when it has one.

        Raises:
            Exception: as a download does, see :mod:`crawler.failures`.
        """
        proxy = request.meta.get(SOCKS)
        if proxy is None:
            return _move_header_block(request, await super().download_request(request))
        client = await self._forwarder.attach(request, proxy)
        try:
            response = _move_header_block(request, await super().download_request(request))
        except Exception as error:  # whatever a download may raise when its connection is closed
            raise problem_of(request, client) or error from error
        finally:
            self._forwarder.detach(request)
        response.ip_address = address_of(request, client)
        return response

    async def close(self) -> None:
        """Close all connections, and the forwarder."""
        await super().close()
        await self._forwarder.close()


def _move_header_block(request: "Request", response: "Response") -> "Response":
    """Move the header block that came from the response's headers to the request's meta."""
    values = response.headers.pop(_CARRIER, [b""])
    request.meta[HEADER_BLOCK] = b64decode(values[0])
    return response
