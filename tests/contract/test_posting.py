"""Receivers that never come to an end."""

import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from analysis.alerts import posting
from analysis.alerts.outcomes import NotDelivered


@contextmanager
def endless_receiver(begin, again):
    """Run a server that answers every request with bytes without end; yields its address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(65_536)
                connection.sendall(begin)
                while True:
                    connection.sendall(again)
                    time.sleep(0.01)

        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/T0KEN"
        thread.join()


@pytest.mark.parametrize(
    ("begin", "again"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 ", b"2"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x"),
    ],
    ids=["interim answers", "a status", "a body"],
)
def test_an_answer_without_end_is_cut_off(monkeypatch, begin, again):
    monkeypatch.setattr(posting, "DEADLINE_S", 0.3)
    with endless_receiver(begin, again) as address, pytest.raises(NotDelivered, match="in time") as error:
        posting.post(address, b"{}", {}, max_bytes=9999)
    assert "T0KEN" not in str(error.value)
    assert error.value.__suppress_context__


def test_no_more_is_read_than_is_asked_for():
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    with endless_receiver(head + b"y" * 5, b"x" * 100_000) as address:
        assert posting.post(address, b"{}", {}, max_bytes=5) == (200, b"yyyyy")
