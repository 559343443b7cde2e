"""Receivers that never come to an end."""

import pytest
from support.receivers import endless_server

from analysis.alerts import posting
from analysis.alerts.outcomes import NotDelivered


@pytest.mark.parametrize(
    ("begin", "again"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 ", b"2"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", b"x"),
    ],
    ids=["interim answers", "a status", "a body"],
)
def test_endless_answer_is_cut_off(monkeypatch, begin, again):
    monkeypatch.setattr(posting, "DEADLINE_S", 0.3)
    with endless_server(begin, again) as port, pytest.raises(NotDelivered, match="in time") as error:
        posting.post(f"http://127.0.0.1:{port}/T0KEN", b"{}", {}, max_bytes=9999)
    assert "T0KEN" not in str(error.value)
    assert error.value.__suppress_context__


def test_response_is_read_only_up_to_the_limit():
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    with endless_server(head + b"y" * 5, b"x" * 100_000) as port:
        assert posting.post(f"http://127.0.0.1:{port}/", b"{}", {}, max_bytes=5) == (200, b"yyyyy")
