"""Readers in processes of their own: what they read, and how they die."""

import asyncio
import subprocess
import sys

import psutil
import pytest
from support.processes import children_with
from support.waiting import has_ended, wait_until

from crawler.extraction import extract
from crawler.readers.pool import CannotRead, ReaderPool
from crawler.readers.questions import PageQuestion

PROSE = "渡口的灯在雨夜里亮着，老船工把竹篙往石上一点，对岸有人唤了三声。" * 9
PAGE = f"<html><title>渡口</title><body><div>{PROSE}</div></body></html>".encode()
QUESTION = PageQuestion(PAGE, "http://x.example/1.html")

# Reads one page, says who reads for it, and goes on reading until it is killed.
_CRAWL = f"""
import asyncio, psutil
from crawler.readers.pool import ReaderPool
from crawler.readers.questions import PageQuestion
readers = ReaderPool(1)
async def read():
    while True:
        await readers.ask(PageQuestion({PAGE!r}, "http://x.example/1.html"))
        print(psutil.Process().children()[0].pid, flush=True)
        await asyncio.sleep(WAIT)
asyncio.run(read())
"""


@pytest.fixture
def reading():
    """Run a function with a pool of readers, which is closed in the end."""
    pools = []

    def run_with_readers(call, count=1, **options):
        pools.append(ReaderPool(count, **options))
        return asyncio.run(call(pools[-1]))

    yield run_with_readers
    for pool in pools:
        pool.close()


@pytest.fixture
def readers_of_test():
    """A function that lists the readers that run; others of the session's may run all the time."""
    others = set(children_with("crawler.readers.process"))
    return lambda: [reader for reader in children_with("crawler.readers.process") if reader not in others]


@pytest.mark.parametrize("count", [1, 2])
def test_readers_return_the_same_as_extract(reading, count):
    async def call(readers):
        return await asyncio.gather(*(readers.ask(QUESTION) for _ in range(6)))

    assert reading(call, count) == [extract(PAGE, url=QUESTION.url)] * 6


def test_readers_start_when_they_are_needed_and_end_with_the_crawl(readers_of_test):
    readers = ReaderPool(4)
    assert readers_of_test() == []
    asyncio.run(readers.ask(QUESTION))
    assert len(readers_of_test()) == 1
    readers.close()
    assert readers_of_test() == []


def test_page_that_takes_too_long_fails_alone(reading):
    async def call(readers):
        with pytest.raises(CannotRead):
            await readers.ask(QUESTION)

    # No page is read in a millisecond: the watchdog ends reader after reader.
    reading(call, max_s=0.0001)


def test_reader_that_was_killed_is_replaced(reading, readers_of_test):
    async def call(readers):
        first = await readers.ask(QUESTION)
        (process,) = readers_of_test()
        process.kill()
        wait_until(lambda: has_ended(process))
        return first, await readers.ask(QUESTION)

    first, second = reading(call)
    assert first == second


def test_closing_does_not_wait_for_a_page_under_way(readers_of_test):
    async def call():
        readers = ReaderPool(1)
        await readers.ask(QUESTION)
        (process,) = readers_of_test()
        process.suspend()
        under_way = asyncio.create_task(readers.ask(QUESTION))
        await asyncio.sleep(0.1)
        readers.close()
        with pytest.raises(CannotRead):
            await under_way

    asyncio.run(call())
    assert readers_of_test() == []


@pytest.mark.parametrize("wait", [0, 3600])
def test_readers_die_with_a_killed_crawl(wait):
    command = [sys.executable, "-c", _CRAWL.replace("WAIT", str(wait))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as crawl:
        reader = psutil.Process(int(crawl.stdout.readline()))
        crawl.kill()
    wait_until(lambda: has_ended(reader))
