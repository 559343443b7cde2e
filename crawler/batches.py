"""Batches calls to a store while the previous call is running, to save round trips.

The first call starts at once; calls that arrive before it returns are sent together. A batch may also wait
up to a tenth of a second while further calls are expected. A caller continues only after its own call was
carried out, so nothing is reported as stored before it is.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from system.errors import PindnaError

K = TypeVar("K")
R = TypeVar("R")

_MAX_BATCH = 64
_ENOUGH = 16  # a batch of this size starts without waiting for more calls
_STEPS, _STEP_S = 10, 0.01


class Batches(Generic[K, R]):
    """A batched call.

    Args:
        call: answers several questions, in their order; may raise for all of them.
        under_way: returns how many questions wait or will arrive soon; None if that is unknown.
    """

    def __init__(
        self,
        call: Callable[[list[K]], Awaitable[list[R]]],
        *,
        under_way: Callable[[], int] | None = None,
    ) -> None:
        self._call = call
        self._under_way = under_way
        self._waiting: list[tuple[K, asyncio.Future[R]]] = []
        self._running: asyncio.Task[None] | None = None

    async def ask(self, question: K) -> R:
        """Return the answer to one question.

        Raises:
            PindnaError: as the call raises it, for the whole batch.
            Exception: another error of the call; raised only for the question that causes it.
        """
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._running is None:
            self._running = asyncio.create_task(self._send_waiting())
        return await future

    async def _send_waiting(self) -> None:
        while self._waiting:
            await self._linger()
            batch, self._waiting = self._waiting[:_MAX_BATCH], self._waiting[_MAX_BATCH:]
            await self._answer_batch(batch)
        self._running = None

    async def _linger(self) -> None:
        """Wait briefly for more questions while more are expected."""
        if self._under_way is None:
            return
        for _ in range(_STEPS):
            if len(self._waiting) >= min(_ENOUGH, self._under_way()):
                return
            await asyncio.sleep(_STEP_S)

    async def _answer_batch(self, batch: list[tuple[K, asyncio.Future[R]]]) -> None:
        try:
            answers = await self._call([question for question, _ in batch])
        except Exception as error:  # noqa: BLE001 - passed on to the callers
            # One bad question must not fail the other ones.
            if isinstance(error, PindnaError) or len(batch) == 1:
                _resolve_futures(batch, error)
            else:
                for waiting in batch:
                    await self._answer_batch([waiting])
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)


def _resolve_futures(batch: list[tuple[K, asyncio.Future[R]]], error: Exception) -> None:
    for _, future in batch:
        if not future.done():
            future.set_exception(error)
