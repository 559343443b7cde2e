"""A way to a server that can be cut and joined again, as when a server is away for a while."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Way:
    """Hands what comes to a port on to a server.

    Attributes:
        port: where it listens.
        target: the server.
        is_cut: whether nobody gets through.
    """

    port: int
    target: tuple[str, int]
    is_cut: bool = False
    _left: dict[bool, int] = field(default_factory=dict)
    _open: list[socket.socket] = field(default_factory=list)

    def cut(self) -> None:
        """Let nobody through any more; whoever is connected is cut off."""
        self.is_cut = True
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def cut_within(self, count: int, *, answers: bool) -> None:
        """Cut everybody off once so many bytes more have come from the clients, or from the server."""
        self._left = {answers: count}

    def join(self) -> None:
        """Let everybody through again."""
        self.is_cut = False
        self._left = {}

    def serve(self, listener: socket.socket) -> None:
        """Hand on until the listener is closed."""
        with suppress(OSError):
            while True:
                client, _address = listener.accept()
                if self.is_cut:
                    client.close()
                    continue
                server = socket.create_connection(self.target)
                self._open += [client, server]
                for answers, one, other in ((False, client, server), (True, server, client)):
                    threading.Thread(target=self._pass_on, args=(one, other, answers), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket, answers: bool) -> None:  # noqa: FBT001 - a thread's
        with suppress(OSError):
            while data := one.recv(65_536):
                left = self._left.get(answers)
                other.sendall(data[:left])
                if left is not None:
                    self._left[answers] = left - len(data)
                    if self._left[answers] <= 0:
                        self.cut()
        _close_both(one, other)


def _close_both(one: socket.socket, other: socket.socket) -> None:
    for connection in (one, other):
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def way_to(host: str, port: int) -> Iterator[Way]:
    """Open a way to a server on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        way = Way(listener.getsockname()[1], (host, port))
        threading.Thread(target=way.serve, args=(listener,), daemon=True).start()
        yield way
        way.cut()
