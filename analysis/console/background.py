"""What the serving process does by itself: it sends waiting work to the workers while a scan runs.

Beat does the same where it runs; both at once do no harm (:mod:`tracker.scans.dispatch`).
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from fastapi import FastAPI

from analysis.acting.scans import send_waiting
from analysis.console.installation import Installation
from storage.errors import PindnaError

logger = logging.getLogger(__name__)

_EVERY_S = 3.0
_AFTER_FAILURE_S = 15.0


def background(installation: Installation) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return the lifespan of the application, during which scans go on.

    Args:
        installation: the services.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(_send(installation))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    return lifespan


async def _send(installation: Installation) -> None:
    while True:
        pause_s = _EVERY_S
        try:
            if await asyncio.to_thread(installation.stores.scans.running):
                await asyncio.to_thread(send_waiting, installation.runtime)
        except PindnaError as error:
            logger.warning("%s", error)
            pause_s = _AFTER_FAILURE_S
        await asyncio.sleep(pause_s)
