"""Find out why a server cannot be used, from the errors of drivers.

Drivers wrap the system's errors (no such name, connection refused), so this module follows the chain of
causes to the first one. It does not repeat the drivers' own texts, because they may describe all servers at
length.
"""

import socket
from collections.abc import Iterator
from dataclasses import dataclass

from system.errors import ConnectionLost, NoAnswer, NothingListens, ServiceDown, UnknownHost


@dataclass(frozen=True, slots=True)
class Server:
    """The description of a server in messages.

    Args:
        service: ``MongoDB``, ``Redis`` or ``Redis Cluster``.
        address: ``host:port``, without credentials.
        setting: setting with its address, such as ``storage.redis_url``.
    """

    service: str
    address: str
    setting: str

    def error(self, kind: type[ServiceDown], **data: object) -> ServiceDown:
        """Return an error of this class for the server; ``data`` contains further fields of the message."""
        return kind(service=self.service, address=self.address, setting=self.setting, **data)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, its cause, the cause of its cause, and so on."""
    visited: set[int] = set()
    while error is not None and id(error) not in visited:
        visited.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def unreachable(server: Server, error: BaseException) -> ServiceDown:
    """Return the error for a failed connection, from the error that the operating system reported."""
    for cause in causes(error):
        if isinstance(cause, socket.gaierror):
            return server.error(UnknownHost)
        if isinstance(cause, ConnectionRefusedError):
            return server.error(NothingListens)
        if isinstance(cause, TimeoutError):
            return server.error(NoAnswer)
    return server.error(ConnectionLost)
