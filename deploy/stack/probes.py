"""Probes that check whether a service answers, and matchers that recognise its process.

A probe is a real exchange in the service's protocol. A matcher checks the arguments of a process (or the
working folder of Redis, which rewrites its arguments), and so also the data folder.
"""

import os
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

import psutil

from deploy.stack import processes
from deploy.stack.state import ProcessMark
from storage.collections.server_account import LockedServer
from storage.collections.stores import open_stores
from storage.servers import redis_client
from storage.settings import StorageSettings
from storage.settings.results import ServerSettings
from system.errors import ServiceDown

HOST = "127.0.0.1"
_PATIENCE_S = 2.0
_TERM_ATTEMPTS = 5
_NOTICE_S = 2.0
_POLL_S = 0.01


def probe_redis(storage: StorageSettings, _mark: ProcessMark) -> None:
    """Send PING to Redis, which refuses while it loads its data.

    Raises:
        LoginRefused: it does not know our password.
        PindnaError: it does not answer, or not yet.
    """
    redis_client.ping(_patient(storage))


def probe_mongo(storage: StorageSettings, _mark: ProcessMark) -> None:
    """Ask the document server for its version.

    Raises:
        LoginRefused: it does not know our account.
        PindnaError: it does not answer.
    """
    stores = open_stores(_patient(storage))
    try:
        stores.ping()
    finally:
        stores.close()


def probe_account(port: int, key: Path, _mark: ProcessMark) -> None:
    """Ping the document server in the state in which it demands our certificate.

    Raises:
        PindnaError: it does not answer.
    """
    LockedServer(HOST, port, key, timeout_s=_PATIENCE_S).ping()


def probe_worker(storage: StorageSettings, node: str, _mark: ProcessMark) -> None:
    """Ping the Celery node through the broker, as ``celery inspect ping`` does.

    Raises:
        ServiceDown: it does not answer.
    """
    from deploy.stack.worker_ping import ping_worker  # noqa: PLC0415 - it takes half a second to import

    ping_worker(storage.redis_url.get_secret_value() if storage.redis_url else "", node)


def probe_beat(pidfile: Path, mark: ProcessMark) -> None:
    """Check for the process number that Celery beat writes when its scheduler starts.

    Raises:
        ServiceDown: it has not written it.
    """
    with suppress(OSError, ValueError):
        if int(pidfile.read_text("ascii")) == mark.pid:
            return
    raise ServiceDown(service="Celery beat", address=str(pidfile), problem="not started")


def probe_console(server: ServerSettings, mark: ProcessMark) -> None:
    """Check that the console listens.

    Raises:
        ServiceDown: it does not.
    """
    if server.port not in processes.listening_ports(mark.pid):
        raise ServiceDown(service="pindna serve", address=server.address, problem="not started")


def _patient(storage: StorageSettings) -> StorageSettings:
    return storage.model_copy(update={"timeout_s": min(storage.timeout_s, _PATIENCE_S)})


def is_redis(home: str, process: psutil.Process) -> bool:
    """Return a matcher for the key-value server with the folder ``home``."""
    if not process.name().startswith(("redis-server", "valkey-server")):
        return False
    return process.cwd() == home or home in process.cmdline()


def begins_with(arguments: tuple[str, ...], process: psutil.Process) -> bool:
    """Return a matcher for a process by its first arguments."""
    return tuple(process.cmdline()[1 : len(arguments) + 1]) == arguments


def mentions(words: tuple[str, ...], process: psutil.Process) -> bool:
    """Return a matcher for a Celery process, which may have joined its arguments into one title."""
    line = " ".join(process.cmdline())
    return all(word in line for word in words)


def hasten_mongo(port: int, mark: ProcessMark) -> None:
    """Ensure that SecantusDB notices SIGTERM, and shorten its shutdown by two seconds.

    Python handles a signal only in its main thread. The kernel may deliver the signal to a thread that is
    just starting another thread; then the main thread continues to sleep. So the signal is sent again while
    the server still listens. When the server no longer listens, one connection wakes the thread that waits
    for connections. An earlier connection could cause the same problem, because it would start a thread.
    """
    for _ in range(_TERM_ATTEMPTS):
        deadline = time.monotonic() + _NOTICE_S
        while time.monotonic() < deadline:
            if port not in processes.listening_ports(mark.pid):
                with suppress(OSError), socket.create_connection((HOST, port), timeout=0.5):
                    return
                return
            time.sleep(_POLL_S)
        with suppress(ProcessLookupError):
            os.kill(mark.pid, signal.SIGTERM)
