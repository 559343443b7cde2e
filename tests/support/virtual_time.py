"""An event loop whose clock moves only when all wait for it: pauses take no time, busy machines add none."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    """Instead of waiting for so many seconds, it moves the clock on by them."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout if timeout is None else 0)
        if not ready:
            self.now_s += timeout or 0
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now_s


def run_in_virtual_time(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine by such a clock, which begins at 0 s; ``get_running_loop().time`` tells it."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(coroutine)
