"""Asking a Celery worker whether it is there, without waiting for a broker that is not.

Imported when a worker is asked, since Celery takes half a second that other commands need not spend.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from celery import Celery
from kombu import Connection
from kombu.exceptions import OperationalError

from storage.errors import ServiceDown

T = TypeVar("T")
_ANSWER_S = 0.5
_ONCE = {"max_retries": 1, "interval_start": 0, "socket_connect_timeout": 2, "socket_timeout": 2}


class _Impatient(Connection):
    """A connection that publishes once.

    Kombu's own tries for ever, also when whoever asks is the one who should start the broker again.
    """

    def ensure(self, obj: Any, fun: Callable[..., T], *_args: Any, **_options: Any) -> Callable[..., T]:  # noqa: ARG002 - kombu's names
        """Return the function as it is."""
        return fun


def ping_worker(broker: str, node: str) -> None:
    """Ping a worker through its broker, as ``celery inspect ping`` does.

    Args:
        broker: the broker's address.
        node: the worker's name.

    Raises:
        ServiceDown: it does not answer.
    """
    app = Celery("pindna-probe", broker=broker, set_as_current=False)
    # Whose connections are kombu's own; celery-types do not know it.
    app.control.mailbox.producer_pool = None  # type: ignore[attr-defined]
    with app, _Impatient(broker, transport_options=_ONCE) as connection:
        broken: tuple[type[BaseException], ...] = (OSError, OperationalError, *connection.connection_errors)
        try:
            replies = app.control.ping(destination=[node], timeout=_ANSWER_S, connection=connection)
        except broken as error:
            raise ServiceDown(service="Celery worker", address=node, problem="no broker") from error
    if not replies:
        raise ServiceDown(service="Celery worker", address=node, problem="no reply")
