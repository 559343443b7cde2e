"""Why a server cannot be used: our error classes, from the errors of drivers.

Drivers wrap the system's errors (no such name, connection refused), so causes are followed to the first one.
The drivers' own texts are not repeated, because they may describe all servers at length.
"""

import socket
from collections.abc import Iterator
from dataclasses import dataclass

from system.errors import ConnectionLost, NoAnswer, NothingListens, ServiceDown, UnknownHost


@dataclass(frozen=True, slots=True)
class Server:
    """A server for messages.

    Args:
        service: ``MongoDB``, ``Redis`` or ``Redis Cluster``.
        address: ``host:port``, without credentials.
        setting: setting with its address, such as ``storage.redis_url``.
    """

    service: str
    address: str
    setting: str

    def error(self, kind: type[ServiceDown], **data: object) -> ServiceDown:
        """Return an error of a class for this server; ``data`` contains further fields of its text."""
        return kind(service=self.service, address=self.address, setting=self.setting, **data)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, its cause, the cause of that, and so on."""
    visited: set[int] = set()
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def unreachable(server: Server, error: BaseException) -> ServiceDown:
    """Return why a connection to a server failed, as reported by the system."""
    for cause in causes(error):
        if isinstance(cause, socket.gaierror):
            return server.error(UnknownHost)
        if isinstance(cause, ConnectionRefusedError):
            return server.error(NothingListens)
        if isinstance(cause, TimeoutError):
            return server.error(NoAnswer)
    return server.error(ConnectionLost)
