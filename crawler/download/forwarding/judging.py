"""At which address a host may be reached: the crawler's own doors, for connections of another.

A literal is judged in every spelling, a name by what the crawler's guarded resolver makes of it; the guard
connects to the very address that is returned here, so there is no gap for rebinding.
"""

from collections.abc import Awaitable, Callable, Container
from typing import TypeAlias

from scrapy.exceptions import CannotResolveHostError
from scrapy.utils.defer import maybe_deferred_to_future

from crawler.addresses import is_private, literal_address
from crawler.download.private_places import Place, host_of
from crawler.download.resolver import REFUSED_NAMES
from crawler.failures import PrivateAddress

Judge: TypeAlias = Callable[[str, int], Awaitable[str]]


def judge_by(
    resolve: Callable[[str], Awaitable[str]], *, places: Container[Place] = (), is_shut_in: bool = False
) -> Judge:
    """Return a function from a host and a port to the address to connect to.

    It raises ``PrivateAddress`` for an inner one, ``CannotResolveHostError`` for an unknown name.

    Args:
        resolve: looks a name up; refuses inner addresses itself.
        places: inner ones that may be reached.
        is_shut_in: nothing but these places may be reached.
    """

    async def judge(host: str, port: int) -> str:
        is_opened = (host_of(host), port) in places
        if is_shut_in and not is_opened:
            raise PrivateAddress("outside of the inner addresses")
        address = literal_address(host)
        if address is None:
            try:
                address = literal_address(await resolve(host))
            except OSError as error:
                if host.lower() in REFUSED_NAMES:
                    raise PrivateAddress("an inner address") from error
                raise CannotResolveHostError(host) from error
        if address is None or (is_private(address) and not is_opened):
            raise PrivateAddress("an inner address")
        return str(address)

    return judge


async def resolved(name: str) -> str:
    """Look a name up as the crawl does: through the reactor, with its guarded resolver.

    Raises:
        DNSLookupError: the name is unknown, or stands for an inner address.
    """
    from twisted.internet import reactor  # noqa: PLC0415 - installed by then

    found: str = await maybe_deferred_to_future(reactor.resolve(name))  # type: ignore[arg-type]
    return found
