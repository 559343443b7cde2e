"""Readers in processes of their own: what they read, and how they die."""

import asyncio
import subprocess
import sys
import time

import psutil
import pytest

from crawler.extraction import extract
from crawler.readers.pool import CannotRead, Extractors
from crawler.readers.questions import PageQuestion

PROSE = "渡口的灯在雨夜里亮着，老船工把竹篙往石上一点，对岸有人唤了三声。" * 9
PAGE = f"<html><title>渡口</title><body><div>{PROSE}</div></body></html>".encode()
QUESTION = PageQuestion(PAGE, "http://x.example/1.html")

# Reads one page, says who reads for it, and goes on reading until it is killed.
_CRAWL = f"""
import asyncio, psutil
from crawler.readers.pool import Extractors
from crawler.readers.questions import PageQuestion
extractors = Extractors(1)
async def read():
    while True:
        await extractors.ask(PageQuestion({PAGE!r}, "http://x.example/1.html"))
        print(psutil.Process().children()[0].pid, flush=True)
        await asyncio.sleep(WAIT)
asyncio.run(read())
"""


@pytest.fixture
def reading():
    """Run a function with readers, which are closed in the end."""
    made = []

    def run(call, processes=1, **options):
        made.append(Extractors(processes, **options))
        return asyncio.run(call(made[-1]))

    yield run
    for each in made:
        each.close()


def readers():
    own = psutil.Process().children(recursive=True)
    return [each for each in own if "crawler.readers.process" in " ".join(each.cmdline())]


@pytest.mark.parametrize("processes", [1, 2])
def test_readers_read_what_the_crawl_itself_would(reading, processes):
    async def call(extractors):
        return await asyncio.gather(*(extractors.ask(QUESTION) for _ in range(6)))

    assert reading(call, processes) == [extract(PAGE, url=QUESTION.url)] * 6


def test_readers_start_when_they_are_needed_and_end_with_the_crawl():
    before = len(readers())
    extractors = Extractors(4)
    assert len(readers()) == before
    asyncio.run(extractors.ask(QUESTION))
    assert len(readers()) == before + 1
    extractors.close()
    assert len(readers()) == before


def test_a_page_that_takes_too_long_fails_alone(reading):
    async def call(extractors):
        with pytest.raises(CannotRead):
            await extractors.ask(QUESTION)

    # No page is read in a millisecond: the watchdog ends reader after reader.
    reading(call, longest_s=0.0001)


def test_a_reader_that_was_killed_is_replaced(reading):
    async def call(extractors):
        first = await extractors.ask(QUESTION)
        for each in readers():
            each.kill()
            each.wait()
        return first, await extractors.ask(QUESTION)

    first, second = reading(call)
    assert first == second


def test_closing_does_not_wait_for_a_page_under_way():
    async def call():
        extractors = Extractors(1)
        await extractors.ask(QUESTION)
        (reader,) = readers()
        reader.suspend()
        under_way = asyncio.create_task(extractors.ask(QUESTION))
        await asyncio.sleep(0.1)
        extractors.close()
        with pytest.raises(CannotRead):
            await under_way

    asyncio.run(call())
    assert readers() == []


@pytest.mark.parametrize("wait", [0, 3600])
def test_readers_die_with_a_killed_crawl(wait):
    command = [sys.executable, "-c", _CRAWL.replace("WAIT", str(wait))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as crawl:
        reader = psutil.Process(int(crawl.stdout.readline()))
        crawl.kill()
    deadline = time.monotonic() + 60
    while reader.is_running() and reader.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not reader.is_running() or reader.status() == psutil.STATUS_ZOMBIE
