"""Who alerts are sent to in tests: an HTTP server and a mail server on this machine, and a clock."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aiosmtpd.controller import Controller


@dataclass
class Clock:
    """A clock that tests set."""

    now: datetime = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> None:
        self.now += timedelta(**time)


@dataclass
class Posted:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class HttpReceiver:
    """What an HTTP server got; it answers with ``status`` and ``body``, and ``location`` where it has one."""

    url: str = ""
    body: bytes = b""
    status: int = 204
    location: str = ""
    requests: list[Posted] = field(default_factory=list)


@contextmanager
def http_receiver() -> Iterator[HttpReceiver]:
    """Run an HTTP server that takes posts."""
    receiver = HttpReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.requests.append(Posted(self.path, headers, body))
            self.send_response(receiver.status)
            if receiver.location:
                self.send_header("location", receiver.location)
            self.send_header("content-length", str(len(receiver.body)))
            self.end_headers()
            self.wfile.write(receiver.body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()


@dataclass
class MailReceiver:
    """What a mail server got; it answers with ``answer``."""

    address: str = ""
    answer: str = "250 OK"
    mails: list[EmailMessage] = field(default_factory=list)

    async def handle_DATA(self, _server: object, _session: object, envelope: object) -> str:  # noqa: N802
        content: bytes = envelope.content  # type: ignore[attr-defined]
        if self.answer.startswith("250"):
            self.mails.append(message_from_bytes(content, policy=policy.default))
        return self.answer


@contextmanager
def mail_receiver() -> Iterator[MailReceiver]:
    """Run a mail server; ``address`` is that of a service of apprise."""
    receiver = MailReceiver()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(receiver, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        receiver.address = (
            f"mailto://127.0.0.1:{port}?from=pindna@example.cn&to=lin@example.cn&smtp=127.0.0.1"
        )
        yield receiver
    finally:
        controller.stop()


@contextmanager
def endless_server(begin: bytes, again: bytes) -> Iterator[int]:
    """Run a server that says something without end to the first who connects; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def talk() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.sendall(begin)
                while True:
                    connection.sendall(again)
                    time.sleep(0.001)

        thread = threading.Thread(target=talk)
        thread.start()
        yield server.getsockname()[1]
        thread.join()
