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
    _open: list[socket.socket] = field(default_factory=list)

    def cut(self) -> None:
        """Let nobody through any more; whoever is connected is cut off."""
        self.is_cut = True
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def join(self) -> None:
        """Let everybody through again."""
        self.is_cut = False

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
                for one, other in ((client, server), (server, client)):
                    threading.Thread(target=_pass_on, args=(one, other), daemon=True).start()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while data := one.recv(65_536):
            other.sendall(data)
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
