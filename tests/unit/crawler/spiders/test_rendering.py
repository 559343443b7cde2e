"""Which pages of a source with ``render = "auto"`` are shown in the browser."""

import asyncio

import pytest
from scrapy.http import HtmlResponse, Request
from support.crawl_parts import memory_job

from crawler.download.browser.chromium import BrowserFailed
from crawler.exchange import Exchange, RenderedAnswer
from crawler.extraction import ExtractedPage
from crawler.lists.link_list import CatalogueClues, Link, LinkList
from crawler.meta import ENTRY, RECEIVED, RENDER
from crawler.pages.outcomes import FetchedPart, Text
from crawler.pages.page_records import PagePart, page_of, snapshot_of
from crawler.spiders import rendering
from crawler.spiders.entries import LOOK
from crawler.spiders.rendering import BrowserReading
from crawler.spiders.requests import RequestBuilder
from storage.frontier.interface import Entry
from storage.records import Source, TextPart, utc_now
from storage.settings import CrawlerSettings

PROSE = "清晨的渡口起了雾，摆渡的老人把竹篙搁在船头。"
MORE = "".join(f"第{n}声铃响过，还没有一个人下到河边来。" for n in "一二三四五六七八九")


def text_of(url, text, unread=None):
    extracted = ExtractedPage(text=text, kind="article", encoding="utf-8", unread=unread or {})
    snapshot = snapshot_of(url=url, status=200, headers=b"", body=text.encode())
    record = page_of([PagePart(snapshot, extracted)], source="s", scan_id="c")
    return Text(record, url, (FetchedPart(TextPart(url=url, sha256=snapshot.sha256), None),))


class Crawl:
    """A crawl whose browser shows another text on every page."""

    def __init__(self, monkeypatch, *, render="auto", shown=PROSE, most=9, error=None, **job):
        monkeypatch.setattr(rendering, "is_rendered_when_needed", lambda source, _: source.render == "auto")
        source = Source(name="a", kind="urls", start_urls=("http://a.example/",), render=render)
        self.job = memory_job(source, settings=CrawlerSettings(max_rendered_pages=most), **job)
        self.shown, self.error, self.asked = shown, error, []
        self.reading = BrowserReading(self.job, RequestBuilder(source), self.download)

    async def download(self, request):
        assert request.meta[RENDER] == "text"
        self.asked.append(request.url)
        if self.error:
            raise self.error
        rendered = RenderedAnswer(b"", b"", "Chromium")
        request.meta[RECEIVED] = Exchange(request.url, b"", 200, b"", b"", utc_now(), rendered=rendered)
        return HtmlResponse(request.url, request=request)

    async def _read(self, response):
        return text_of(response.url, self.shown)

    def page(self, number, *, unread=None, text=PROSE, note="", host="a.example"):
        """Read a page, and return what is made of it."""
        url = f"http://{host}/{number}.html"
        entry = Entry(id=str(number), url=url, kind="text", note=note)
        response = HtmlResponse(url, request=Request(url, meta={ENTRY: entry}))
        outcome = text_of(url, text, unread)
        return asyncio.run(self.reading.improve(outcome, response, self._read)).record.page

    def read_list(self, number, *texts, script="<script></script>", total=0):
        """Read a list that names texts; return whether it is shown in the browser."""
        url = f"http://a.example/{number}.html"
        response = HtmlResponse(url, request=Request(url), body=script.encode())
        links = LinkList(tuple(map(Link, texts)), clues=CatalogueClues(total=total))
        shown = asyncio.run(self.reading.shown_list(response, links))
        again = asyncio.run(self.reading.shown_list(response, links))
        assert again is shown
        return shown is not None

    @property
    def numbers(self):
        """The numbers of the pages that were shown."""
        return [int(url.rpartition("/")[2].partition(".")[0]) for url in self.asked]


@pytest.fixture
def crawl(monkeypatch):
    return lambda **options: Crawl(monkeypatch, **options)


def read_many(crawl, count, **options):
    for number in range(1, count + 1):
        crawl.page(number, **options)


