"""A worker's consumer that survives a Redis server that refuses writes.

A full disk, a memory limit or a failover makes Redis refuse writes with an error reply. Celery's consumer
survives lost connections, but an error reply ends the worker. This consumer treats such a reply as a lost
connection. It connects again as soon as Redis accepts a small write, and logs the outage until then.
"""

import logging
import time

from celery.worker.consumer import Consumer as CeleryConsumer
from celery.worker.state import maybe_shutdown
from kombu import Connection

from storage.servers.redis_client import require_writes
from storage.settings import load_settings
from system.errors import ServiceDown

log = logging.getLogger(__name__)

_FIRST_S, _LONGEST_S = 1, 5  # first and longest pause between two attempts, in seconds


class Consumer(CeleryConsumer):
    """Celery's consumer that also waits for a broker that refuses writes (setting ``worker_consumer``)."""

    def ensure_connected(self, conn: Connection) -> Connection:
        """Return the connection once it is up and its server accepts writes.

        Raises:
            WorkerShutdown: the worker is shutting down.
        """
        connected: Connection = super().ensure_connected(conn)
        pause_s = _FIRST_S
        while (error := _refusal()) is not None:
            log.error("Redis refuses writes: %s", error)  # the log filter counts this line as an outage
            _rest(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_S)
        return connected

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Close the connection and wait.

        A server that refuses one command is tried only once a second.
        """
        super().on_connection_error_after_connected(exc)
        _rest(_FIRST_S)


def _refusal() -> ServiceDown | None:
    """Return why the broker cannot be written to; None if it can."""
    try:
        require_writes(load_settings().storage)
    except ServiceDown as error:
        return error
    return None


def _rest(seconds: int) -> None:
    """Wait; stop within a second when the worker shuts down.

    Raises:
        WorkerShutdown: the worker is shutting down.
    """
    for _ in range(seconds):
        maybe_shutdown()
        time.sleep(1)
