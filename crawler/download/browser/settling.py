"""Looking at a page without its help: over the browser's own protocol, in a world of its own.

A page may replace every function of its own world; what is evaluated here runs in an isolated one
(https://chromedevtools.github.io/devtools-protocol/), beside the page's scripts, on its document.
"""

import asyncio
import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Error

_WORLD = "pindna"
_LOOK_S = 0.2
_QUIET_S = 0.6  # for so long the text did not grow
_EMPTY_S = 3.0  # a page without a text is given so long to bring one
_MAX_S = 10.0
_ANSWER_S = 6.0  # a page whose scripts let nobody in for so long is given up
_MIN_TEXT = 200  # characters; a page with fewer may still be waiting for its text
_WIDTH = 1280
_HEIGHTS = (10_000, 4_000, 1_000)  # of a screenshot; the next one when the file grows too large
_MAX_PNG = 4 * 1024 * 1024
_LENGTH = "(document.body ? document.body.textContent.length : 0)"
_READY = "document.readyState"
_DOM = """(most => {
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) + "\\n" : "";
  const all = document.documentElement ? type + document.documentElement.outerHTML : "";
  return all.length > most ? null : all;
})(%d)"""


@dataclass(frozen=True, slots=True)
class Look:
    """How far a page is: whether it is loaded, and the length of its text in characters."""

    is_loaded: bool
    characters: int


class Looker:
    """Looks at one page.

    Args:
        session: with the page.
        frame: id of its main frame.
    """

    def __init__(self, session: CDPSession, frame: str) -> None:
        self._session = session
        self._frame = frame
        self._world: int | None = None

    async def settled(self, *, most: int, is_busy: Callable[[], bool], is_left: Callable[[], bool]) -> Look:
        """Wait until the page is loaded and its text grows no longer, and return what it came to.

        Args:
            most: characters; a page with more is not waited for.
            is_busy: whether the page waits for something from the network.
            is_left: whether it wants to be another page; then it is not waited for any longer.

        Raises:
            TimeoutError: the page does not let itself be looked at.
        """
        began = grown = time.monotonic()
        last = Look(is_loaded=False, characters=-1)
        while True:
            now, look = time.monotonic(), await self._look()
            if look != last:
                last, grown = look, now
            if (
                look.characters > most
                or now - began > _MAX_S
                or _is_ready(look, quiet_s=now - grown, left=is_left(), busy=is_busy())
            ):
                return look
            await asyncio.sleep(_LOOK_S)

    async def _look(self) -> Look:
        state = await self.evaluate(f"[{_READY}, {_LENGTH}]")
        if state is None:  # between two documents
            return Look(is_loaded=False, characters=0)
        return Look(is_loaded=state[0] == "complete", characters=int(state[1]))

    async def dom(self, *, most: int) -> str | None:
        """Return the page as it stands, None when it has more characters than ``most``."""
        found = await self.evaluate(_DOM % most)
        return found if isinstance(found, str) else None

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, None when the page was replaced meanwhile.

        Raises:
            TimeoutError: the page's own scripts do not come to an end.
        """
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await self._evaluate(expression)
        except Error:  # the world went with the document; the next look is into the new one's
            self._world = None
            return None

    async def _evaluate(self, expression: str) -> Any:
        if self._world is None:
            world = await self._session.send(
                "Page.createIsolatedWorld", {"frameId": self._frame, "worldName": _WORLD}
            )
            self._world = int(world["executionContextId"])
        answer = await self._session.send(
            "Runtime.evaluate",
            {"expression": expression, "contextId": self._world, "returnByValue": True},
        )
        return answer["result"].get("value")

    async def screenshot(self) -> bytes:
        """Return the page as PNG, from its top as far down as fits into the bounds; empty when none does."""
        metrics = await self._session.send("Page.getLayoutMetrics")
        whole = metrics["cssContentSize"]["height"]
        for most in _HEIGHTS:
            clip = {"x": 0, "y": 0, "width": _WIDTH, "height": max(1, min(whole, most)), "scale": 1}
            answer = await self._session.send(
                "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True}
            )
            image = base64.b64decode(answer["data"])
            if len(image) <= _MAX_PNG:
                return image
        return b""


def _is_ready(look: Look, *, quiet_s: float, left: bool, busy: bool) -> bool:
    if quiet_s < _QUIET_S:
        return False
    if left:
        return True
    has_text = look.characters >= _MIN_TEXT
    return look.is_loaded and not busy and (has_text or quiet_s >= _EMPTY_S)
