"""How each service shows that it answers, and how its process is recognised.

A probe is a real exchange in the service's protocol. A matcher looks at what a process was started with (its
arguments, or its working folder for Redis, which rewrites its arguments) and so names the data folder too.
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
    """PING Redis; it refuses while it still loads its data.

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
    """Ping the document server that demands our certificate.

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
    """Look for the process number that Celery beat writes once its scheduler starts.

    Raises:
        ServiceDown: it has not written it.
    """
    with suppress(OSError, ValueError):
        if int(pidfile.read_text("ascii")) == mark.pid:
            return
    raise ServiceDown(service="Celery beat", address=str(pidfile), problem="not started")


def probe_console(server: ServerSettings, mark: ProcessMark) -> None:
    """See that the console listens.

    Raises:
        ServiceDown: it does not.
    """
    if server.port not in processes.listening_ports(mark.pid):
        raise ServiceDown(service="pindna serve", address=server.address, problem="not started")


def _patient(storage: StorageSettings) -> StorageSettings:
    return storage.model_copy(update={"timeout_s": min(storage.timeout_s, _PATIENCE_S)})


def is_redis(home: str, process: psutil.Process) -> bool:
    """Recognise the key-value server whose folder is ``home``."""
    if not process.name().startswith(("redis-server", "valkey-server")):
        return False
    return process.cwd() == home or home in process.cmdline()


def begins_with(arguments: tuple[str, ...], process: psutil.Process) -> bool:
    """Recognise a process by the first of its arguments."""
    return tuple(process.cmdline()[1 : len(arguments) + 1]) == arguments


def mentions(words: tuple[str, ...], process: psutil.Process) -> bool:
    """Recognise a Celery process; it may have joined its arguments into one title."""
    line = " ".join(process.cmdline())
    return all(word in line for word in words)


def hasten_mongo(port: int, mark: ProcessMark) -> None:
    """See that SecantusDB has noticed its SIGTERM, and spare it a wait of two seconds.

    Python acts on a signal in its main thread only, but the kernel may deliver it to a thread that is just
    starting another one, after which the main thread sleeps on: so it is sent again while the server still
    listens. Once it does not, one connection wakes the thread that waits for connections; an earlier one
    would invite the very accident.
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
