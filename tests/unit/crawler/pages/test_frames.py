"""The frames of a page that was read without a browser."""

import asyncio

import pytest
from scrapy.http import HtmlResponse, Request
from support.crawl_parts import DirectReaders

from crawler.exchange import Exchange, RenderedAnswer
from crawler.extraction import PageContext
from crawler.meta import RECEIVED
from crawler.pages.frames import FrameReader
from crawler.pages.reading import read_text
from crawler.readers.frame_question import FramesQuestion, PageFrame
from storage.records import utc_now

URL = "http://www.site.com/book/1.html"
PROSE = "渡口的灯在雨夜里亮着，老船工把竹篙往石上一点，对岸有人唤了三声。"
COPY = "清晨的渡口起了雾，摆渡的老人把竹篙搁在船头，对岸的铃声响过三遍，还没有一个人下到河边来。"


def response_of(url, body, *, rendered=False):
    page = f"<html><meta charset=utf-8><title>渡口</title><body>{body}</body></html>".encode()
    request = Request(url)
    dom = RenderedAnswer(page, b"", "Chromium") if rendered else None
    request.meta[RECEIVED] = Exchange(url, b"", 200, b"", page, utc_now(), rendered=dom)
    return HtmlResponse(url, body=page, request=request)


def read(body, frames=(), **options):
    """Read a page, then its frames; returns the page's outcome and the addresses that were asked for."""
    requested = []

    async def fetch(url, before):
        requested.append(url)
        assert before.url == URL
        return response_of(url, dict(frames)[url]) if url in dict(frames) else None

    async def nothing(_):
        return False

    async def context_of(_):
        return PageContext()

    async def both():
        response = response_of(URL, body, **options)
        reading = {"fetch": fetch, "readers": DirectReaders(), "context_of": context_of}
        outcome = await read_text(response, source="s", scan_id="1", is_text=nothing, **reading)
        return await FrameReader(**reading, max_rest_chars=1_000).add_frames(outcome, response)

    return asyncio.run(both()), requested


def article(*frames):
    return "".join(f"<p>第{n}段，{PROSE}</p>" for n in range(9)) + "".join(frames)


def frame(url):
    return f'<div class=a><iframe width=900 height=600 src="{url}"></iframe></div>'


def test_frame_of_the_same_site_is_read_into_the_rest():
    target = "http://read.site.com/1.html"
    outcome, requested = read(article(frame(target)), {target: f"<p>{COPY}</p>"})
    page = outcome.record.page
    assert requested == [target]
    (piece,) = [piece for piece in page.rest_pieces if piece.reason == "frame"]
    assert COPY in page.rest[piece.start : piece.end]
    assert piece.place.startswith("body > div > iframe")
    assert "frames" not in page.unread
    assert (len(outcome.fetched), [item.text_part.url for item in outcome.attached]) == (1, [target])
    assert len(outcome.record.snapshots) == 2
    assert page.snapshots == tuple(snapshot.sha256 for snapshot in outcome.record.snapshots)
    assert page.text_snapshots == page.snapshots[:1]
    assert [(item.role, item.place) for item in page.added_snapshots] == [("frame", "body > div > iframe")]


def test_foreign_and_unavailable_frames_are_counted():
    body = article(frame("http://other.example/1.html"), frame("/gone.html"))
    outcome, requested = read(body)
    assert requested == ["http://www.site.com/gone.html"]
    assert outcome.record.page.unread["frames"] == 2
    assert outcome.attached == ()


def test_frames_are_limited_and_every_address_is_read_once():
    urls = [f"http://www.site.com/f/{n}.html" for n in range(7)]
    body = article(*map(frame, urls), frame(urls[0]), frame(URL))
    outcome, requested = read(body, {url: f"<p>{n}：{COPY}</p>" for n, url in enumerate(urls)})
    assert requested == urls[:5]
    assert outcome.record.page.unread["frames"] == 9 - 5


def test_frames_in_frames_are_counted_and_not_read():
    inner = f"<p>{COPY}</p>{frame('/inner.html')}"
    outcome, requested = read(article(frame("/outer.html")), {"http://www.site.com/outer.html": inner})
    assert requested == ["http://www.site.com/outer.html"]
    assert outcome.record.page.unread["frames"] == 1


def test_frameset_has_the_text_of_its_frames():
    body = "</body><frameset cols='20%,80%'><frame src=menu.html><frame src=text.html></frameset>"
    pages = {
        "http://www.site.com/book/menu.html": "<p>目录</p>",
        "http://www.site.com/book/text.html": f"<p>{COPY}</p>",
    }
    outcome, requested = read(body, pages)
    page = outcome.record.page
    assert requested == list(pages)
    assert COPY in page.rest
    assert (page.state, page.reason) == ("fetched", "")


def test_rendered_page_and_page_without_frames_are_unchanged():
    assert read(article(frame("/a.html")), rendered=True)[1] == []
    assert read(article())[1] == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            '<iframe src="a.html"></iframe>',
            [PageFrame("http://www.site.com/book/a.html", "body > iframe")],
        ),
        (
            '<base href="/x/"><iframe src="a.html"></iframe>',
            [PageFrame("http://www.site.com/x/a.html", "body > iframe")],
        ),
        ('<iframe src="http://[::1"></iframe>', []),
        ('<iframe src="ftp://a.example/"></iframe>', []),
        ('<iframe srcdoc="<p>" src="a.html"></iframe>', []),
        ('<iframe src="data:text/html,a"></iframe>', []),
    ],
)
def test_frames_are_listed_with_their_addresses(body, expected):
    data = f"<html><body><p>{PROSE}</p>{body}</body></html>".encode()
    assert list(FramesQuestion(data, URL, "utf-8").answer()) == expected
