"""What comes through a websocket acts on pages of its own session, and on no other.

NiceGUI takes a message for the page whose id it names, whoever sends it. The ids are random, but no secrets:
they stand in pages and in addresses. So each message is held against two sessions: the one that its websocket
was opened with, which :mod:`analysis.console.gate` knows by its cookie, and the one that the page is of.
"""

import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import Client

logger = logging.getLogger(__name__)

_NAMESPACE = "/"
_NO_MESSAGES = frozenset({"connect", "disconnect"})  # they name no page but the one that the gate saw


def guard_messages(server: Any) -> None:
    """Have NiceGUI take only those messages that are of the session of the page they name.

    Args:
        server: NiceGUI's, of Socket.IO; its handlers are there already.
    """
    handlers = server.handlers[_NAMESPACE]
    for event in handlers.keys() - _NO_MESSAGES:
        server.on(event, _guarded(server, handlers[event]))


def _guarded(server: Any, handler: Callable[..., Any]) -> Callable[..., Any]:
    async def guarded(sid: str, message: object) -> object:
        if not _is_own(server.get_environ(sid), message):
            logger.warning("a message for a page that its session did not open was refused")
            return False
        result = handler(sid, message)
        return await result if inspect.isawaitable(result) else result

    return guarded


def _is_own(environ: Mapping[str, Any] | None, message: object) -> bool:
    """Return whether a message names a page that was built for the session of its websocket."""
    named = message.get("client_id") if isinstance(message, Mapping) else None
    client = Client.instances.get(named) if isinstance(named, str) else None
    if environ is None or client is None:
        return False
    secret = environ["asgi.scope"].get("state", {}).get("secret")
    return bool(secret) and secret == getattr(client.request.state, "secret", None)
