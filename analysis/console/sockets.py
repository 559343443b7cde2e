"""Messages of a websocket act on pages of their own session only.

NiceGUI takes a message for the page whose id it names, from any sender. The ids are random, but no secrets:
they are in pages and in addresses. So each message is held against two sessions: the one that its websocket
was opened with, which :mod:`analysis.console.gate` knows by its cookie, and the one that the page is of.
What is no message as browsers send them is refused in a line of the log; at level DEBUG a traceback follows.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import Client

logger = logging.getLogger(__name__)

_NAMESPACE = "/"
_NO_MESSAGES = frozenset({"connect", "disconnect"})  # they name no page but the one that the gate saw
# What reading a message raises that is not as it should be. What a page does with it raises nothing
# here: NiceGUI hands its exceptions to the page.
_MALFORMED = (AttributeError, LookupError, TypeError, ValueError)
_REFUSED = "a message of a websocket cannot be read and was refused (%s)"


def guard_messages(server: Any) -> None:
    """Have NiceGUI take only those messages that are of the session of the page they name.

    Args:
        server: NiceGUI's, of Socket.IO; its handlers are there already.
    """
    handlers = server.handlers[_NAMESPACE]
    for event in handlers.keys() - _NO_MESSAGES:
        server.on(event, _guarded(server, handlers[event]))
    server.handle_request = _unless_malformed(server.handle_request)  # a frame that is no packet ends here
    server.eio.logger.addFilter(_in_a_line)
    server.eio.logger.handlers.clear()  # duplicates of pindna's handlers


def _in_a_line(record: logging.LogRecord) -> bool:
    """Let Engine.IO log an unreadable packet in one line, without a traceback."""
    if record.exc_info and isinstance(record.exc_info[1], _MALFORMED):
        record.msg, record.args = _REFUSED, (type(record.exc_info[1]).__name__,)
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = record.exc_info if logger.isEnabledFor(logging.DEBUG) else None
    return True


def _unless_malformed(handler: Callable[..., Any]) -> Callable[..., Awaitable[object]]:
    """Return what takes only messages that can be read; others are answered with False."""

    async def take(*message: object) -> object:
        try:
            result = handler(*message)
            return await result if inspect.isawaitable(result) else result
        except _MALFORMED as error:
            logger.warning(_REFUSED, type(error).__name__, exc_info=logger.isEnabledFor(logging.DEBUG))
            return False

    return take


def _guarded(server: Any, handler: Callable[..., Any]) -> Callable[..., Awaitable[object]]:
    take = _unless_malformed(handler)

    async def guarded(sid: str, *messages: object) -> object:
        if not _is_own(server.get_environ(sid), messages[0] if messages else None):
            logger.warning("a message for a page that its session did not open was refused")
            return False
        return await take(sid, *messages)

    return guarded


def _is_own(environ: Mapping[str, Any] | None, message: object) -> bool:
    """Return whether a message names a page that was built for the session of its websocket."""
    named = message.get("client_id") if isinstance(message, Mapping) else None
    client = Client.instances.get(named) if isinstance(named, str) else None
    if environ is None or client is None:
        return False
    secret = environ["asgi.scope"].get("state", {}).get("secret")
    return bool(secret) and secret == getattr(client.request.state, "secret", None)
