"""The download handler for http and https: Scrapy's, with limits and checks that Twisted lacks.

Headers: Twisted limits the length of a line but not the number of lines, so endless headers would fill the
memory; here both are limited. Twisted rejects a response for one field whose name is not a token (RFC 9110,
5.6.2); here the field is skipped, as in browsers. Both header blocks are recorded as bytes for the evidence.

Peers: the peer address of every connection is checked before a byte is sent. The address middleware and the
resolver refuse earlier and give the reason; this is the last check. Proxies are chosen by the source. A
request through a SOCKS proxy uses the forwarder, which looks up the address itself.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

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
from crawler.meta import HEADER_BLOCK, REQUEST_BLOCK, SOCKS

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress

_CARRIER = b"X-Pindna-Head"  # temporary field that carries both header blocks through Twisted and Scrapy
_END = b"\r\n\r\n"
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class _HeaderRecorder:
    """Records the header block that a request of Twisted writes to its transport.

    Args:
        request: to record; from now on it writes through this recorder.
    """

    def __init__(self, request: Any) -> None:
        self.sent = b""
        self._write = request._writeHeaders  # noqa: SLF001 - every request is written by it
        self._transport: Any = None
        request._writeHeaders = self._record_connection  # noqa: SLF001 - as above

    def _record_connection(self, transport: Any, framing: bytes | None) -> None:
        self._transport = transport
        self._write(self, framing)

    def writeSequence(self, lines: Sequence[bytes]) -> None:  # noqa: N802 - Twisted's name
        """Write a header block."""
        self.sent = b"".join(lines).removesuffix(_END)
        self._transport.writeSequence(lines)


class _BoundedParser(_LenientHTTPClientParser):
    """Rejects a response only for too many header bytes or lines."""

    sent = b""
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
            return  # this line continues a skipped field
        super().lineReceived(line)

    def headerReceived(self, name: bytes, value: bytes) -> None:  # noqa: N802 - Twisted's name
        name = name.rstrip(b" \t")
        if _TOKEN.fullmatch(name) and name.lower() != _CARRIER.lower():
            super().headerReceived(name, value)  # type: ignore[no-untyped-call]

    def allHeadersReceived(self) -> None:  # noqa: N802 - Twisted's name
        block, self.lines = b"\r\n".join(self.lines), ()
        self.headers.setRawHeaders(_CARRIER, [b64encode(self.sent), b64encode(block)])
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
        recorder = _HeaderRecorder(request)
        deferred = super().request(request)
        parser: Any = self._parser
        if parser is not None:
            parser.__class__ = _BoundedParser
            parser.sent = recorder.sent
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
            safe_lookup(resolve_name, allowed=private.source_hosts),
            refuses_peer=private.refuses_peer,
            max_bytes=crawler.settings.getint("DOWNLOAD_MAXSIZE"),
            timeout_s=crawler.settings.getfloat("DOWNLOAD_TIMEOUT"),
        )

    async def download_request(self, request: "Request") -> "Response":
        """Download a request, through its SOCKS proxy if it has one.

        Raises:
            Exception: as a download raises it, see :mod:`crawler.failures`.
        """
        proxy = request.meta.get(SOCKS)
        if proxy is None:
            return _move_header_blocks(request, await super().download_request(request))
        client = await self._forwarder.attach(request, proxy)
        try:
            response = _move_header_blocks(request, await super().download_request(request))
        except Exception as error:  # a download may raise any exception when its connection is closed
            raise problem_of(request, client) or error from error
        finally:
            self._forwarder.detach(request)
        response.ip_address = address_of(request, client)
        if exchange := client.exchanges.pop(urldefrag(request.url).url, None):
            request.meta[REQUEST_BLOCK], request.meta[HEADER_BLOCK] = exchange
        return response

    async def close(self) -> None:
        """Close all connections, and the forwarder."""
        await super().close()
        await self._forwarder.close()


def _move_header_blocks(request: "Request", response: "Response") -> "Response":
    """Move both header blocks from the response's headers to the request's meta."""
    sent, block = map(b64decode, response.headers.pop(_CARRIER, [b"", b""]))
    request.meta[REQUEST_BLOCK], request.meta[HEADER_BLOCK] = sent, block
    return response
