"""Waiting for what processes do: as long as it takes, so that no test is judged by a busy machine."""

import time
from collections.abc import Callable

import psutil
import pytest


def wait_until(
    condition: Callable[[], object],
    *,
    patience_s: float = 120,
    pause_s: float = 0.05,
    tell: Callable[[], str] = lambda: "",
) -> None:
    """Return as soon as a condition holds.

    Args:
        condition: what is waited for.
        patience_s: after so long the test fails.
        pause_s: between two looks.
        tell: what a failure tells, such as a log.
    """
    end = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"waited {patience_s} s in vain\n{tell()}")
        time.sleep(pause_s)


def has_ended(process: psutil.Process) -> bool:
    """Return whether a process runs no more, though nobody may have taken notice yet."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
