"""Pages of links: what each kind of spider makes of them, in one process and without a network."""

import asyncio
from datetime import timedelta

import pytest
from scrapy.http import HtmlResponse, XmlResponse
from support.crawl_parts import DirectReaders, crawler_of, memory_job, visit_dates
from support.webserver import anchors, article

from crawler.meta import ENTRY
from crawler.readers.pool import CannotRead
from crawler.spiders.entries import START, entry_of
from crawler.spiders.news import NewsSpider
from crawler.spiders.novel import NovelSpider
from crawler.spiders.site import SiteSpider
from crawler.spiders.urls import UrlsSpider
from storage.records import Source, utc_now

SITE = "http://site.example"
SPIDERS = {"news": NewsSpider, "novel": NovelSpider, "site": SiteSpider, "urls": UrlsSpider}
HOUR = timedelta(hours=1)
CHAPTERS = [(f"/b/{number}.html", f"第{number}章 渡口") for number in range(1, 7)]


def spider_of(kind, *urls, job=None, **fields):
    source = Source(name="a", kind=kind, start_urls=urls or (f"{SITE}/b/",), **fields)
    options = {"readers": DirectReaders(), **(job or {})}
    return SPIDERS[kind](job=memory_job(source, max_texts=99, **options))


def begin(spider):
    """What the frontier holds once the spider has started."""

    async def gather():
        return [item async for item in spider.start()]

    crawler_of(spider.job, spider)
    assert asyncio.run(gather()) == []
    return [entry.url.removeprefix(SITE) for entry in spider.job.frontier.lease(99).entries]


def end(spider, path, body, *, kind="index", response=HtmlResponse, **fields):
    """What becomes of an entry whose address answers."""
    crawler_of(spider.job, spider)
    entry = entry_of(f"{SITE}{path}", kind, **fields)
    answer = response(entry.url, body=body.encode(), encoding="utf-8", request=spider.request_for(entry))
    assert answer.meta[ENTRY] == entry

    async def gather():
        return [result async for result in spider.end_answered(answer)]

    (result,) = asyncio.run(gather())
    return result


def paths(done):
    return [entry.url.removeprefix(SITE) for entry in done.entries]


def sitemap(*urls):
    return (
        "<urlset>"
        + "".join(
            f"<url><loc>{SITE}{path}</loc>{f'<lastmod>{day:%Y-%m-%d}</lastmod>' if day else ''}</url>"
            for path, day in urls
        )
        + "</urlset>"
    )


# What a source begins with.


def test_address_list_source_follows_no_links():
    spider = spider_of("urls", f"{SITE}/1", f"{SITE}/2")
    assert begin(spider) == ["/1", "/2"]
    assert spider.job.counts["listed"] == 2
    result = end(spider, "/1", article("候鸟", links=anchors(("/3", "三"))), kind="text")
    assert (paths(result), result.outcome.record.page.kind) == ([], "article")


def test_sitemaps_and_feeds_come_before_section_pages():
    fields = {"sitemaps": (f"{SITE}/map.xml",), "feeds": (f"{SITE}/feed",)}
    spider = spider_of("news", f"{SITE}/", **fields)
    assert begin(spider) == ["/map.xml", "/feed", "/"]
    assert spider.job.counts["listed"] == 0


def test_invalid_address_is_a_problem_of_the_source():
    spider = spider_of("urls", "file:///etc/passwd", f"{SITE}/2")
    assert begin(spider) == ["/2"]
    assert spider.job.problems == [("file:///etc/passwd", "not an http(s) address")]


def test_due_texts_are_requested_last_although_no_list_links_them():
    now = utc_now()
    dates = {f"{SITE}/due": (now - HOUR, now - HOUR), f"{SITE}/later": (now + HOUR, now)}
    spider = spider_of("urls", f"{SITE}/1", job={"stores": visit_dates(**dates)})
    assert begin(spider) == ["/1", "/due"]
    assert spider.job.counts["to_look_at"] == 0


