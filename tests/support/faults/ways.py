"""A way to a server that can be slow, stall, be cut and be joined again.

A server whose disk is slow answers late; one whose disk hangs, or behind a network that drops what is sent,
does not answer and says nothing; one that was ended refuses.
"""

import random
import socket
import threading
import time
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
        delay_s: by how much each answer is late: from, to.
    """

    port: int
    target: tuple[str, int]
    is_cut: bool = False
    delay_s: tuple[float, float] = (0.0, 0.0)
    _left: dict[bool, int] = field(default_factory=dict)
    _open: list[socket.socket] = field(default_factory=list)
    _flowing: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._flowing.set()

    def cut(self) -> None:
        """Let nobody through any more; whoever is connected is cut off."""
        self.is_cut = True
        self._flowing.set()
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def cut_within(self, count: int, *, answers: bool) -> None:
        """Cut everybody off once so many bytes more have come from the clients, or from the server."""
        self._left = {answers: count}

    def stall(self) -> None:
        """Hold whatever is sent, without a word to anybody."""
        self._flowing.clear()

    def join(self) -> None:
        """Let everybody through again, and what was held."""
        self.is_cut = False
        self._left = {}
        self._flowing.set()

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
                asked = threading.Event()
                for answers, one, other in ((False, client, server), (True, server, client)):
                    threading.Thread(
                        target=self._pass_on, args=(one, other, asked, answers), daemon=True
                    ).start()

    def _pass_on(
        self,
        one: socket.socket,
        other: socket.socket,
        asked: threading.Event,
        answers: bool,  # noqa: FBT001 - a thread's
    ) -> None:
        with suppress(OSError):
            while data := one.recv(65_536):
                if not answers:
                    asked.set()
                elif asked.is_set():  # the first part of an answer
                    asked.clear()
                    time.sleep(random.uniform(*self.delay_s))
                self._flowing.wait()
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
def way_to(host: str, port: int, *, at: str = "127.0.0.1") -> Iterator[Way]:
    """Open a way to a server; it listens at an address of this machine."""
    with socket.create_server((at, 0)) as listener:
        way = Way(listener.getsockname()[1], (host, port))
        threading.Thread(target=way.serve, args=(listener,), daemon=True).start()
        yield way
        way.cut()
