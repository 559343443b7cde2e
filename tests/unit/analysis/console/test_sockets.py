"""Whose messages a page takes; without sockets."""

import asyncio
from types import SimpleNamespace

import pytest
from nicegui import Client
from socketio import AsyncServer

from analysis.console.sockets import guard_messages


def page_of(secret):
    return SimpleNamespace(
        request=SimpleNamespace(state=SimpleNamespace(**({"secret": secret} if secret else {})))
    )


def told(monkeypatch, message, *, state, event="event", environ=None):
    """Return what NiceGUI's handlers took, and the answer, where a websocket of a session sends a message."""
    monkeypatch.setattr(Client, "instances", {"a": page_of("of-ana"), "none": page_of("")})
    server, taken = AsyncServer(async_mode="asgi"), []

    async def shake(_sid, data):
        taken.append(data)
        return True

    server.on("handshake", shake)
    server.on("event", lambda _sid, data: taken.append(data))
    server.on("ack", lambda _sid, data: int(data["next_message_id"]))
    server.on("connect", lambda *_: taken.append("connected"))
    guard_messages(server)
    environ = {"asgi.scope": {"state": state}} if environ is None else environ
    monkeypatch.setattr(server, "get_environ", lambda _sid: environ or None)
    answer = asyncio.run(server.handlers["/"][event]("socket", message))
    return taken, answer


def test_page_accepts_messages_of_its_session(monkeypatch):
    message = {"client_id": "a", "id": 7}
    assert told(monkeypatch, message, state={"secret": "of-ana"}) == ([message], None)
    assert told(monkeypatch, message, state={"secret": "of-ana"}, event="handshake") == ([message], True)


@pytest.mark.parametrize("event", ["event", "handshake"])
@pytest.mark.parametrize(
    ("message", "state"),
    [
        ({"client_id": "a"}, {"secret": "of-bo"}),
        ({"client_id": "a"}, {"secret": ""}),
        ({"client_id": "a"}, {}),
        ({"client_id": "none"}, {}),
        ({"client_id": "none"}, {"secret": ""}),
        ({"client_id": "unknown"}, {"secret": "of-ana"}),
        ({"client_id": ["a"]}, {"secret": "of-ana"}),
        ({}, {"secret": "of-ana"}),
        ("a", {"secret": "of-ana"}),
        (None, {"secret": "of-ana"}),
    ],
)
def test_page_refuses_messages_of_other_sessions(monkeypatch, message, state, event):
    assert told(monkeypatch, message, state=state, event=event) == ([], False)


@pytest.mark.parametrize("rest", [{}, {"next_message_id": "x"}, {"next_message_id": []}])
def test_message_that_cannot_be_read_is_refused_in_a_line(monkeypatch, caplog, rest):
    message = {"client_id": "a", **rest}
    assert told(monkeypatch, message, state={"secret": "of-ana"}, event="ack") == ([], False)
    (record,) = caplog.records
    assert "was refused" in record.message
    assert not record.exc_info


def test_error_in_reading_a_message_is_in_the_debug_log(monkeypatch, caplog):
    caplog.set_level("DEBUG", logger="analysis.console.sockets")
    message = {"client_id": "a", "next_message_id": "x"}
    told(monkeypatch, message, state={"secret": "of-ana"}, event="ack")
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert isinstance(record.exc_info[1], ValueError)


def test_unreadable_packet_is_logged_in_a_line(caplog):
    server = AsyncServer(async_mode="asgi")
    server.on("ack", print)
    guard_messages(server)
    for problem in (ValueError("x"), OSError("disk")):
        server.eio.logger.error("message async handler error", exc_info=problem)
    refused, other = caplog.records
    assert ("was refused" in refused.message, refused.exc_info) == (True, None)
    assert other.exc_info


def test_closed_websocket_logs_nothing(monkeypatch):
    assert told(monkeypatch, {"client_id": "a"}, state={}, environ={}) == ([], False)