def test_first_texts_of_a_host_and_every_fiftieth_are_samples(crawl):
    running = crawl()
    read_many(running, 101)
    assert running.numbers == [1, 2, 50, 100]
    running.page(1, host="b.example")
    assert len(running.asked) == 5


@pytest.mark.parametrize(
    ("reason", "is_shown"),
    [
        ("scripts", True),
        ("frames", True),
        ("order", True),
        ("images", False),
        ("font", False),
        ("limit", False),
    ],
)
def test_page_with_browser_reasons_is_rendered(crawl, reason, is_shown):
    running = crawl()
    read_many(running, 2)
    page = running.page(3, unread={reason: 4})
    assert (running.numbers == [1, 2, 3]) is is_shown
    assert page.unread == ({} if is_shown else {reason: 4})


def test_host_whose_rendered_pages_show_much_more_is_always_rendered(crawl):
    running = crawl(shown=PROSE + MORE)
    read_many(running, 5)
    assert running.numbers == [1, 2, 3, 4, 5]


def test_slightly_longer_rendered_text_does_not_render_the_whole_host(crawl):
    running = crawl(shown=PROSE + MORE[:80])
    read_many(running, 5)
    assert running.numbers == [1, 2]


def test_page_beyond_the_render_limit_reports_unread_scripts(crawl):
    running = crawl(shown=PROSE + MORE, most=2)
    read_many(running, 2)
    assert running.page(3).unread == {"scripts": 1}
    assert running.page(4, unread={"scripts": 3}).unread == {"scripts": 3}
    assert (running.job.counts["rendered"], running.job.counts["not_rendered"]) == (2, 2)


def test_hosts_of_a_site_share_their_render_limit(crawl):
    running = crawl(most=2)
    for host in ("a.site.com", "b.site.com", "c.site.com"):
        running.page(1, host=host)
    assert len(running.asked) == 2


def test_pages_with_a_match_are_shown_and_counted_apart(crawl):
    running = crawl(most=2)
    read_many(running, 3)
    running.page(4, note=LOOK)
    assert running.numbers == [1, 2, 4]


def test_watch_round_renders_every_page(crawl):
    running = crawl(expected_versions={"http://a.example/3.html": "p"})
    read_many(running, 4)
    assert running.numbers == [1, 2, 3, 4]


@pytest.mark.parametrize("render", [True, False])
def test_other_sources_are_read_once(crawl, render):
    running = crawl(render=render)
    running.page(1, unread={"scripts": 1})
    assert running.asked == []


def test_browser_that_fails_to_start_is_tried_once(crawl):
    running = crawl(error=BrowserFailed(path="x", problem="no answer"))
    assert running.page(1, unread={"scripts": 1}).unread == {"scripts": 1}
    running.page(2, unread={"scripts": 1})
    assert running.numbers == [1]
    assert running.job.fatal is None


def test_page_that_cannot_be_shown_stays_as_it_was_read(crawl):
    running = crawl(error=RuntimeError("timeout"))
    assert running.page(1, unread={"frames": 1}).unread == {"frames": 1}
    running.page(2)
    assert running.numbers == [1, 2]


def test_lists_that_may_name_more_are_shown_in_the_browser_once(crawl):
    some = crawl()
    assert some.read_list(1, "x")  # the first list of a host
    assert not some.read_list(2, "x")
    assert some.read_list(3)
    assert some.read_list(4, "x", total=2)
    assert not some.read_list(5, script="")
    assert some.numbers == [1, 3, 4]


def test_all_lists_of_a_host_are_shown_if_a_list_names_more_texts_there(crawl):
    some = crawl()
    some.read_list(1, "x")
    shown = LinkList(tuple(map(Link, "xabc")))
    some.reading.compare_lists("http://a.example/", plain=LinkList((Link("x"),)), shown=shown)
    assert some.read_list(2, "x")


def test_lists_are_read_without_a_browser_where_it_is_off(crawl):
    assert not crawl(render=False).read_list(1)
    assert not crawl(most=0).read_list(1)
