"""Restrict the messages of a websocket to the pages of the same session.

A message contains the id of a page, and NiceGUI accepts it from any sender. The ids are random but not
secret, because pages and addresses contain them. So two sessions must be the same: the session of the
websocket, which :mod:`analysis.console.gate` determined by the cookie, and the session of the page. Other
input than messages of browsers is refused and logged in one line; at level DEBUG with a traceback.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import Client

logger = logging.getLogger(__name__)

_NAMESPACE = "/"
# these events refer to no other page than the one that the gate checked
_NO_MESSAGES = frozenset({"connect", "disconnect"})
# Errors from parsing a malformed message. Errors from handling a message do not appear here, because NiceGUI
# passes them to the page.
_MALFORMED = (AttributeError, LookupError, TypeError, ValueError)
_REFUSED = "a message of a websocket cannot be read and was refused (%s)"


def guard_messages(server: Any) -> None:
    """Make NiceGUI accept a message only if the page in it belongs to the session of the websocket.

    Args:
        server: NiceGUI's, of Socket.IO; its handlers are there already.
    """
    handlers = server.handlers[_NAMESPACE]
    for event in handlers.keys() - _NO_MESSAGES:
        server.on(event, _guarded(server, handlers[event]))
    server.handle_request = _unless_malformed(server.handle_request)  # refuses frames that are not packets
    server.eio.logger.addFilter(_in_a_line)
    server.eio.logger.handlers.clear()  # duplicates of pindna's handlers


def _in_a_line(record: logging.LogRecord) -> bool:
    """Reduce Engine.IO's record of an unreadable packet to one line without a traceback."""
    if record.exc_info and isinstance(record.exc_info[1], _MALFORMED):
        record.msg, record.args = _REFUSED, (type(record.exc_info[1]).__name__,)
        record.levelno, record.levelname = logging.WARNING, "WARNING"
        record.exc_info = record.exc_info if logger.isEnabledFor(logging.DEBUG) else None
    return True


def _unless_malformed(handler: Callable[..., Any]) -> Callable[..., Awaitable[object]]:
    """Return a handler that answers malformed messages with False."""

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
    """Return whether the page in a message belongs to the session of the websocket."""
    named = message.get("client_id") if isinstance(message, Mapping) else None
    client = Client.instances.get(named) if isinstance(named, str) else None
    if environ is None or client is None:
        return False
    secret = environ["asgi.scope"].get("state", {}).get("secret")
    return bool(secret) and secret == getattr(client.request.state, "secret", None)
