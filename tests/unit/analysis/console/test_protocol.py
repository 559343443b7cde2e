"""How long a request may take to come, and how large it may be; without sockets."""

import asyncio

import pytest
from support.virtual_time import run_in_virtual_time
from uvicorn import Config
from uvicorn.server import ServerState

from analysis.console.protocol import HEAD_S, PatientProtocol, bounded

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


def closed_after(*parts):
    """Return whether a connection was closed by itself once these parts had come, seconds apart."""

    async def talk():
        wire = Wire()
        config = Config(answer, log_config=None, timeout_keep_alive=60)
        connection = PatientProtocol(config, ServerState(), {})
        connection.connection_made(wire)
        for part in parts:
            connection.data_received(part)
            await asyncio.sleep(HEAD_S / 2 - 1)
        await asyncio.sleep(HEAD_S)
        return wire.is_closed

    return run_in_virtual_time(talk())


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
def test_slow_request_head_closes_the_connection(parts, is_closed):
    assert closed_after(*parts) == is_closed


def test_request_head_is_bounded():
    async def talk():
        wire = Wire()
        connection = PatientProtocol(Config(answer, log_config=None), ServerState(), {})
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
    return run_in_virtual_time(take())


def test_request_body_is_bounded():
    assert received(b"x" * 60, b"x" * 40) == ["http.request"] * 2
    assert received(b"x" * 60, b"x" * 41) == ["http.request", "http.disconnect"]


@pytest.mark.parametrize(
    ("delay_s", "chunks", "last"),
    [
        (29.9, 1, "http.request"),
        (30.1, 1, "http.disconnect"),
        (15.4, 2, "http.request"),  # what came earns the next one a second
        (15.6, 2, "http.disconnect"),
    ],
)
def test_slow_request_body_is_refused(delay_s, chunks, last):
    kinds = received(*[b"x" * 16_384] * chunks, most=99_999, delay_s=delay_s)
    assert kinds == ["http.request"] * (chunks - 1) + [last]


def test_messages_after_a_body_may_take_any_time():
    """A streaming page waits until the browser leaves."""

    async def talk():
        messages = [{"type": "http.request", "body": b""}, {"type": "http.disconnect"}]

        async def receive():
            if len(messages) == 1:
                await asyncio.sleep(3600)
            return messages.pop(0)

        limited = bounded(receive, 9)
        await limited()
        await limited()
        return asyncio.get_running_loop().time()

    assert run_in_virtual_time(talk()) == 3600
