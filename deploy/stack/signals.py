"""Ctrl-C, SIGTERM and a closed terminal raise exceptions instead of killing the program.

Guarantees: while installed, each of the three signals raises an exception in the main thread, so that every
``with`` block ends properly. Inside ``hold`` a signal waits until the block is done. Handlers that the
program has set itself stay, and signals that the parent process ignores stay ignored.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_DEFAULTS: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


class Interrupts:
    """The three signals as exceptions: ``KeyboardInterrupt``, or ``SystemExit`` with 128 + number."""

    def __init__(self) -> None:
        self._previous: dict[signal.Signals, Any] = {}
        self._holds = 0
        self._waiting: int | None = None

    def install(self) -> None:
        """Handle the signals that have their default handler; no effect outside the main thread."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number, default in _DEFAULTS.items():
            if signal.getsignal(number) is default:
                self._previous[number] = signal.signal(number, self._on_signal)

    def restore(self) -> None:
        """Restore the default handlers of the signals."""
        while self._previous:
            number, handler = self._previous.popitem()
            signal.signal(number, handler)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Delay signals until the block is done.

        Raises:
            KeyboardInterrupt: Ctrl-C came during the block.
            SystemExit: SIGTERM or SIGHUP came during the block.
        """
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if not self._holds and self._waiting is not None:
                number, self._waiting = self._waiting, None
                _interrupt(number)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._holds:
            self._waiting = number
        else:
            _interrupt(number)


def _interrupt(number: int) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
