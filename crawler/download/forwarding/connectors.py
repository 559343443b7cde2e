"""How the guard connects to an address that was judged: by itself, or through somebody else.

A way returns both ends of a connection. It raises ``PrivateAddress``, ``ProxyFailed``, ``TimeoutError`` or
``OSError``, the last when the address cannot be reached.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from crawler.download.forwarding.wire import HEAD_BYTES
from crawler.failures import PrivateAddress

StreamPair: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connector: TypeAlias = Callable[[str, int], Awaitable[StreamPair]]
RefusesPeer: TypeAlias = Callable[[str, int], bool]


def direct(*, refuses_peer: RefusesPeer) -> Connector:
    """Return the way that connects by itself, and looks at the other end once more before a byte is sent.

    Args:
        refuses_peer: tells of address and port of the other end whether it must not be there.
    """

    async def connect(address: str, port: int) -> StreamPair:
        opened = await asyncio.open_connection(address, port, limit=HEAD_BYTES)
        peer = opened[1].get_extra_info("peername")
        if peer and not refuses_peer(peer[0], peer[1]):
            return opened
        opened[1].transport.abort()
        raise PrivateAddress("an inner address")

    return connect
