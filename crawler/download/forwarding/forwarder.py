"""Puts the SOCKS proxies of a source behind an HTTP proxy of our own, which is what Scrapy speaks.

Guarantees: nothing listens before the first request that needs it, nor after the crawl; only this crawl is
served; what a request is refused for is told in the words of :mod:`crawler.failures`, never by an answer that
could be taken for the site's.
"""

import asyncio
import base64
import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.addresses import Address
from crawler.download.forwarding.connectors import RefusesPeer
from crawler.download.forwarding.judging import Judge
from crawler.download.forwarding.proxy import Client, ClientLimits, ForwardProxy
from crawler.download.forwarding.socks import SocksProxy, through
from crawler.failures import error_of

if TYPE_CHECKING:
    from scrapy import Request

_AUTHORIZATION = "Proxy-Authorization"
_SPARE = 1024 * 1024  # heads, and what TLS adds
_MAX_CONNECTIONS = 1024  # under way, and kept open for the next request
_IDLE_S = 60.0
_DEFAULT_PORTS = {"http": 80, "https": 443}


class Forwarder:
    """The way of requests through SOCKS proxies.

    Args:
        judge: the address that a host may be reached at.
        refuses_peer: tells of a connection's other end whether it must not be there.
        most_bytes: of one response; each request lets so many more in.
        timeout_s: of one download, at the end of which Scrapy hangs up by itself.
    """

    def __init__(self, judge: Judge, *, refuses_peer: RefusesPeer, most_bytes: int, timeout_s: float) -> None:
        self._guard = ForwardProxy(judge, refuses_peer=refuses_peer)
        self._most_bytes = most_bytes
        self._idle_s = max(_IDLE_S, 2 * timeout_s)
        self._names: dict[SocksProxy, str] = {}
        self._starting = asyncio.Lock()

    @property
    def place(self) -> tuple[str, int]:
        """Host and port that it listens on; ``("", 0)`` as long as it does not."""
        parts = urlsplit(self._guard.url)
        return parts.hostname or "", parts.port or 0

    async def send_through(self, request: "Request", proxy: SocksProxy) -> Client:
        """Turn a request towards a proxy, and return what its pass will know of it."""
        async with self._starting:
            if not self._guard.url:
                await self._guard.start()
        name = self._names.setdefault(proxy, f"socks-{len(self._names)}")
        passed = self._guard.grant(
            name,
            most_bytes=self._most_bytes + _SPARE,
            terms=ClientLimits(
                through(proxy), most_connections=_MAX_CONNECTIONS, idle_s=self._idle_s, is_told=True
            ),
        )
        secret = base64.b64encode(f"{name}:{self._guard.password}".encode()).decode()
        request.meta["proxy"] = self._guard.url
        request.headers[_AUTHORIZATION] = f"Basic {secret}"
        return passed

    @staticmethod
    def take_back(request: "Request") -> None:
        """Turn a request away again, so that nothing else is sent our secret when it is sent once more."""
        request.meta["proxy"] = None
        request.headers.pop(_AUTHORIZATION, None)

    async def close(self) -> None:
        """Stop listening and hang up everywhere."""
        await self._guard.close()


def problem_of(request: "Request", passed: Client) -> Exception | None:
    """Return why a request came to nothing, None when the guard knows of no reason."""
    reason = passed.refusals.pop(_place(request), "")
    return error_of(reason) if reason else None


def address_of(request: "Request", passed: Client) -> Address | None:
    """Return the site's address that the proxy was asked for."""
    found = passed.addresses.get(_place(request))
    return ipaddress.ip_address(found) if found else None


def _place(request: "Request") -> tuple[str, int]:
    parts = urlsplit(request.url)
    return parts.hostname or "", parts.port or _DEFAULT_PORTS[parts.scheme]
