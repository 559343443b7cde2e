"""Looks up hosts for clients of the forward proxy, with the crawler's checks against SSRF.

A literal address is checked in every spelling, a name by the address from the crawler's safe resolver. The
proxy connects to exactly the returned address, so DNS rebinding is not possible.
"""

from collections.abc import Awaitable, Callable, Container
from typing import TypeAlias

from scrapy.exceptions import CannotResolveHostError
from scrapy.utils.defer import maybe_deferred_to_future

from crawler.addresses import is_private, literal_address
from crawler.download.private_allowlist import HostPort, normalized_host
from crawler.download.resolver import REFUSED_NAMES
from crawler.failures import PrivateAddress

Lookup: TypeAlias = Callable[[str, int], Awaitable[str]]


def safe_lookup(
    resolve: Callable[[str], Awaitable[str]], *, allowed: Container[HostPort] = (), only_allowed: bool = False
) -> Lookup:
    """Return a function that maps a host and a port to the address to connect to.

    It raises ``PrivateAddress`` for a private address, ``CannotResolveHostError`` for an unknown name.

    Args:
        resolve: looks a name up; refuses private addresses itself.
        allowed: private hosts and ports that may be reached.
        only_allowed: whether no other address may be reached.
    """

    async def look_up(host: str, port: int) -> str:
        is_allowed = (normalized_host(host), port) in allowed
        if only_allowed and not is_allowed:
            raise PrivateAddress("outside of the inner addresses")
        address = literal_address(host)
        if address is None:
            try:
                address = literal_address(await resolve(host))
            except OSError as error:
                if host.lower() in REFUSED_NAMES:
                    raise PrivateAddress("an inner address") from error
                raise CannotResolveHostError(host) from error
        if address is None or (is_private(address) and not is_allowed):
            raise PrivateAddress("an inner address")
        return str(address)

    return look_up


async def resolve_name(name: str) -> str:
    """Look up a name through the reactor, with its safe resolver.

    Raises:
        DNSLookupError: the name is unknown, or its address is private.
    """
    from twisted.internet import reactor  # noqa: PLC0415 - the reactor is installed by now

    address: str = await maybe_deferred_to_future(reactor.resolve(name))  # type: ignore[arg-type]
    return address
