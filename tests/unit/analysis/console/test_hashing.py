"""Strangers who try passwords keep nobody waiting who is signed in."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from anyio import to_thread

from analysis.accounts.passwords import AT_ONCE
from analysis.console import sign_in
from analysis.console.sign_in import TooManySignIns, _Hashing

THREADS_OF_OTHERS = 40  # that anyio has for all who name none


@pytest.fixture
def check():
    """A check of a password, which lasts until ``end`` is set; ``most`` were under way at once."""
    check = SimpleNamespace(end=threading.Event(), running=0, most=0)
    lock = threading.Lock()

    def run():
        with lock:
            check.running += 1
            check.most = max(check.most, check.running)
        check.end.wait(60)
        with lock:
            check.running -= 1

    check.run = run
    yield check
    check.end.set()


async def until(condition):
    while not condition():  # noqa: ASYNC110 - of threads, which set no event of a loop
        await asyncio.sleep(0.001)


def test_passwords_are_checked_in_separate_threads(check):
    async def attack():
        hashing = _Hashing()
        attempts = [asyncio.create_task(hashing.run(check.run)) for _ in range(THREADS_OF_OTHERS + 1)]
        await until(lambda: check.running >= AT_ONCE)
        await asyncio.wait_for(asyncio.to_thread(lambda: None), 30)
        await asyncio.wait_for(to_thread.run_sync(lambda: None), 30)
        check.end.set()
        await asyncio.gather(*attempts)

    asyncio.run(attack())
    assert check.most == AT_ONCE


def test_long_queue_is_refused(check, monkeypatch):
    monkeypatch.setattr(sign_in, "_MAX_WAITING", 2)

    async def attack():
        hashing = _Hashing()
        attempts = [asyncio.create_task(hashing.run(check.run)) for _ in range(AT_ONCE + 2)]
        await until(lambda: hashing._limiter.statistics().tasks_waiting == 2)
        with pytest.raises(TooManySignIns):
            await hashing.run(check.run)
        check.end.set()
        await asyncio.gather(*attempts)

    asyncio.run(attack())
