"""HTTP/1.1 with limits: a request's head must arrive soon and be small, and its body must arrive fast enough.

uvicorn does not limit the time of a head, and with httptools not its size. So a client that opens many
connections and sends nothing would block all others. h11 accepts heads of at most 64 KiB.
"""

import asyncio
from typing import Any

import h11
from starlette.types import Message, Receive
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 10.0
_BODY_S = 30.0  # time limit for any body
_BODY_BYTES_PER_S = 16_384  # larger bodies get one more second for this many bytes


class PatientProtocol(H11Protocol):
    """A connection that is closed if no complete head arrives within ten seconds."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timer for the first head."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Handle received data; the timer runs until the head is complete."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_S, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def bounded(receive: Receive, most: int) -> Receive:
    """Return a function that receives a request, and aborts it if its body is too long or too slow.

    Call this in a running event loop, because it uses the clock of the loop.

    Args:
        receive: what receives it.
        most: bytes of a body.
    """
    now_s = asyncio.get_running_loop().time
    began = now_s()
    taken = 0
    is_whole = False

    async def limited() -> Message:
        nonlocal taken, is_whole
        if is_whole:
            return await receive()
        left_s = began + _BODY_S + taken / _BODY_BYTES_PER_S - now_s()
        try:
            message = await asyncio.wait_for(receive(), max(left_s, 0.0))
        except TimeoutError:
            return {"type": "http.disconnect"}
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
        return {"type": "http.disconnect"} if taken > most else message

    return limited
