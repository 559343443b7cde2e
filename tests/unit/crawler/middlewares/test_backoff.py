"""Pauses: our own, and those that a site names."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from support.crawl_parts import URL, crawler_of, memory_job

from crawler.meta import NOT_BEFORE, SEARCH
from crawler.middlewares.backoff import BackoffMiddleware, pause_s, retry_after
from storage.settings import CrawlerSettings
from system.errors import ServiceDown

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"120", 120),
        (b" 0 ", 0),
        (b"Sun, 01 Mar 2026 12:02:00 GMT", 120),
        (b"Sun, 01 Mar 2026 11:00:00 GMT", 0),
        (b"99999999999999999999999999", 999_999_999),
        (b"-5", None),
        (b"Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        (b"Mon, 01 Jan 0001 00:00:00 +1400", 0),
        (b"soon", None),
        (b"", None),
        (None, None),
        ("²".encode("latin-1"), None),
    ],
)
def test_retry_after_is_parsed(value, seconds):
    assert retry_after(value, now=NOW) == seconds


def test_pauses_grow_to_a_bound():
    assert 0.5 <= pause_s(1) <= 1.5
    assert 2 <= pause_s(3) <= 6
    assert 30 <= pause_s(50) <= 90


# Retries.


def middleware_of(job, *, retries=2):
    crawler = crawler_of(job)
    crawler.settings.set("RETRY_TIMES", retries, priority="cmdline")
    return BackoffMiddleware.from_crawler(crawler)


def process(job, status, *, headers=None, retries=2, **meta):
    request = Request(URL, meta=meta)
    response = Response(URL, status=status, headers=headers or {}, request=request)
    return asyncio.run(middleware_of(job, retries=retries).process_response(request, response))


@pytest.fixture
def job():
    return memory_job(settings=CrawlerSettings(max_wait_s=60))


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_pauses_the_host_and_repeats_the_request(job, status):
    before = time.monotonic()
    request = process(job, status, headers={"Retry-After": "60"})
    assert isinstance(request, Request)
    held_s = job.pace.reserve("site.example", gap_s=0)
    after = time.monotonic()
    assert before + 0.5 <= request.meta[NOT_BEFORE] <= after + 1.5
    assert 60 - (after - before) <= held_s <= 60
    assert job.block_reason == ""


def test_pause_that_is_too_long_to_wait_for_pauses_the_source_until_then(job):
    before = datetime.now(UTC)
    response = process(job, 429, headers={"Retry-After": "61"})
    assert (response.status, job.block_reason) == (429, "http-429")
    assert before <= job.hold_until - timedelta(seconds=61) <= datetime.now(UTC)
    assert job.pace.reserve("site.example", gap_s=0) == 0


def test_no_site_pauses_a_source_for_more_than_a_week(job):
    process(job, 503, headers={"Retry-After": "99999999"})
    assert timedelta(days=6) < job.hold_until - datetime.now(UTC) <= timedelta(days=7)


def test_local_search_engine_pauses_no_source(job):
    assert process(job, 429, headers={"Retry-After": "9999"}, **{SEARCH: True}).status == 429
    assert (job.block_reason, job.refused_hosts) == ("", set())


def test_server_error_without_a_pause_is_retried_after_the_default_delay(job):
    request = process(job, 500, headers={"Retry-After": "9999"})
    assert isinstance(request, Request)
    assert job.pace.reserve("site.example", gap_s=0) == 0


def test_response_after_the_last_retry_is_returned(job):
    assert process(job, 503, retries=0).status == 503
    assert process(job, 200).status == 200
    assert process(job, 503, headers={"Retry-After": "9"}, dont_retry=True).status == 503
    assert job.pace.reserve("site.example", gap_s=0) == 0


def test_broken_connection_is_retried_but_a_database_error_is_not(job):
    middleware, before = middleware_of(job), time.monotonic()
    again = middleware.process_exception(Request(URL), DownloadTimeoutError(""))
    assert before + 0.5 <= again.meta[NOT_BEFORE] <= time.monotonic() + 1.5
    down = ServiceDown(service="MongoDB", address="a", problem="p")
    assert middleware.process_exception(Request(URL), down) is None
