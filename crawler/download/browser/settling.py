"""Waits until a page has settled, and reads it, over the DevTools protocol in an isolated world.

A page's scripts may replace any function of their own world. So expressions are evaluated in an isolated
world (https://chromedevtools.github.io/devtools-protocol/) with the same document.
"""

import asyncio
import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Error

_WORLD = "pindna"
_POLL_S = 0.2
_QUIET_S = 0.6  # time without growth of the text
_EMPTY_S = 3.0  # waiting time for a page without text
_MAX_S = 10.0
_ANSWER_S = 6.0  # time limit for an answer of a page with busy scripts
_MIN_TEXT = 200  # minimum characters; a shorter page may still be loading its text
_WIDTH = 1280
# heights of a screenshot; if the file is too large, the next height is tried
_HEIGHTS = (10_000, 4_000, 1_000)
_MAX_PNG = 4 * 1024 * 1024
_LENGTH = "(document.body ? document.body.textContent.length : 0)"
_READY = "document.readyState"


@dataclass(frozen=True, slots=True)
class PageState:
    """Whether a page is loaded, and the length of its text in characters."""

    is_loaded: bool
    characters: int


class Settler:
    """Waits for one page, and reads it.

    Args:
        session: with the page.
        frame: id of its main frame.
    """

    def __init__(self, session: CDPSession, frame: str) -> None:
        self._session = session
        self._frame = frame
        self._world: int | None = None

    async def wait_until_settled(
        self,
        *,
        max_chars: int,
        is_busy: Callable[[], bool],
        is_left: Callable[[], bool],
        max_s: float = _MAX_S,
    ) -> PageState:
        """Wait until the page is loaded and its text stops growing, and return its last state.

        Args:
            max_chars: stop waiting when the text is longer.
            is_busy: returns whether the page waits for the network.
            is_left: returns whether the page navigates to another page, which ends the wait.
            max_s: seconds to wait at most.

        Raises:
            TimeoutError: the page does not reply.
        """
        began = grown = time.monotonic()
        last = PageState(is_loaded=False, characters=-1)
        while True:
            now, state = time.monotonic(), await self._read_state()
            if state != last:
                last, grown = state, now
            if (
                state.characters > max_chars
                or now - began > max_s
                or _is_ready(state, quiet_s=now - grown, leaving=is_left(), busy=is_busy())
            ):
                return state
            await asyncio.sleep(_POLL_S)

    async def _read_state(self) -> PageState:
        values = await self.evaluate(f"[{_READY}, {_LENGTH}]")
        if values is None:  # the page is between two documents
            return PageState(is_loaded=False, characters=0)
        return PageState(is_loaded=values[0] == "complete", characters=int(values[1]))

    async def characters(self) -> int:
        """Return the length of the page's text."""
        return (await self._read_state()).characters

    async def evaluate(self, expression: str, *, waits: bool = False) -> Any:
        """Return the value of an expression; None if the page was replaced.

        Args:
            expression: in JavaScript.
            waits: whether to await the value, a promise.

        Raises:
            TimeoutError: the page's own scripts do not finish.
        """
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await self._evaluate_script(expression, waits=waits)
        except Error:  # the isolated world vanished with its document; the next call creates a new world
            self._world = None
            return None

    async def _evaluate_script(self, expression: str, *, waits: bool) -> Any:
        if self._world is None:
            world = await self._session.send(
                "Page.createIsolatedWorld", {"frameId": self._frame, "worldName": _WORLD}
            )
            self._world = int(world["executionContextId"])
        reply = await self._session.send(
            "Runtime.evaluate",
            {
                "expression": expression,
                "contextId": self._world,
                "returnByValue": True,
                "awaitPromise": waits,
            },
        )
        return reply["result"].get("value")

    async def screenshot(self) -> bytes:
        """Return the page as PNG, from its top down to the size limit; empty if none fits."""
        metrics = await self._session.send("Page.getLayoutMetrics")
        whole = metrics["cssContentSize"]["height"]
        for height in _HEIGHTS:
            clip = {"x": 0, "y": 0, "width": _WIDTH, "height": max(1, min(whole, height)), "scale": 1}
            reply = await self._session.send(
                "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True}
            )
            image = base64.b64decode(reply["data"])
            if len(image) <= _MAX_PNG:
                return image
        return b""


def _is_ready(state: PageState, *, quiet_s: float, leaving: bool, busy: bool) -> bool:
    if quiet_s < _QUIET_S:
        return False
    if leaving:
        return True
    has_text = state.characters >= _MIN_TEXT
    return state.is_loaded and not busy and (has_text or quiet_s >= _EMPTY_S)
