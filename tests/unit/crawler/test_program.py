"""What a source decides over the project's settings."""

from collections import Counter
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from scrapy.extensions import closespider
from support.crawl_parts import crawler_of, memory_job

from crawler.download.proxies import MissingVariable
from crawler.extensions.closing import ClosingExtension
from crawler.extensions.progress import end_of
from crawler.job import HOURS_MARGIN
from crawler.program import end_with_hours, record_unstarted, scrapy_settings, user_agent
from crawler.spiders.entries import entry_of
from storage.records import Login, Source
from storage.settings import CrawlerSettings


@pytest.mark.parametrize(("concurrency", "throttled", "at_once"), [(None, True, 4), (9, False, 9)])
def test_autothrottle_is_for_sources_without_a_concurrency(concurrency, throttled, at_once):
    source = Source(name="s", kind="urls", start_urls=("http://x.example/",), concurrency=concurrency)
    settings = scrapy_settings(CrawlerSettings(), source)
    assert settings.getbool("AUTOTHROTTLE_ENABLED") is throttled
    assert settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN") == at_once


def settings_of(**fields):
    source = Source(name="s", kind="urls", start_urls=("http://x.example/",), **fields)
    return scrapy_settings(CrawlerSettings(contact="me@x.example", allow_inner=("10.0.0.5",)), source)


def test_robots_txt_is_obeyed_unless_the_source_says_why_not():
    assert settings_of().getbool("ROBOTSTXT_OBEY")
    assert not settings_of(obey_robots=False, robots_reason="our own site").getbool("ROBOTSTXT_OBEY")


@pytest.mark.parametrize(
    ("hours", "seconds"),
    [
        ((), 720 * 60),
        (("12:00-13:00",), 1_798),
        (("12:00-12:31",), 58),
        (("12:00-12:30", "12:30-09:00"), 720 * 60),
    ],
)
def test_crawl_ends_with_the_hours_of_its_source(hours, seconds):
    source = Source(name="s", kind="urls", start_urls=("http://x.example/",), hours=hours, timezone="+00:00")
    job = memory_job(source, clock=lambda: datetime(2026, 3, 1, 12, 30, tzinfo=UTC))
    settings = scrapy_settings(job.settings, source)
    end_with_hours(job, settings)
    assert settings.getfloat("CLOSESPIDER_TIMEOUT") == seconds


def test_time_until_hours_are_over_is_counted_from_the_first_request(monkeypatch):
    source = Source(
        name="s", kind="urls", start_urls=("http://x.example/",), hours=("12:00-13:00",), timezone="+00:00"
    )
    moments = [datetime(2026, 3, 1, 12, 30, tzinfo=UTC)]
    job = memory_job(source, clock=lambda: moments[-1])
    crawler = crawler_of(job)
    end_with_hours(job, crawler.settings)
    extension = ClosingExtension.from_crawler(crawler)
    timers = []
    monkeypatch.setattr(closespider, "call_later", lambda seconds, *_: timers.append(seconds))
    moments.append(datetime(2026, 3, 1, 12, 31, tzinfo=UTC))  # a browser took its time
    extension.spider_opened(crawler.spider)
    assert timers == [29 * 60 - HOURS_MARGIN.total_seconds()]


@pytest.mark.parametrize(("minute", "end"), [(30, "time"), (58, "time"), (59, "hours")])
def test_crawl_out_of_time_near_closing_ended_by_its_hours(minute, end):
    closes_at = datetime(2026, 3, 1, 13, tzinfo=UTC)
    job = memory_job(closes_at=closes_at, clock=lambda: datetime(2026, 3, 1, 12, minute, tzinfo=UTC))
    assert end_of(job, "closespider_timeout") == end


@pytest.mark.parametrize(
    ("entries", "asked", "addresses", "end"),
    [
        (0, 0, {"entries": 1, "left": 1}, "hours"),
        (3, 2, {"entries": 3, "left": 1, "beyond": 0, "new": 2}, "hours"),
        (2, 2, {"entries": 2, "left": 0, "beyond": 0, "new": 2}, "finished"),
    ],
)
def test_crawl_begun_after_closing_keeps_the_result_of_an_earlier_process(entries, asked, addresses, end):
    source = Source(
        name="s", kind="urls", start_urls=("http://x.example/",), hours=("01:00-02:00",), timezone="+00:00"
    )
    notes = []
    scans = SimpleNamespace(record_progress=lambda crawl_id, **told: notes.append((crawl_id, told)))
    job = memory_job(
        source,
        stores=SimpleNamespace(scans=scans),
        clock=lambda: datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        counts=Counter(pages=2),
    )
    job.frontier.push(entry_of(f"http://x.example/{number}", "text") for number in range(entries))
    for entry in job.frontier.lease(asked).entries:
        job.frontier.end(entry.id, "new")
    record_unstarted(job)
    assert notes == [("s1:a", {"counts": {"pages": 2}, "addresses": addresses, "end": end})]


def test_cookies_are_kept_only_where_the_source_wants_them():
    assert not settings_of().getbool("COOKIES_ENABLED")
    assert settings_of(cookies={}).getbool("COOKIES_ENABLED")
    assert settings_of(login=Login(url="http://x.example/in", fields={}, check="")).getbool("COOKIES_ENABLED")


def test_no_proxy_of_the_environment_is_used():
    assert not settings_of().getbool("HTTPPROXY_ENABLED")
    assert settings_of(proxies=("http://p.example:1",)).getbool("HTTPPROXY_ENABLED")


def test_user_agent_has_the_name_and_a_contact():
    assert settings_of()["USER_AGENT"] == "pindna/0.2 (+me@x.example)"
    assert settings_of(user_agent="Own")["USER_AGENT"] == "Own"
    assert user_agent("") == "pindna/0.2"


def test_crawl_ends_after_the_sources_minutes():
    assert settings_of(max_minutes=1.5).getfloat("CLOSESPIDER_TIMEOUT") == 90


def test_allowed_inner_addresses_are_in_setting_and_source():
    assert settings_of()["PINDNA_PRIVATE_ALLOWLIST"].host_ports == frozenset()
    source = Source(name="s", kind="urls", start_urls=("http://10.0.0.5:81/", "http://10.0.0.6/"))
    settings = scrapy_settings(CrawlerSettings(allow_inner=("10.0.0.5",)), source)
    assert settings["PINDNA_PRIVATE_ALLOWLIST"].host_ports == {("10.0.0.5", 81)}


def test_missing_variable_is_reported_before_the_start():
    with pytest.raises(MissingVariable, match="PINDNA_SECRET_NO_SUCH"):
        settings_of(header_sets=({"X-Key": "${PINDNA_SECRET_NO_SUCH}"},))
