"""Why a server cannot be used, read from what a driver raised: a class of ours for each thing to do about it.

Drivers wrap what the system said (no such name, connection refused) in errors of their own, so causes are
followed to the first one. What they say themselves is not repeated: it may describe all servers at length.
"""

import socket
from collections.abc import Iterator
from dataclasses import dataclass

from system.errors import ConnectionLost, NoAnswer, NothingListens, ServiceDown, UnknownHost


@dataclass(frozen=True, slots=True)
class Server:
    """A server as messages name it.

    Args:
        service: ``MongoDB``, ``Redis`` or ``Redis Cluster``.
        address: ``host:port``, without credentials.
        setting: where its address is set, such as ``storage.redis_url``.
    """

    service: str
    address: str
    setting: str

    def error(self, kind: type[ServiceDown], **data: object) -> ServiceDown:
        """Return an error of a class about this server; ``data`` is what else its text shows."""
        return kind(service=self.service, address=self.address, setting=self.setting, **data)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what caused it, what caused that, and so on."""
    visited: set[int] = set()
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def unreachable(server: Server, error: BaseException) -> ServiceDown:
    """Return why a connection to a server failed, as the system says it."""
    for cause in causes(error):
        if isinstance(cause, socket.gaierror):
            return server.error(UnknownHost)
        if isinstance(cause, ConnectionRefusedError):
            return server.error(NothingListens)
        if isinstance(cause, TimeoutError):
            return server.error(NoAnswer)
    return server.error(ConnectionLost)
