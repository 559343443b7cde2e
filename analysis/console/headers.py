"""Security headers, which restrict browsers to what the console's pages need.

The content security policy allows scripts, styles, pictures and connections from this server only. NiceGUI
needs two exceptions. It needs ``'unsafe-eval'``, because Vue compiles templates in the browser and NiceGUI
evaluates code from the server. It also needs inline styles, which Quasar sets on elements. Its inline scripts
have a nonce that is new for each page, so browsers do not run a script injected by a foreign text.
"""

import secrets
from collections.abc import Mapping
from types import MappingProxyType

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SCRIPT = b"<script"
_PAGE = "x-nicegui-content"  # header by which NiceGUI marks its pages
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
# The policy of plain pages without scripts, such as the sign-in page.
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
        """Pass a request to the application, and add the headers to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Answer(send, is_secure=self._is_secure).send)


class _Answer:
    """An answer that is being sent.

    The body of a page is buffered until the nonce is added to its scripts.
    """

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
