"""What is read of a robots.txt, and what becomes of a site whose file cannot be had."""

import asyncio
import time
import tracemalloc
from types import SimpleNamespace

import pytest
from protego import Protego
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, DownloadConnectionRefusedError, DownloadTimeoutError
from scrapy.http import TextResponse
from support.crawl_parts import crawler_of, memory_job

from crawler.failures import HostileResponse, PrivateAddress, ProxyFailed, RobotsUnreachable, failure_reason
from crawler.middlewares.robots import MAX_BYTES, SharedRobotsMiddleware, limit_robots
from system.errors import ServiceDown

NAME = b"pindna/0.2 (+https://x.example)"


def rules(body):
    return Protego.parse(limit_robots(body.encode(), NAME).decode())


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("User-agent: *\nDisallow: /", False),
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: other\nUser-agent: PinDNA*\nDisallow: /", False),
        ("user-agent: pindna # us\nAllow: /\n\nUser-agent: *\nDisallow: /", True),
        ("User agent pindna\nDisallow: /", False),
    ],
)
def test_supported_rules_are_obeyed(body, allowed):
    assert rules(body).can_fetch("http://x.example/1", NAME.decode()) is allowed
    assert Protego.parse(body).can_fetch("http://x.example/1", NAME.decode()) is allowed


def test_many_names_and_rules_are_parsed_in_bounded_time():
    names = "".join(f"User-agent: {n}\nSitemap: x\n" for n in range(8_000))
    ours = "".join(f"User-agent: {NAME[:n].decode()}\n" for n in range(1, len(NAME)))
    body = f"{names}{ours}" + "".join(f"Disallow: /{n}\n" for n in range(15_000))
    began = time.process_time()
    tracemalloc.start()
    parser = rules(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not parser.can_fetch("http://x.example/7", NAME.decode())
    assert peak < 200_000_000
    assert time.process_time() - began < 20


def test_robots_is_read_up_to_its_limit():
    assert len(limit_robots(b"Disallow: /\n" * MAX_BYTES, NAME)) <= MAX_BYTES


# How it is fetched.

ROBOTS = b"User-agent: *\nDisallow: /no\n"


def fetcher(*answers):
    """A downloader that answers in turn, the last one for ever; and the addresses it was asked for."""
    requested = []

    async def download_async(request):
        requested.append(request.url)
        await real_sleep(0)
        answer = answers[min(len(requested), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        status, body = answer
        return TextResponse(request.url, status=status, body=body, request=request)

    return SimpleNamespace(download_async=download_async), requested


real_sleep = asyncio.sleep


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that were made, none of which is waited for."""
    seconds_slept = []

    async def sleep(seconds):
        seconds_slept.append(seconds)
        await real_sleep(0)

    monkeypatch.setattr("crawler.middlewares.robots.asyncio.sleep", sleep)
    return seconds_slept


def ask(engine, *urls):
    """What became of requests that came in together: None for one that may be sent."""
    job = memory_job()
    middleware = SharedRobotsMiddleware(crawler_of(job, engine=engine))

    async def gather():
        requests = (middleware.process_request(Request(url)) for url in urls)
        return await asyncio.gather(*requests, return_exceptions=True)

    results = asyncio.run(gather())
    return [failure_reason(result) if isinstance(result, Exception) else result for result in results]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_site_without_robots_may_be_read(pauses, status):
    engine, requested = fetcher((status, b"User-agent: *\nDisallow: /\n"))
    assert ask(engine, "http://x.example/no") == [None]
    assert (requested, pauses) == (["http://x.example/robots.txt"], [])


@pytest.mark.parametrize("status", [429, 500, 503])
def test_failing_robots_is_requested_three_times_and_then_blocks_the_site(pauses, status):
    engine, requested = fetcher((status, b"User-agent: *\nDisallow:\n"))
    assert ask(engine, "http://x.example/yes") == ["robots-unreachable"]
    assert (len(requested), pauses) == (3, [5.0, 20.0])


def test_site_that_recovers_is_read_by_its_rules(pauses):
    engine, requested = fetcher((503, b""), (200, ROBOTS))
    assert ask(engine, "http://x.example/yes", "http://x.example/no") == [None, "robots"]
    assert (len(requested), pauses) == (2, [5.0])


def test_requests_that_wait_for_robots_together_all_obey_it():
    engine, requested = fetcher((200, ROBOTS))
    urls = ["http://x.example/yes", *(f"http://x.example/no{number}" for number in range(12))]
    assert ask(engine, *urls) == [None, *["robots"] * 12]
    assert len(requested) == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (CannotResolveHostError("x.example"), "dns"),
        (DownloadConnectionRefusedError(""), "refused"),
        (ProxyFailed(""), "proxy"),
        (DownloadTimeoutError(""), "robots-unreachable"),
        (HostileResponse("layers"), "robots-unreachable"),
    ],
)
@pytest.mark.usefixtures("pauses")
def test_unreachable_server_is_the_reason(error, reason):
    engine, requested = fetcher(error)
    assert ask(engine, "http://x.example/yes") == [reason]
    assert len(requested) == (3 if reason == "robots-unreachable" else 1)


def test_locally_refused_address_does_not_affect_robots():
    engine, _ = fetcher(PrivateAddress("private"))
    assert ask(engine, "http://x.example/yes") == [None]  # the request itself is judged by AddressMiddleware


def test_internal_error_ends_every_request():
    error = ServiceDown(service="MongoDB", address="a", problem="p")
    engine, _ = fetcher(error)
    assert ask(engine, "http://x.example/1", "http://x.example/2") == ["other: ServiceDown"] * 2


@pytest.mark.usefixtures("pauses")
def test_failed_robots_is_requested_again_after_ten_minutes(monkeypatch):
    engine, requested = fetcher((500, b""), (500, b""), (500, b""), (200, ROBOTS))
    middleware = SharedRobotsMiddleware(crawler_of(memory_job(), engine=engine))
    now = SimpleNamespace(s=1_000.0)
    monkeypatch.setattr("crawler.middlewares.robots.time.monotonic", lambda: now.s)

    async def process():
        for later_s in (0, 600, 1):
            now.s += later_s
            try:
                await middleware.process_request(Request("http://x.example/yes"))
            except RobotsUnreachable:
                outcomes.append("unreachable")
            else:
                outcomes.append("read")

    outcomes = []
    asyncio.run(process())
    assert (outcomes, len(requested)) == (["unreachable", "unreachable", "read"], 4)
