"""Sends requests to SOCKS proxies through the forward proxy, because Scrapy supports only HTTP proxies.

Guarantees: the proxy listens only from the first request that needs it to the end of the crawl, and serves
only this crawl. A refused request raises an error of :mod:`crawler.failures`; it never returns a response
that could be mistaken for the site's.
"""

import asyncio
import base64
import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from crawler.addresses import Address
from crawler.download.forwarding.connectors import RefusesPeer
from crawler.download.forwarding.lookup import Lookup
from crawler.download.forwarding.proxy import Client, ClientLimits, ForwardProxy, destination_of
from crawler.download.forwarding.socks import SocksProxy, socks_connector
from crawler.failures import error_of

if TYPE_CHECKING:
    from scrapy import Request

_AUTHORIZATION = "Proxy-Authorization"
_SPARE = 1024 * 1024  # additional bytes for headers and for TLS
_MAX_CONNECTIONS = 1024  # maximum number of active and idle connections
_IDLE_S = 60.0


class Forwarder:
    """Sends requests through SOCKS proxies.

    Args:
        lookup: returns the allowed address of a host.
        refuses_peer: returns whether a connection to an address and port must not be used.
        max_bytes: of one response; each request adds them to the allowance of its client.
        timeout_s: of one download; then Scrapy closes the connection itself.
    """

    def __init__(
        self, lookup: Lookup, *, refuses_peer: RefusesPeer, max_bytes: int, timeout_s: float
    ) -> None:
        self._proxy = ForwardProxy(lookup, refuses_peer=refuses_peer)
        self._max_bytes = max_bytes
        self._idle_s = max(_IDLE_S, 2 * timeout_s)
        self._names: dict[SocksProxy, str] = {}
        self._starting = asyncio.Lock()

    @property
    def host_port(self) -> tuple[str, int]:
        """Host and port of the listening proxy; ``("", 0)`` before it listens."""
        parts = urlsplit(self._proxy.url)
        return parts.hostname or "", parts.port or 0

    async def attach(self, request: "Request", proxy: SocksProxy) -> Client:
        """Route a request through a SOCKS proxy, and return its client."""
        async with self._starting:
            if not self._proxy.url:
                await self._proxy.start()
        name = self._names.setdefault(proxy, f"socks-{len(self._names)}")
        client = self._proxy.admit(
            name,
            max_bytes=self._max_bytes + _SPARE,
            limits=ClientLimits(
                socks_connector(proxy),
                max_connections=_MAX_CONNECTIONS,
                idle_s=self._idle_s,
                reports_failure=True,
            ),
        )
        credentials = base64.b64encode(f"{name}:{self._proxy.password}".encode()).decode()
        request.meta["proxy"] = self._proxy.url
        request.headers[_AUTHORIZATION] = f"Basic {credentials}"
        return client

    @staticmethod
    def detach(request: "Request") -> None:
        """Undo :meth:`attach`, so that a retry or redirect does not send our password to another server."""
        request.meta["proxy"] = None
        request.headers.pop(_AUTHORIZATION, None)

    async def close(self) -> None:
        """Stop listening and close every connection."""
        await self._proxy.close()


def problem_of(request: "Request", client: Client) -> Exception | None:
    """Return why a request failed; None if the proxy recorded no reason."""
    reason = client.refusals.pop(destination_of(request.url), "")
    return error_of(reason) if reason else None


def address_of(request: "Request", client: Client) -> Address | None:
    """Return the site's address that the proxy connected to."""
    address = client.addresses.get(destination_of(request.url))
    return ipaddress.ip_address(address) if address else None
