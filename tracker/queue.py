"""The queue: sends work to Celery's workers, through the Redis of some settings.

Each queue has a separate Celery application, so a process may have several (a benchmark and its servers, or
one test after another). :data:`tracker.celery.app` is the one that ``celery -A tracker`` runs; it reads its
settings once.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from storage.records import utc_now
from storage.servers.connections import Server
from storage.servers.redis_client import address_of, is_outage, outage_error
from storage.settings import StorageSettings
from system.clocks import clock_lead_seconds
from system.errors import ServiceDown
from tracker.queues import STATE_COMMAND

if TYPE_CHECKING:
    from celery import Celery


@cache
def _transport_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions that the transport raises when its server is down."""
    from kombu import Connection  # noqa: PLC0415 - loaded with Celery
    from kombu.exceptions import OperationalError  # noqa: PLC0415 - the same

    errors = Connection("redis://").connection_errors
    # A missing key may also be a programming error.
    return OperationalError, *(kind for kind in errors if kind is not KeyError)


@dataclass(frozen=True, slots=True)
class WorkerState:
    """The state that a worker reports.

    Attributes:
        version: of pindna; empty: the worker reports none.
        queues: that it reads.
        ahead_s: by how many seconds its clock is ahead of this machine's; negative: behind.
    """

    version: str = ""
    queues: frozenset[str] = frozenset()
    ahead_s: float = 0.0


def _state_of(status: Mapping[str, Any], requested_at: datetime) -> WorkerState:
    """Return the state in a worker's answer; an answer of another version may be an error."""
    if "version" not in status:
        return WorkerState()
    ahead = clock_lead_seconds(
        datetime.fromisoformat(status["time"]), asked_at=requested_at, answered_at=utc_now()
    )
    return WorkerState(status["version"], frozenset(status["queues"]), ahead)


class Queue:
    """A sender of tasks to the workers behind one Redis server."""

    def __init__(self, settings: StorageSettings) -> None:
        """Store the server's address; nothing is connected yet.

        Raises:
            ServiceDown: the settings name no server.
        """
        if settings.redis_url is None:
            raise ServiceDown(service="Redis", address="storage.redis_url", problem="no address is set")
        self._url = settings.redis_url.get_secret_value()
        self._server = Server("Redis", address_of(settings), "storage.redis_url")
        self._opened: Celery | None = None
        self._opening = Lock()

    @property
    def _celery_app(self) -> "Celery":
        """Celery's application, created at its first use: most commands send nothing."""
        from celery import Celery  # noqa: PLC0415 - .3 s, and the settings of a worker

        with self._opening:
            if self._opened is None:
                self._opened = Celery(
                    "pindna",
                    broker=self._url,
                    set_as_current=False,
                    config_source="tracker.celeryconfig",
                )
            return self._opened

    def send(self, task: str, ids: Sequence[object], token: str) -> None:
        """Send a reservation to a worker (:data:`tracker.scans.dispatch.Send`).

        Args:
            task: its name in :mod:`tracker.tasks`.
            ids: of the reserved records.
            token: the reservation.

        Raises:
            ServiceDown: the queue does not answer; the reservation expires.
        """
        self._send_task(task, list(ids), token)

    def send_again(self, task: str) -> None:
        """Send a task without arguments again, for its remaining work.

        Raises:
            ServiceDown: the queue does not answer.
        """
        self._send_task(task)

    def workers(self, *, timeout_s: float) -> list[str]:
        """Return the names of the workers that answer in time.

        Raises:
            ServiceDown: the queue does not answer.
        """
        with self._convert_outages():
            answers = self._celery_app.control.ping(timeout=timeout_s) or []
        return [name for answer in answers for name in answer]

    def states(self, *, timeout_s: float) -> dict[str, WorkerState]:
        """Return the states of the workers that answer in time, by name.

        Raises:
            ServiceDown: the queue does not answer.
        """
        states, requested_at = dict[str, WorkerState](), utc_now()

        def note(answer: Mapping[str, Mapping[str, Any]]) -> None:
            for name, status in answer.items():
                states[name] = _state_of(status, requested_at)

        with self._convert_outages():
            self._celery_app.control.broadcast(STATE_COMMAND, reply=True, timeout=timeout_s, callback=note)
        return states

    def close(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            self._opened.close()

    def _send_task(self, task: str, *arguments: object) -> None:
        with self._convert_outages():
            self._celery_app.send_task(f"tracker.tasks.{task}", args=arguments)

    @contextmanager
    def _convert_outages(self) -> Iterator[None]:
        """Convert exceptions of the transport, including those of the driver, to ``ServiceDown``."""
        try:
            yield
        except Exception as error:
            if isinstance(error, _transport_errors()) or is_outage(error):
                raise outage_error(self._server, error) from error
            raise
