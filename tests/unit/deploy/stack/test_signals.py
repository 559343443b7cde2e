"""Signals unwind the program, outside held blocks only."""

import os
import signal
import time

import pytest

from deploy.stack.signals import Interrupts


@pytest.fixture
def untouched_signals():
    """The three signals as Python starts with them, whatever the session's servers have taken over."""
    defaults = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in defaults.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("untouched_signals")
def test_held_signals_wait_until_the_block_ends():
    interrupts = Interrupts()
    interrupts.install()
    steps = []

    def work():
        with interrupts.hold():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.01)
            steps.append("done")
        steps.append("never")

    try:
        with pytest.raises(SystemExit) as raised:
            work()
        assert steps == ["done"]
        assert raised.value.code == 143
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        interrupts.restore()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("untouched_signals")
def test_existing_signal_handler_is_kept():
    previous = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    interrupts = Interrupts()
    try:
        interrupts.install()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        interrupts.restore()
        signal.signal(signal.SIGHUP, previous)
