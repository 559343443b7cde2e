"""A worker's consumer that outlives a Redis which answers but takes no writes.

A full disk, a limit of memory or a failover makes Redis refuse writes with an error reply. Celery's consumer
survives lost connections, but an error reply ends the worker. This consumer treats such a reply as a lost
connection: it connects again as soon as Redis takes a small write, and logs the outage until then.
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

_FIRST_S, _LONGEST_S = 1, 5  # between two attempts


class Consumer(CeleryConsumer):
    """Celery's consumer, which also waits for a broker that takes no writes (setting ``worker_consumer``)."""

    def ensure_connected(self, conn: Connection) -> Connection:
        """Return the connection when it is there and its server takes writes.

        Raises:
            WorkerShutdown: the worker was asked to end.
        """
        connected: Connection = super().ensure_connected(conn)
        pause_s = _FIRST_S
        while (error := _refusal()) is not None:
            log.error("Redis takes no writes: %s", error)  # the log's filter makes an outage of it
            _rest(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_S)
        return connected

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Give up the connection and rest: a server that refuses one command only is asked once a second."""
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
    """Wait; end within a second when the worker is asked to end.

    Raises:
        WorkerShutdown: it is.
    """
    for _ in range(seconds):
        maybe_shutdown()
        time.sleep(1)
