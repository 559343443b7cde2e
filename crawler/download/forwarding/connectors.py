"""Connects the forward proxy to an address that was looked up, directly or through another proxy.

A connector returns the reader and the writer of a connection. It raises ``PrivateAddress``, ``ProxyFailed``,
``TimeoutError``, or ``OSError`` if the address cannot be reached.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from crawler.download.forwarding.http1 import MAX_HEADER_BYTES
from crawler.failures import PrivateAddress

StreamPair: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connector: TypeAlias = Callable[[str, int], Awaitable[StreamPair]]
RefusesPeer: TypeAlias = Callable[[str, int], bool]


def direct_connector(*, refuses_peer: RefusesPeer) -> Connector:
    """Return a connector that connects directly, and checks the peer again before it sends a byte.

    Args:
        refuses_peer: returns whether a connection to an address and port must not be used.
    """

    async def connect(address: str, port: int) -> StreamPair:
        streams = await asyncio.open_connection(address, port, limit=MAX_HEADER_BYTES)
        peer = streams[1].get_extra_info("peername")
        if peer and not refuses_peer(peer[0], peer[1]):
            return streams
        streams[1].transport.abort()
        raise PrivateAddress("an inner address")

    return connect
