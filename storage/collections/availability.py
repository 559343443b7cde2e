"""Find out why MongoDB cannot be used, from the driver's error and its description of the servers.

After a first failure the driver reports only that no server was available in time. The reason is in the
driver's description of the servers. There the system's error number is only part of a text.
"""

import errno
import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pymongo import MongoClient
from pymongo.errors import NetworkTimeout, NotPrimaryError, PyMongoError, ServerSelectionTimeoutError

from storage.collections.error_codes import ErrorClass
from storage.collections.failures import decisive, failures_of
from storage.servers.connections import Server, causes, unreachable
from system.errors import (
    ConnectionLost,
    DiskRefuses,
    LoginRefused,
    MissingPermission,
    NoMajority,
    ServiceDown,
    StillLoading,
)

_REASONS: Mapping[ErrorClass, type[ServiceDown]] = {
    "login": LoginRefused,
    "right": MissingPermission,  # a server also reports this error if the client did not log in
    "disk": DiskRefuses,
    "not-ready": StillLoading,
    "majority": NoMajority,
}
_ERRNO = re.compile(r"\[Errno (-?\d+)\]")
_NO_NAME = frozenset({socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_NODATA})


def is_server_error(error: PyMongoError) -> bool:
    """Return whether an error concerns the server or its login, not the request."""
    failure = decisive(failures_of(error))
    return failure is not None and failure.kind in _REASONS


def outage_error(server: Server, error: PyMongoError, client: MongoClient[dict[str, object]]) -> ServiceDown:
    """Return the error for a MongoDB that cannot be used.

    Args:
        server: the server for messages.
        error: error of the driver.
        client: client that raised it.
    """
    has_login = client.options.pool_options._credentials is not None  # noqa: SLF001 - no public way
    reasons = [
        _outage_class(failed_server, failure, has_login=has_login)
        for failed_server, failure in _errors_of_servers(server, error, client)
    ]
    return max(reasons, key=_precedence)


def _errors_of_servers(
    server: Server, error: PyMongoError, client: MongoClient[dict[str, object]]
) -> Iterator[tuple[Server, BaseException]]:
    """Yield the error and, if no server was available, the driver's errors for each server."""
    yield server, error
    if not isinstance(error, ServerSelectionTimeoutError):
        return
    for (host, port), description in client.topology_description.server_descriptions().items():
        failed_server = replace(server, address=f"{host}:{port}")
        if description.error is not None:
            yield failed_server, _system_error_in(description.error)
        elif description.is_server_type_known:  # the server answers, but is not usable
            yield failed_server, NotPrimaryError("no primary")
        else:
            yield failed_server, TimeoutError()


def _system_error_in(error: Exception) -> Exception:
    """Return the system error whose number the driver's text contains; otherwise the error itself."""
    number = next((int(match[1]) for match in _ERRNO.finditer(str(error))), None)
    if number in _NO_NAME:
        return socket.gaierror(number)
    if number == errno.ECONNREFUSED:
        return ConnectionRefusedError(number)
    return TimeoutError() if isinstance(error, NetworkTimeout) else error


def _outage_class(server: Server, error: BaseException, *, has_login: bool) -> ServiceDown:
    """Return the class for an error of a server."""
    for cause in causes(error):
        if isinstance(cause, NotPrimaryError):
            return server.error(StillLoading)
        failure = decisive(failures_of(cause)) if isinstance(cause, PyMongoError) else None
        if failure is not None and failure.kind in _REASONS:
            is_login = failure.kind == "right" and not has_login
            return server.error(LoginRefused if is_login else _REASONS[failure.kind])
    return unreachable(server, error)


def _precedence(reason: ServiceDown) -> int:
    """Return the precedence of a reason: the error of a server that answers explains more than silence."""
    if isinstance(reason, (LoginRefused, MissingPermission)):
        return 3
    if isinstance(reason, (StillLoading, NoMajority)):
        return 2
    return 0 if isinstance(reason, ConnectionLost) else 1
