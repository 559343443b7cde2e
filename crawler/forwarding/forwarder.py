"""Puts the SOCKS proxies of a source behind an HTTP proxy of our own, which is what Scrapy speaks.

Guarantees: nothing listens before the first request that needs it, nor after the crawl; only this crawl is
served; what a request is refused for is told in the words of :mod:`crawler.failures`, never by an answer that
could be taken for the site's.
"""

import asyncio
import base64
import ipaddress
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from crawler.addresses import Address, Network
from crawler.failures import error_of
from crawler.forwarding.guard import Guard, Pass, Terms
from crawler.forwarding.judging import Judge
from crawler.forwarding.socks import SocksProxy, through

if TYPE_CHECKING:
    from scrapy import Request

SOCKS: Final = "pindna_socks"  # meta: the SOCKS proxy that a request goes through
_AUTHORIZATION: Final = "Proxy-Authorization"
_SPARE: Final = 1024 * 1024  # heads, and what TLS adds
_MOST_CONNECTIONS: Final = 1024  # under way, and kept open for the next request
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Forwarder:
    """The way of requests through SOCKS proxies.

    Args:
        judge: the address that a host may be reached at.
        allowed: networks of inner addresses that may be reached.
        most_bytes: of one response; each request lets so many more in.
    """

    def __init__(self, judge: Judge, *, allowed: tuple[Network, ...], most_bytes: int) -> None:
        self._guard = Guard(judge, allowed=allowed)
        self._most_bytes = most_bytes
        self._names: dict[SocksProxy, str] = {}
        self._starting = asyncio.Lock()

    async def send_through(self, request: "Request", proxy: SocksProxy) -> Pass:
        """Turn a request towards a proxy, and return what its pass will know of it."""
        async with self._starting:
            if not self._guard.url:
                await self._guard.start()
        name = self._names.setdefault(proxy, f"socks-{len(self._names)}")
        passed = self._guard.grant(
            name,
            most_bytes=self._most_bytes + _SPARE,
            terms=Terms(through(proxy), _MOST_CONNECTIONS, is_told=True),
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


def problem_of(request: "Request", passed: Pass) -> Exception | None:
    """Return why a request came to nothing, None when the guard knows of no reason."""
    reason = passed.refusals.pop(_place(request), "")
    return error_of(reason) if reason else None


def address_of(request: "Request", passed: Pass) -> Address | None:
    """Return the site's address that the proxy was asked for."""
    found = passed.addresses.get(_place(request))
    return ipaddress.ip_address(found) if found else None


def _place(request: "Request") -> tuple[str, int]:
    parts = urlsplit(request.url)
    return parts.hostname or "", parts.port or _DEFAULT_PORTS[parts.scheme]
