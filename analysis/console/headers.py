"""Headers that hold browsers to what the console's pages need.

The content security policy lets scripts, styles, pictures and connections come from this server alone. Two
things NiceGUI cannot do without: ``'unsafe-eval'``, for Vue compiles templates in the browser, and NiceGUI
runs what the server sends by ``eval``; and inline styles, which Quasar sets on elements. Its inline scripts
bear a nonce that is new with each page, so a script that a foreign text might smuggle in is not run.
"""

import secrets
from collections.abc import Mapping
from types import MappingProxyType

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SCRIPT = b"<script"
_PAGE = "x-nicegui-content"  # NiceGUI's own mark of the pages that it renders
_SAME_FOR_ALL: Mapping[str, str] = MappingProxyType(
    {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    }
)
_NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"
# A plain page without scripts: the way in.
PLAIN_POLICY = f"{_NOTHING}; style-src 'self'; img-src 'self'; form-action 'self'"


def page_policy(nonce: str) -> str:
    """Return the content security policy of a page of the console.

    Args:
        nonce: that its inline scripts bear.
    """
    return (
        f"{_NOTHING}; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-src 'self'; "
        "form-action 'self'"
    )


class SecurityHeaders:
    """ASGI middleware that sets the headers of every answer.

    Args:
        app: what lies behind.
        is_secure: whether browsers come by TLS.
    """

    def __init__(self, app: ASGIApp, *, is_secure: bool) -> None:
        self._app = app
        self._is_secure = is_secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and its answer back with the headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Answer(send, is_secure=self._is_secure).send)


class _Answer:
    """One answer on its way out; the body of a page is held back until its scripts bear the nonce."""

    def __init__(self, send: Send, *, is_secure: bool) -> None:
        self._send = send
        self._is_secure = is_secure
        self._start: Message | None = None
        self._body: list[bytes] = []

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SAME_FOR_ALL.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", f"{_NOTHING}; sandbox")
            headers.setdefault("Cache-Control", "no-store")
            if self._is_secure:
                headers.setdefault("Strict-Transport-Security", "max-age=31536000")
            if _PAGE in headers:
                self._start = message
                return
        elif self._start is not None:
            self._body.append(message.get("body", b""))
            if message.get("more_body"):
                return
            message = await self._with_nonce()
        await self._send(message)

    async def _with_nonce(self) -> Message:
        assert self._start is not None  # noqa: S101 - for the type checker
        nonce = secrets.token_urlsafe(16)
        body = b"".join(self._body).replace(_SCRIPT, f'<script nonce="{nonce}"'.encode())
        headers = MutableHeaders(scope=self._start)
        headers["Content-Security-Policy"] = page_policy(nonce)
        headers["Content-Length"] = str(len(body))
        await self._send(self._start)
        return {"type": "http.response.body", "body": body}