def test_addresses_with_a_match_are_requested_before_other_stored_texts():
    now = utc_now()
    dates = {f"{SITE}/due": (now - HOUR, now - HOUR), f"{SITE}/copy": (now + HOUR, now)}
    stores = visit_dates(matching=[f"{SITE}/copy"], **dates)
    spider = spider_of("novel", f"{SITE}/b/", job={"stores": stores})
    assert begin(spider) == ["/b/", "/copy", "/due"]
    assert spider.job.counts["to_look_at"] == 1


def test_texts_checked_longest_ago_come_first():
    now = utc_now()
    dates = {f"{SITE}/{name}": (now + HOUR, now - age * HOUR) for name, age in (("a", 1), ("b", 3), ("c", 2))}
    spider = spider_of("novel", job={"stores": visit_dates(matching=dates, **dates)})
    assert begin(spider)[-3:] == ["/b", "/c", "/a"]


# What lists lead to.


def test_catalogue_leads_to_its_chapters_in_order_and_to_its_next_page():
    spider = spider_of("novel")
    result = end(spider, "/b/", anchors(*CHAPTERS, ("/b/index_2.html", "下一页")), note=START)
    assert paths(result) == ["/b/index_2.html", *(path for path, _ in CHAPTERS)]
    assert result.outcome is None
    assert (spider.job.reached, spider.job.counts["listed"], spider.job.counts["found"]) == (1, 6, 6)


def test_only_the_second_page_of_a_section_is_requested():
    links = anchors(("/2026/1.html", "候鸟北归的消息传遍了湿地"), ("/list_2.html", "下一页"))
    spider = spider_of("news", f"{SITE}/")
    first = end(spider, "/", links, note=START)
    second = end(spider, "/list_2.html", links.replace("list_2", "list_3"), depth=1)
    assert paths(first) == ["/list_2.html", "/2026/1.html"]
    assert paths(second) == ["/2026/1.html"]


def test_newest_changes_come_first():
    today = utc_now()
    days = [("/old", today - 9 * 24 * HOUR), ("/undated", None), ("/new", today)]
    result = end(spider_of("news"), "/map.xml", sitemap(*days), kind="sitemap", response=XmlResponse)
    assert paths(result) == ["/new", "/old", "/undated"]


def test_sitemap_that_says_when_a_text_changed_saves_requests():
    now = utc_now()
    dates = {f"{SITE}/{name}": (now + HOUR, now - HOUR) for name in "ab"}
    spider = spider_of("news", job={"stores": visit_dates(**dates)})
    old, new = now - 48 * HOUR, now + 48 * HOUR
    listed = sitemap(("/a", old), ("/b", new), ("/c", old))
    result = end(spider, "/map.xml", listed, kind="sitemap", response=XmlResponse)
    assert paths(result) == ["/b", "/c"]
    assert (spider.job.counts["not_due"], spider.job.counts["listed"]) == (1, 2)


@pytest.mark.parametrize(
    ("ignores_due_dates", "expected"), [(False, []), (True, [path for path, _ in CHAPTERS])]
)
def test_catalogue_without_due_chapters_is_not_an_empty_page(ignores_due_dates, expected):
    now = utc_now()
    dates = {f"{SITE}{path}": (now + HOUR, now - HOUR) for path, _ in CHAPTERS}
    spider = spider_of("novel", job={"stores": visit_dates(**dates), "ignores_due_dates": ignores_due_dates})
    result = end(spider, "/b/", anchors(*CHAPTERS), note=START)
    assert (paths(result), result.outcome) == (expected, None)
    assert spider.job.counts["not_due"] == 6 - len(expected)


def test_lists_that_are_too_many_are_counted():
    index = "".join(f"<sitemap><loc>{SITE}/{number}.xml</loc></sitemap>" for number in range(50))
    spider = spider_of("news", max_pages=1)
    body = f"<sitemapindex>{index}</sitemapindex>"
    result = end(spider, "/map.xml", body, kind="sitemap", response=XmlResponse)
    assert (len(result.entries), spider.job.counts["left:lists"]) == (20, 30)


