"""Ping a Celery worker without waiting for a broker that is down.

This module is imported only when a worker is pinged, because importing Celery takes half a second.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from celery import Celery
from kombu import Connection
from kombu.exceptions import OperationalError

from system.errors import ServiceDown
from system.messages import N_

T = TypeVar("T")
_ANSWER_S = 0.5
_ONCE = {"max_retries": 1, "interval_start": 0, "socket_connect_timeout": 2, "socket_timeout": 2}


class _Impatient(Connection):
    """A connection that publishes without retries.

    Kombu's own connection retries forever, even if the caller itself must restart the broker.
    """

    def ensure(self, obj: Any, fun: Callable[..., T], *_args: Any, **_options: Any) -> Callable[..., T]:  # noqa: ARG002 - kombu's names
        """Return the function unchanged."""
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
    # Do not use Celery's pool, which would open kombu's own connections. (celery-types lacks this attribute.)
    control: Any = app.control
    control.mailbox.producer_pool = None
    with app, _Impatient(broker, transport_options=_ONCE) as connection:
        broken: tuple[type[BaseException], ...] = (OSError, OperationalError, *connection.connection_errors)
        try:
            replies = app.control.ping(destination=[node], timeout=_ANSWER_S, connection=connection)
        except broken as error:
            raise ServiceDown(service=N_("The Celery worker"), address=node, problem="no broker") from error
    if not replies:
        raise ServiceDown(service=N_("The Celery worker"), address=node, problem="no reply")
