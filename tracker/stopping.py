"""Whether this worker shuts down: what its processes have begun, they then give back.

Celery's warm shutdown waits for every task that runs, which a crawl may do for hours. One flag is shared by
the processes of a worker, which are forked from the one that made it; tasks look at it between two steps.
"""

import multiprocessing
from functools import cache
from typing import Any

from celery.signals import worker_init, worker_shutting_down


@cache
def _flag() -> Any:
    return multiprocessing.RawValue("b", 0)


def is_stopping() -> bool:
    """Return whether the worker of this process was told to end."""
    return bool(_flag().value)


@worker_init.connect
def _make(**_: object) -> None:
    """Make the flag before any process is forked."""
    _flag()


@worker_shutting_down.connect
def _raise(**_: object) -> None:
    _flag().value = 1