def test_lists_come_after_their_texts_if_time_is_short():
    spider = spider_of("novel", max_minutes=1, job={"crawl_delay_s": 10.0})
    result = end(spider, "/b/", anchors(*CHAPTERS, ("/b/index_2.html", "下一页")), note=START)
    assert paths(result) == [*(path for path, _ in CHAPTERS), "/b/index_2.html"]


def test_start_page_without_links_is_itself_a_text():
    result = end(spider_of("news", f"{SITE}/"), "/", article("候鸟"), note=START)
    assert (result.outcome.record.page.kind, result.entries) == ("article", ())


def test_invalid_list_fails_and_is_a_problem_of_the_source():
    class Unreadable(DirectReaders):
        async def ask(self, _question):
            raise CannotRead("not-a-feed")

    spider = spider_of("news", job={"readers": Unreadable()})
    result = end(spider, "/feed", "<html>404</html>", kind="feed", note=START)
    assert (result.outcome.reason, spider.job.reached) == ("not-a-feed", 0)
    assert spider.job.problems == [(f"{SITE}/feed", "not-a-feed")]


def test_target_of_a_refresh_keeps_the_kind_of_its_page():
    head = '<meta http-equiv="refresh" content="0; url=/new.html">'
    result = end(spider_of("urls"), "/1", article("候鸟", head=head), kind="text", note=START)
    (target,) = result.entries
    assert (target.url, target.kind, target.depth, target.note) == (f"{SITE}/new.html", "text", 1, START)
    itself = head.replace("/new.html", "/1")
    assert end(spider_of("urls"), "/1", article("候鸟", head=itself), kind="text").entries == ()


# Whole sites.


def test_site_is_read_as_deep_as_the_source_says():
    page = article("候鸟", links=anchors(("/2.html", "下"), ("http://other.example/", "别处")))
    spider = spider_of("site", f"{SITE}/", max_depth=3)
    shallow = end(spider, "/1.html", page, kind="text", depth=2)
    (further,) = shallow.entries
    assert (further.url, further.kind, further.depth, further.priority) == (f"{SITE}/2.html", "text", 3, -3)
    assert spider.job.counts["left:depth"] == 0
    assert end(spider, "/2.html", page, kind="text", depth=3).entries == ()
    assert spider.job.counts["left:depth"] == 1


def test_links_into_a_trap_are_counted_and_not_followed():
    links = anchors(("/1.html", "一"), ("/x/x/x/x/x/x/x/x", "迷宫"))
    spider = spider_of("site", f"{SITE}/")
    for number in (0, 1):
        result = end(spider, f"/{number}", article("候鸟", links=links), kind="text", note=START)
        assert paths(result) == ["/1.html"]
    assert (spider.job.counts["trap:endless"], spider.job.counts["left:traps"]) == (2, 1)


def test_address_requested_before_its_trap_was_detected_is_not_counted():
    spider = spider_of("site", f"{SITE}/")
    spider.job.frontier.push([entry_of(f"{SITE}/x/x/x/x/x/x", "text")])
    end(spider, "/", article("候鸟", links=anchors(("/x/x/x/x/x/x", "迷宫"))), kind="text", note=START)
    assert (spider.job.counts["trap:endless"], spider.job.counts["left:traps"]) == (1, 0)


def test_addresses_that_bring_the_same_text_again_are_barren():
    spider = spider_of("site", f"{SITE}/")
    page = article("候鸟", links=anchors(("/same?x=99", "再")))
    targets = [paths(end(spider, f"/same?x={number}", page, kind="text")) for number in range(70)]
    assert targets[0] == ["/same?x=99"]
    assert targets[-1] == []
    assert spider.job.counts["trap:barren"] > 0
