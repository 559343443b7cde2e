"""The queue: how work reaches Celery's workers, through the Redis of some settings.

Each queue is an application of its own, so that a process may know several (a benchmark and its servers, one
test after the other): :data:`tracker.celery.app` is the one that ``celery -A tracker`` runs and reads its
settings once.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from celery import Celery
from kombu import Connection
from kombu.exceptions import OperationalError

from storage.connections import Server
from storage.errors import ServiceDown
from storage.redis_client import address_of, is_outage, why_down
from storage.settings import StorageSettings

# What the transport raises when its server is away; a missing key may be a mistake of ours as well.
_UNREACHABLE: tuple[type[BaseException], ...] = (
    OperationalError,
    *(kind for kind in Connection("redis://").connection_errors if kind is not KeyError),
)


class Queue:
    """Sends tasks to the workers behind one Redis server."""

    def __init__(self, settings: StorageSettings) -> None:
        """Know the server; nothing is connected yet.

        Raises:
            ServiceDown: the settings name no server.
        """
        if settings.redis_url is None:
            raise ServiceDown(service="Redis", address="storage.redis_url", problem="no address is set")
        url = settings.redis_url.get_secret_value()
        self._server = Server("Redis", address_of(settings), "storage.redis_url")
        self._app = Celery("pindna", broker=url, set_as_current=False, config_source="tracker.celeryconfig")

    def send(self, task: str, ids: Sequence[object], token: str) -> None:
        """Send a reservation to a worker (:data:`tracker.scans.dispatch.Send`).

        Args:
            task: its name in :mod:`tracker.tasks`.
            ids: of what is reserved.
            token: the reservation.

        Raises:
            ServiceDown: the queue does not answer; the reservation ends by itself.
        """
        self._send(task, list(ids), token)

    def again(self, task: str) -> None:
        """Send a task without arguments, for what it left to do.

        Raises:
            ServiceDown: the queue does not answer.
        """
        self._send(task)

    def workers(self, *, timeout_s: float) -> list[str]:
        """Return the names of the workers that answer in time.

        Raises:
            ServiceDown: the queue does not answer.
        """
        with self._outages():
            answers = self._app.control.ping(timeout=timeout_s) or []
        return [name for answer in answers for name in answer]

    def taken_by(self, *, timeout_s: float) -> dict[str, frozenset[str]]:
        """Return the workers that answer in time, each with the names of the queues that it takes from.

        Raises:
            ServiceDown: the queue does not answer.
        """
        with self._outages():
            answers = self._app.control.inspect(timeout=timeout_s).active_queues() or {}
        return {name: frozenset(queue["name"] for queue in queues) for name, queues in answers.items()}

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def _send(self, task: str, *arguments: object) -> None:
        with self._outages():
            self._app.send_task(f"tracker.tasks.{task}", args=arguments)

    @contextmanager
    def _outages(self) -> Iterator[None]:
        """Turn what the transport raises into errors of ours; it lets some of the driver's through."""
        try:
            yield
        except Exception as error:
            if isinstance(error, _UNREACHABLE) or is_outage(error):
                raise why_down(self._server, error) from error
            raise
