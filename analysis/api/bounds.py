"""ASGI middleware of the API, which limits request bodies and forbids caching of responses."""

from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Bounds:
    """Refuses bodies that are too long, and adds headers against caching to responses.

    Args:
        app: the wrapped application.
        most: maximum bytes of a body.
        of_files: maximum bytes of a body with a file.
        file_paths: ends of the paths that receive files.
    """

    def __init__(self, app: ASGIApp, *, most: int, of_files: int, file_paths: tuple[str, ...]) -> None:
        self._app = app
        self._most = most
        self._of_files = of_files
        self._file_paths = file_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the wrapped application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._of_files if scope["path"].endswith(self._file_paths) else self._most
        length = Headers(scope=scope).get("content-length", "0")
        is_long = not length.isdecimal() or int(length) > most
        remaining = most

        async def receive_bounded() -> Message:
            """Receive a part of the body.

            Raises:
                HTTPException: the body is too long. Its length is counted, because the header may be wrong.
            """
            nonlocal remaining
            message = await receive()
            remaining -= len(message.get("body", b""))
            if is_long or remaining < 0:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "no-store")
                headers.setdefault("X-Content-Type-Options", "nosniff")
                if "json" in headers.get(
                    "content-type", ""
                ):  # browsers must not interpret a response as another type
                    headers.setdefault("Content-Disposition", 'attachment; filename="api.json"')
            await send(message)

        await self._app(scope, receive_bounded, send_with_headers)
