"""Every answer ends its entry, whatever is in it and whatever goes wrong while it is read."""

import asyncio

import pytest
from scrapy.http import HtmlResponse
from support.crawl_parts import memory_job

from crawler.failures import RequestSkipped, failure_reason
from crawler.meta import ENTRY
from crawler.middlewares.skipping import SkippingMiddleware
from crawler.pages.outcomes import EntryResult, Text
from crawler.pages.page_records import failed_page
from crawler.spiders.entries import START, entry_of
from crawler.spiders.news import NewsSpider
from crawler.spiders.urls import UrlsSpider
from system.bugs import summary_of
from system.errors import ServiceDown

TEXT = "青灯渡口夜雨时"


@pytest.fixture
def spider():
    return UrlsSpider(job=memory_job())


def ends_of(spider, entry, body=b"<p>"):
    response = HtmlResponse(entry.url, body=body, request=spider.request_for(entry))

    async def gather():
        return [result async for result in spider.end_answered(response)]

    return asyncio.run(gather())


def raiser_of(error):
    async def raise_error(*_):
        raise error

    return raise_error


def test_bug_on_a_page_is_its_reason_and_none_of_its_text_is_logged(spider, caplog):
    spider.read_page = raiser_of(ValueError(TEXT))
    entry = entry_of("http://site.example/1", "text")
    (result,) = ends_of(spider, entry)
    assert (result.entry, result.outcome.reason, result.outcome.page.page.state) == (
        entry,
        "internal-error",
        "failed",
    )
    assert spider.job.fatal is None
    assert "ValueError in test_base.py" in caplog.text
    assert TEXT not in caplog.text


def test_slow_expression_is_the_reason_of_the_page_and_a_source_problem(spider):
    spider.read_page = raiser_of(TimeoutError())
    (result,) = ends_of(spider, entry_of("http://site.example/1", "text", note=START))
    assert result.outcome.reason == "expression"
    assert spider.job.reached == 0
    assert [url for url, _ in spider.job.problems] == ["http://site.example/1"]


def test_service_that_is_down_ends_the_crawl_and_leaves_the_entry(spider):
    spider.read_page = raiser_of(ServiceDown(service="MongoDB", address="x", problem="no connection"))
    assert ends_of(spider, entry_of("http://site.example/1", "text")) == []
    assert isinstance(spider.job.fatal, ServiceDown)


@pytest.mark.parametrize("url", ["", "no-scheme", "http://[bad/", "http://a.example/\ud800"])
def test_unrequestable_address_ends_with_a_reason(spider, url):
    entry = entry_of(url, "text")
    request = spider.request_for(entry)
    assert request.meta[ENTRY] == entry
    with pytest.raises(RequestSkipped) as raised:
        SkippingMiddleware().process_request(request)
    assert failure_reason(raised.value) == "address"


def test_summary_of_an_error_has_its_location_and_no_message():
    with pytest.raises(ValueError, match=TEXT) as raised:
        int(TEXT)
    assert summary_of(raised.value).startswith("ValueError in test_base.py:")
    assert TEXT not in summary_of(raised.value)
    assert summary_of(KeyError(TEXT)) == "KeyError in unknown"


def test_bug_at_the_start_fails_the_crawl(spider):
    def raise_index_error():
        yield from [].pop()

    spider.start_entries = raise_index_error

    async def begin():
        return [item async for item in spider.start()]

    assert asyncio.run(begin()) == []
    assert spider.job.fatal.exit_status == 70
    assert "pindna failed unexpectedly (IndexError in test_base.py" in str(spider.job.fatal)


def test_remainder_of_a_very_long_text_is_requested(spider):
    entry, rest = entry_of("http://site.example/1", "text"), "http://site.example/1_51"
    record = failed_page(entry.url, source="a", scan_id="s", reason="", status=200)

    async def outcome_of(_):
        return Text(record, entry.url, (), rest=rest)

    spider._texts.outcome_of = outcome_of
    (result,) = ends_of(spider, entry)
    assert [(further.url, further.kind) for further in result.entries] == [(rest, "text")]


def test_endless_refresh_of_lists_ends():
    spider = NewsSpider(job=memory_job())

    async def read_list(entry, _):
        return EntryResult(entry)

    spider.read_list = read_list
    entries, requested = (entry_of("http://site.example/0", "index", note=START),), 0
    while entries:
        requested += 1
        assert requested < 9_999
        body = f'<meta http-equiv="refresh" content="0;url=/{requested}">'.encode()
        (result,) = ends_of(spider, entries[0], body)
        entries = result.entries
    assert spider.job.counts["left:lists"] == 1
