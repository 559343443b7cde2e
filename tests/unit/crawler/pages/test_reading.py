"""What becomes of a text whose reader does not come back, and of one in very many parts."""

import asyncio
from types import SimpleNamespace

import pytest
from scrapy.http import HtmlResponse, Request

from crawler.extraction import PageContext, extract
from crawler.meta import BROKEN_OFF
from crawler.pages.outcomes import FailedFetch, Text
from crawler.pages.page_records import page_of
from crawler.pages.reading import part_of, read_text
from crawler.readers.pool import ReaderPool

PROSE = "渡口的灯在雨夜里亮着，老船工把竹篙往石上一点，对岸有人唤了三声。" * 9
URL = "http://x.example/1.html"


async def nothing(*_):
    return None


async def context_of(_):
    return PageContext()


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
                context_of=context_of,
            )
        )
    finally:
        readers.close()


@pytest.mark.parametrize(("max_s", "kind", "reason"), [(60, Text, ""), (0.0001, FailedFetch, "too-slow")])
def test_page_that_cannot_be_read_fails_and_says_so(max_s, kind, reason):
    result = outcome(max_s)
    assert isinstance(result, kind)
    page = result.page.page if reason else result.record.page
    assert (page.url, page.reason, page.state) == (URL, reason, "failed" if reason else "fetched")


def response_of(url, number, last):
    """A part of a text, which leads to the next one unless it is the last."""
    further = "" if number == last else f'<a href="/1_{number + 1}.html">下一页</a>'
    lines = "".join(f"<p>第{number}页第{line}行，{PROSE[:60]}</p>" for line in range(9))
    body = f"<html><title>渡口</title><body><h1>渡口</h1><article>{lines}</article>{further}</body></html>"
    return HtmlResponse(url, body=body.encode(), request=Request(url))


@pytest.mark.parametrize(("parts", "taken", "rest"), [(50, 50, ""), (51, 50, "http://x.example/1_51.html")])
def test_very_long_text_continues_as_another_page(parts, taken, rest):
    async def ask(question):
        return extract(question.data, url=question.url)

    async def fetch(url, _):
        return response_of(url, int(url.rpartition("_")[2].removesuffix(".html")), parts)

    read = read_text(
        response_of(URL, 1, parts),
        source="s",
        scan_id="1",
        fetch=fetch,
        is_text=nothing,
        readers=SimpleNamespace(ask=ask),
        context_of=context_of,
    )
    text = asyncio.run(read)
    assert (text.rest, len(text.fetched)) == (rest, taken)
    assert text.record.page.state == "fetched"
    assert f"第{taken}页" in text.record.page.text


def read_chain(page_of_number):
    """Read a text whose parts a function makes of their numbers; returns it and the addresses asked for."""
    requested = []

    async def ask(question):
        return extract(question.data, url=question.url)

    async def fetch(url, _):
        requested.append(url)
        return page_of_number(url, int(url.rpartition("_")[2].removesuffix(".html")))

    text = asyncio.run(
        read_text(
            page_of_number(URL, 1),
            source="s",
            scan_id="1",
            fetch=fetch,
            is_text=nothing,
            readers=SimpleNamespace(ask=ask),
            context_of=context_of,
        )
    )
    return text, requested


def chain_page(url, number, *lines):
    further = f'<a href="/1_{number + 1}.html">下一页</a>'
    prose = "".join(f"<p>{line}</p>" for line in lines)
    body = f"<html><title>渡口</title><body><h1>渡口</h1><article>{prose}</article>{further}</body></html>"
    return HtmlResponse(url, body=body.encode(), request=Request(url))


def lines_of(first, last):
    return [f"第{number}行：{PROSE[:60]}" for number in range(first, last)]


def test_chain_that_repeats_a_page_ends_there():
    text, requested = read_chain(lambda url, number: chain_page(url, number, *lines_of(0, 9)))
    assert len(requested) == 1
    assert (text.is_endless, text.rest, text.record.page.kind) == (True, "", "article")
    assert text.record.page.text.count("第3行") == 1
    assert len(text.fetched) == len(text.record.page.snapshots) == 2  # the repeating part is evidence too


def test_circular_chain_of_pages_ends():
    text, requested = read_chain(
        lambda url, number: chain_page(url, number, *lines_of(number % 3 * 9, number % 3 * 9 + 9))
    )
    assert (len(requested), text.is_endless) == (3, True)
    assert [text.record.page.text.count(f"第{line}行：") for line in (0, 9, 18, 26)] == [1, 1, 1, 1]


def test_new_text_on_a_repeated_page_is_in_the_rest():
    def page(url, number):
        return chain_page(
            url, number, *lines_of(0, 20), *([f"本页第{number}次提醒您收藏本书"] if number > 1 else [])
        )

    text, _ = read_chain(page)
    assert text.is_endless
    assert "本页第2次" in text.record.page.rest + text.record.page.text


def test_parts_that_share_a_few_lines_are_different_parts():
    def page(url, number):
        lines = [*lines_of(0, 4), *lines_of(number * 10, number * 10 + 5)]
        return chain_page(url, number, *lines) if number < 4 else response_of(url, number, number)

    text, requested = read_chain(page)
    assert (len(requested), text.is_endless) == (3, False)


def test_truncated_body_makes_the_text_incomplete():
    async def ask(question):
        return extract(question.data, url=question.url)

    response = response_of(URL, 1, 1).replace(flags=[BROKEN_OFF])
    partial = asyncio.run(part_of(response, SimpleNamespace(ask=ask), PageContext()))
    page = page_of([partial], source="s", scan_id="1").page
    assert (page.state, page.kind, page.unread["incomplete"]) == ("fetched", "incomplete", 1)
    assert "第1页" in page.text
