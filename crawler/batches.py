"""Calls to a store that would each be a round trip, batched while the previous one is under way.

The first call goes out at once, and calls that come in before it is answered go out together. A batch may
also wait a tenth of a second for more, as long as more are under way. A caller goes on when its own call was
carried out: nothing is promised that is not stored.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from system.errors import PindnaError

K = TypeVar("K")
R = TypeVar("R")

_MAX_BATCH = 64
_ENOUGH = 16  # calls that wait for no more
_STEPS, _STEP_S = 10, 0.01


class Batches(Generic[K, R]):
    """One kind of call.

    Args:
        call: answers several questions, in their order; may raise for all of them.
        under_way: how many questions will come soon, with those that wait; None: unknown.
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
            PindnaError: as the call does; any other exception of the call for this question alone.
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
            await self._answer(batch)
        self._running = None

    async def _linger(self) -> None:
        """Wait a moment for more questions while more are under way."""
        if self._under_way is None:
            return
        for _ in range(_STEPS):
            if len(self._waiting) >= min(_ENOUGH, self._under_way()):
                return
            await asyncio.sleep(_STEP_S)

    async def _answer(self, batch: list[tuple[K, asyncio.Future[R]]]) -> None:
        try:
            answers = await self._call([question for question, _ in batch])
        except Exception as error:  # noqa: BLE001 - handed to those who asked
            # A question that cannot be answered must not fail the others.
            if isinstance(error, PindnaError) or len(batch) == 1:
                _settle(batch, error)
            else:
                for waiting in batch:
                    await self._answer([waiting])
            return
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():
                future.set_result(answer)


def _settle(batch: list[tuple[K, asyncio.Future[R]]], error: Exception) -> None:
    for _, future in batch:
        if not future.done():
            future.set_exception(error)
