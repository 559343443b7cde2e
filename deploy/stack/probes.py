"""How each service shows that it answers, and how its process is recognised.

A probe is a real exchange in the service's protocol. A matcher looks at what a process was started with (its
arguments, or its working folder for Redis, which rewrites its arguments) and so names the data folder too.
"""

import socket
from contextlib import suppress
from pathlib import Path

import psutil

from deploy.stack.state import Mark
from storage import redis_client
from storage.errors import ServiceDown
from storage.settings import StorageSettings
from storage.stores import open_stores

HOST = "127.0.0.1"
_PATIENCE_S = 2.0


def probe_redis(storage: StorageSettings, _mark: Mark) -> None:
    """PING Redis; it refuses while it still loads its data.

    Raises:
        PindnaError: it does not answer, or not yet.
    """
    redis_client.ping(_patient(storage))


def probe_mongo(storage: StorageSettings, _mark: Mark) -> None:
    """Ask the document server for its version.

    Raises:
        PindnaError: it does not answer.
    """
    stores = open_stores(_patient(storage))
    try:
        stores.ping()
    finally:
        stores.close()


def probe_worker(storage: StorageSettings, node: str, _mark: Mark) -> None:
    """Ping the Celery node through the broker, as ``celery inspect ping`` does.

    Raises:
        ServiceDown: it does not answer.
    """
    # Imported here, since it takes half a second that commands without a worker need not spend.
    from celery import Celery  # noqa: PLC0415
    from kombu.exceptions import OperationalError  # noqa: PLC0415

    url = storage.redis_url.get_secret_value() if storage.redis_url else ""
    app = Celery("pindna-probe", broker=url, set_as_current=False)
    with app, app.connection_for_write() as broker:
        broken: tuple[type[BaseException], ...] = (OSError, OperationalError, *broker.connection_errors)
        try:
            replies = app.control.ping(destination=[node], timeout=0.5, connection=broker)
        except broken as error:
            raise ServiceDown(service="Celery worker", address=node, problem="no broker") from error
    if not replies:
        raise ServiceDown(service="Celery worker", address=node, problem="no reply")


def probe_beat(pidfile: Path, mark: Mark) -> None:
    """Look for the process number that Celery beat writes once its scheduler starts.

    Raises:
        ServiceDown: it has not written it.
    """
    with suppress(OSError, ValueError):
        if int(pidfile.read_text("ascii")) == mark.pid:
            return
    raise ServiceDown(service="Celery beat", address=str(pidfile), problem="not started")


def _patient(storage: StorageSettings) -> StorageSettings:
    return storage.model_copy(update={"timeout_s": min(storage.timeout_s, _PATIENCE_S)})


def is_redis(home: str, process: psutil.Process) -> bool:
    """Recognise the Redis server whose folder is ``home``."""
    if not process.name().startswith("redis-server"):
        return False
    return process.cwd() == home or home in process.cmdline()


def is_mongo(home: str, process: psutil.Process) -> bool:
    """Recognise the SecantusDB server whose folder is ``home``."""
    arguments = process.cmdline()
    return "--storage-path" in arguments[:-1] and arguments[arguments.index("--storage-path") + 1] == home


def mentions(words: tuple[str, ...], process: psutil.Process) -> bool:
    """Recognise a Celery process; it may have joined its arguments into one title."""
    line = " ".join(process.cmdline())
    return all(word in line for word in words)


def connect_once(port: int) -> None:
    """Open and close a connection: it wakes a server that only looks at its stop flag after one."""
    with suppress(OSError), socket.create_connection((HOST, port), timeout=0.5):
        pass
