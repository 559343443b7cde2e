"""What becomes of a text whose reader does not come back."""

import asyncio

import pytest
from scrapy.http import HtmlResponse, Request

from crawler.extraction import Known
from crawler.pages.outcomes import Failed, Text
from crawler.pages.reading import read_text
from crawler.readers.pool import ReaderPool

PROSE = "渡口的灯在雨夜里亮着，老船工把竹篙往石上一点，对岸有人唤了三声。" * 9
URL = "http://x.example/1.html"


async def nothing(*_):
    return None


async def known_of(_):
    return Known()


def outcome(max_s):
    body = f"<html><title>渡口</title><body><div>{PROSE}</div></body></html>".encode()
    response = HtmlResponse(URL, body=body, request=Request(URL))
    readers = ReaderPool(1, max_s=max_s)
    try:
        return asyncio.run(
            read_text(
                response,
                source="s",
                scan_id="1",
                fetch=nothing,
                is_text=nothing,
                readers=readers,
                known_of=known_of,
            )
        )
    finally:
        readers.close()


@pytest.mark.parametrize(("max_s", "kind", "reason"), [(60, Text, ""), (0.0001, Failed, "too-slow")])
def test_a_page_that_cannot_be_read_fails_and_says_so(max_s, kind, reason):
    found = outcome(max_s)
    assert isinstance(found, kind)
    page = found.page.page if reason else found.seen.page
    assert (page.url, page.reason, page.state) == (URL, reason, "failed" if reason else "fetched")
