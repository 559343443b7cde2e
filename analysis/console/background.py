"""Background tasks of the serving process: send waiting work while a scan runs, and record outages.

The process records that it runs, for commands that need the database alone (:mod:`storage.running.consoles`).
Every open page shows an outage. If a process was killed while it sent a notice, the notice becomes uncertain,
and a user decides about it (:mod:`analysis.notices.sending`). A running beat does the same; several processes
may do it at once (:mod:`tracker.scans.dispatch`).
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from fastapi import FastAPI

from analysis.actions.scans import send_waiting
from analysis.console.installation import Installation
from analysis.notices.sending import settle_interrupted
from storage.records import utc_now
from storage.running.consoles import record_console, this_console
from storage.servers.redis_client import redis_errors
from system.errors import PindnaError

logger = logging.getLogger(__name__)

_EVERY_S = 3.0


def background(installation: Installation) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return the lifespan of the application, which runs the background tasks.

    Args:
        installation: the services.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        task = asyncio.create_task(_send_waiting_work(installation))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    return lifespan


async def _send_waiting_work(installation: Installation) -> None:
    """Every few seconds, check the services, record that this process runs, and send waiting work."""
    while True:
        try:
            await asyncio.to_thread(_run_background_tasks, installation)
        except PindnaError as error:
            if installation.outage.problem is None:
                logger.warning("%s", error)
            installation.outage.problem = error
        else:
            installation.outage.problem = None
        await asyncio.sleep(_EVERY_S)


def _run_background_tasks(installation: Installation) -> None:
    client = installation.runtime.redis
    with redis_errors(client):
        client.ping()
    installation.runtime.live_settings.follow()
    storage = installation.runtime.settings.storage
    record_console(storage, this_console(storage))
    settle_interrupted(installation.stores, now=utc_now())
    if installation.stores.scans.running():
        send_waiting(installation.runtime)
