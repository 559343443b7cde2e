"""Shutdown of a worker: its processes release their unfinished work.

Celery's warm shutdown waits for every running task, and a crawl may run for hours. The processes of a worker
share one flag, created before they are forked; tasks check it between two steps.
"""

import multiprocessing
from functools import cache
from typing import Any

from celery.signals import worker_init, worker_shutting_down


@cache
def _shared_flag() -> Any:
    return multiprocessing.RawValue("b", 0)


def is_stopping() -> bool:
    """Return whether the worker of this process is shutting down."""
    return bool(_shared_flag().value)


@worker_init.connect
def _create_flag(**_: object) -> None:
    """Create the flag before any process is forked."""
    _shared_flag()


@worker_shutting_down.connect
def _raise_flag(**_: object) -> None:
    _shared_flag().value = 1
