"""A request waits for its host's turn, and is refused where waiting makes no sense."""

import asyncio
from types import SimpleNamespace

import pytest
from scrapy import Request
from support.crawl_parts import URL, crawler_of, memory_job

from crawler.failures import CrawlTimeOver, HostileResponse, PauseTooLong, SiteRefuses
from crawler.meta import NOT_BEFORE, UNPACED
from crawler.middlewares import pace as module
from crawler.middlewares.pace import PaceMiddleware, pace_key
from storage.records import Source
from storage.settings import CrawlerSettings


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only while the middleware sleeps; ``slept`` lists for how long."""
    now = SimpleNamespace(s=1_000.0, slept=[])

    async def sleep(seconds):
        now.s += seconds
        now.slept.append(seconds)

    monkeypatch.setattr(module.time, "monotonic", lambda: now.s)
    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    return now


def job_of_source(*, delay_s=None, own_delay_s=0.0, max_wait_s=120.0, max_minutes=60.0):
    source = Source(name="a", kind="urls", start_urls=(URL,), delay_s=delay_s, max_minutes=max_minutes)
    return memory_job(source, settings=CrawlerSettings(delay_s=own_delay_s, max_wait_s=max_wait_s))


def middleware_of(job, *, crawl_delay=None, url=URL):
    middleware = PaceMiddleware.from_crawler(crawler_of(job))
    middleware.record_end()
    if crawl_delay is not None:
        parser = SimpleNamespace(crawl_delay=lambda _agent: crawl_delay)
        middleware.record_crawl_delay(parser, Request(url))
    return middleware


def send(middleware, *urls, **meta):
    async def process():
        for url in urls:
            await middleware.process_request(Request(url, meta=meta))

    asyncio.run(process())


@pytest.mark.parametrize(
    ("delays", "crawl_delay", "gap_s"),
    [
        ({"own_delay_s": 2.0}, None, 2.0),
        ({"own_delay_s": 2.0, "delay_s": 0.5}, None, 0.5),
        ({"own_delay_s": 2.0, "delay_s": 0.0}, None, 0.0),
        ({"delay_s": 2.0}, 3, 3.0),
        ({"delay_s": 3.0}, 2, 3.0),
    ],
)
def test_requests_to_a_host_keep_the_delay_of_source_and_robots(clock, delays, crawl_delay, gap_s):
    send(middleware_of(job_of_source(**delays), crawl_delay=crawl_delay), URL, URL, URL)
    assert sum(clock.slept) == pytest.approx(2 * gap_s)


def test_every_host_has_its_pace(clock):
    middleware = middleware_of(job_of_source(), crawl_delay=5)
    send(middleware, URL, "http://other.example/", "http://other.example/2")
    assert sum(clock.slept) == 0


def test_crawl_delay_that_is_too_long_to_wait_for_is_not_waited_for(clock):
    send(middleware_of(job_of_source(max_wait_s=10.0), crawl_delay=10), URL)
    with pytest.raises(PauseTooLong):
        send(middleware_of(job_of_source(max_wait_s=10.0), crawl_delay=10.1), URL)
    assert clock.slept == [0]


def test_configured_delay_of_a_source_is_unbounded(clock):
    send(middleware_of(job_of_source(max_wait_s=1.0, delay_s=99.0), crawl_delay=99), URL, URL)
    assert sum(clock.slept) == pytest.approx(99)


def test_request_that_was_put_off_waits_for_its_time_once(clock):
    request = Request(URL, meta={NOT_BEFORE: clock.s + 7})
    asyncio.run(middleware_of(job_of_source()).process_request(request))
    assert clock.slept[0] == pytest.approx(7)
    assert NOT_BEFORE not in request.meta


def test_time_that_has_passed_is_not_waited_for(clock):
    send(middleware_of(job_of_source()), URL, **{NOT_BEFORE: clock.s - 7})
    assert sum(clock.slept) == 0


def test_turn_that_comes_after_the_crawls_time_is_not_waited_for(clock):
    middleware = middleware_of(job_of_source(delay_s=40.0, max_minutes=1.0))
    send(middleware, URL, URL)
    began = clock.s
    with pytest.raises(CrawlTimeOver):
        send(middleware, URL)
    assert clock.s - began == pytest.approx(60 + 1 - 40)  # the spider is closed by then


def test_host_without_delay_reserves_its_pace_once_a_second(clock):
    job = job_of_source()
    hosts = []
    job.pace.reserve = lambda host, *, gap_s: hosts.append((host, gap_s)) or 0.0
    middleware = middleware_of(job)
    send(middleware, URL, URL)
    assert hosts == [("site.example", 0.0)]
    clock.s += 0.99
    send(middleware, URL)
    assert len(hosts) == 1
    clock.s += 0.01
    send(middleware, URL)
    assert len(hosts) == 2


def test_pause_that_a_site_named_holds_up_requests(clock):
    job = job_of_source()
    job.pace.hold("site.example", seconds=30)
    send(middleware_of(job), URL)
    assert sum(clock.slept) == pytest.approx(30, abs=1)


def test_sites_that_refuse_or_wear_out_readers_are_skipped(clock):
    job = job_of_source()
    job.refused_hosts.add("site.example")
    with pytest.raises(SiteRefuses):
        send(middleware_of(job), URL)
    send(middleware_of(job), "http://other.example/")
    job = job_of_source()
    job.readers.is_over_budget = lambda url: url == URL
    with pytest.raises(HostileResponse):
        send(middleware_of(job), URL)
    assert sum(clock.slept) == 0


def test_local_service_is_requested_without_pace(clock):
    job = job_of_source(delay_s=9.0)
    job.refused_hosts.add("site.example")
    send(middleware_of(job), URL, URL, **{UNPACED: True})
    assert clock.slept == []


def test_crawl_delay_of_a_site_is_recorded_for_the_report(clock):
    job = job_of_source(max_minutes=1.0)
    send(middleware_of(job, crawl_delay=2), URL)
    assert (job.crawl_delay_s, job.counts["pause_s"], job.counts["reach"]) == (2.0, 2, 30)
    assert clock.slept == [0]


@pytest.mark.parametrize(
    ("url", "host"), [("http://a.example/1", "a.example"), ("https://a.example:8443/1", "a.example:8443")]
)
def test_pace_is_kept_for_host_and_port(url, host):
    assert pace_key(Request(url)) == host
