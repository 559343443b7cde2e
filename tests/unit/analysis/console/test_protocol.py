"""How long a request may take to come, and how large it may be; without sockets."""

import asyncio

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from analysis.console import protocol
from analysis.console.protocol import PatientProtocol, bounded

REQUEST = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n"


class Wire(asyncio.Transport):
    """A connection that goes nowhere."""

    def __init__(self):
        super().__init__()
        self.written, self.is_closed = b"", False

    def write(self, data):
        self.written += data

    def close(self):
        self.is_closed = True

    def is_closing(self):
        return self.is_closed

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


async def answer(_scope, _receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def closed_after(*parts, monkeypatch):
    """Return whether a connection was closed by itself once these parts had come."""
    monkeypatch.setattr(protocol, "HEAD_S", 0.02)

    async def talk():
        wire = Wire()
        config = Config(answer, timeout_keep_alive=60)
        connection = PatientProtocol(config, ServerState(), {})
        connection.connection_made(wire)
        for part in parts:
            connection.data_received(part)
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.06)
        return wire.is_closed

    return asyncio.run(talk())


@pytest.mark.parametrize(
    ("parts", "is_closed"),
    [
        ([], True),
        ([REQUEST[:-2]], True),
        ([REQUEST[:9], REQUEST[9:-2]], True),
        ([REQUEST], False),
        ([REQUEST[:9], REQUEST[9:]], False),
        ([REQUEST, REQUEST[:9]], True),
        ([REQUEST, REQUEST], False),
    ],
)
def test_a_head_comes_soon_or_the_connection_is_closed(parts, is_closed, monkeypatch):
    assert closed_after(*parts, monkeypatch=monkeypatch) == is_closed


def test_a_head_is_small():
    async def talk():
        wire = Wire()
        connection = PatientProtocol(Config(answer), ServerState(), {})
        connection.connection_made(wire)
        connection.data_received(REQUEST[:-2] + b"x: " + b"y" * 70_000)
        return wire

    wire = asyncio.run(talk())
    assert wire.written.startswith(b"HTTP/1.1 400")
    assert wire.is_closed


def received(*chunks, most=100, delay_s=0.0):
    """Return the kinds of messages that come of a body in chunks."""

    async def receive():
        await asyncio.sleep(delay_s)
        chunk = waiting.pop(0)
        return {"type": "http.request", "body": chunk, "more_body": bool(waiting)}

    async def take():
        limited = bounded(receive, most)
        return [(await limited())["type"] for _ in chunks]

    waiting = list(chunks)
    return asyncio.run(take())


def test_a_body_is_as_long_as_it_may_be():
    assert received(b"x" * 60, b"x" * 40) == ["http.request"] * 2
    assert received(b"x" * 60, b"x" * 41) == ["http.request", "http.disconnect"]


def test_a_body_comes_at_a_pace(monkeypatch):
    monkeypatch.setattr(protocol, "_BODY_S", 0.02)
    assert received(b"x", delay_s=0.1) == ["http.disconnect"]
    monkeypatch.setattr(protocol, "_BODY_BYTES_PER_S", 100)
    assert received(b"x" * 50, b"x", delay_s=0.015) == ["http.request"] * 2


def test_what_follows_a_body_may_take_any_time(monkeypatch):
    """A page that streams its answer waits for the browser to leave."""
    monkeypatch.setattr(protocol, "_BODY_S", 0.01)

    async def talk():
        messages = [{"type": "http.request", "body": b""}, {"type": "http.disconnect"}]

        async def receive():
            if len(messages) == 1:
                await asyncio.sleep(0.05)
            return messages.pop(0)

        limited = bounded(receive, 9)
        await limited()
        began = asyncio.get_running_loop().time()
        await limited()
        return asyncio.get_running_loop().time() - began

    assert asyncio.run(talk()) >= 0.05
