"""Strangers who try passwords keep nobody waiting who is signed in."""

import asyncio
import threading
import time

import pytest

from analysis.accounts.passwords import AT_ONCE
from analysis.console import sign_in
from analysis.console.sign_in import TooManySignIns, _Hashing


def test_passwords_are_checked_in_threads_of_their_own():
    async def attack():
        hashing = _Hashing()
        attempts = [asyncio.create_task(hashing.run(time.sleep, 0.05)) for _ in range(AT_ONCE * 3)]
        await asyncio.sleep(0.01)
        began = time.monotonic()
        await asyncio.to_thread(lambda: None)
        waited = time.monotonic() - began
        await asyncio.gather(*attempts)
        return waited, time.monotonic() - began

    waited, whole = asyncio.run(attack())
    assert waited < 0.04
    assert whole > 0.1  # a few at once


def test_a_long_queue_is_refused(monkeypatch):
    monkeypatch.setattr(sign_in, "_MAX_WAITING", 2)

    release = threading.Event()

    async def attack():
        hashing = _Hashing()
        attempts = [asyncio.create_task(hashing.run(release.wait, 5)) for _ in range(AT_ONCE + 2)]
        await asyncio.sleep(0.05)
        with pytest.raises(TooManySignIns):
            await hashing.run(release.wait, 5)
        release.set()
        await asyncio.gather(*attempts)

    asyncio.run(attack())
