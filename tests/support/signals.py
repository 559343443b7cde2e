"""Signals in tests: what their processes start with, however the run itself was started."""

import signal
from types import FrameType


def _stay(number: int, frame: FrameType | None) -> None:
    """Do nothing, so that a run under ``nohup`` outlives its terminal."""


def start_children_with_defaults() -> None:
    """Let processes that tests start have the default handlers of SIGINT and SIGHUP.

    Both are ignored in a run in the background (``nohup make test &``), and children inherit ignored signals.
    A handler is not inherited: the kernel sets it back when a program starts.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, _stay)
