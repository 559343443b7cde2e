"""How the guard connects to an address that was judged: by itself, or through somebody else.

A way returns both ends of a connection. It raises ``InnerAddress``, ``ProxyFailed``, ``TimeoutError`` or
``OSError``, the last when the address cannot be reached.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from crawler.addresses import Network, refuses_peer
from crawler.failures import InnerAddress
from crawler.forwarding.wire import HEAD_BYTES

Ends: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Way: TypeAlias = Callable[[str, int], Awaitable[Ends]]


def direct(*, allowed: tuple[Network, ...]) -> Way:
    """Return the way that connects by itself, and looks at the other end once more before a byte is sent.

    Args:
        allowed: networks of inner addresses that may be reached.
    """

    async def connect(address: str, port: int) -> Ends:
        opened = await asyncio.open_connection(address, port, limit=HEAD_BYTES)
        peer = opened[1].get_extra_info("peername")
        if peer and not refuses_peer(peer[0], allowed=allowed):
            return opened
        opened[1].transport.abort()
        raise InnerAddress("an inner address")

    return connect
