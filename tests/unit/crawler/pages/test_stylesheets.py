"""Style sheets are fetched once, few of them, from a page's own site, and cost no page."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from scrapy.http import Response

from crawler.meta import REFERRER
from crawler.pages.stylesheets import MAX_BYTES, SheetReader, is_own
from crawler.readers.pool import CannotRead
from crawler.readers.questions import SheetsQuestion
from storage.collections.stylesheets import Sheet
from storage.records import utc_now
from system.errors import ServiceDown

PAGE = "http://x.example/1.html"
SHEET = "http://x.example/a.css"
RULES = ".zx{display:none}"


class Readers:
    """Finds the sheets that a page is made of, one a line; rules are kept as they are."""

    async def ask(self, question):
        if isinstance(question, SheetsQuestion):
            return tuple(question.data.decode().split())
        if "unreadable" in question.sheet:
            raise CannotRead("too-slow")
        return question.sheet


class Store:
    """Sheets in memory."""

    def __init__(self, *sheets):
        self.sheets = {sheet.url: sheet for sheet in sheets}

    def get_many(self, urls):
        return {url: self.sheets[url] for url in urls if url in self.sheets}

    def save(self, sheet):
        self.sheets[sheet.url] = sheet


class Site:
    """Answers every request with a sheet, and remembers it."""

    def __init__(self, body=RULES, *, status=200, url="", error=None):
        self.body, self.status, self.url, self.error, self.requests = body, status, url, error, []

    async def download(self, request):
        self.requests.append(request)
        if self.error is not None:
            raise self.error
        return Response(self.url or request.url, self.status, body=self.body.encode())


def read(*pages, site, store=None, urls=()):
    """Return the sheets of pages that one crawl reads, each page given by its links."""

    async def crawl():
        reader = SheetReader(site.download, Readers(), store)
        addresses = urls or [PAGE] * len(pages)
        return [
            await reader.of_page(page.encode(), url=url) for page, url in zip(pages, addresses, strict=True)
        ]

    return asyncio.run(crawl())


def test_sheet_is_fetched_once_for_all_pages_and_crawls():
    site, store = Site(), Store()
    assert read(SHEET, SHEET, site=site, store=store) == [((SHEET, RULES),)] * 2
    assert read(SHEET, site=site, store=store) == [((SHEET, RULES),)]
    (request,) = site.requests
    assert (request.url, request.headers["Referer"]) == (SHEET, PAGE.encode())
    assert request.headers["Accept"].startswith(b"text/css")
    assert (request.meta[REFERRER], request.meta["dont_retry"]) == (PAGE, True)
    assert (request.meta["download_timeout"], request.meta["download_maxsize"]) == (10, MAX_BYTES)


def test_site_has_forty_downloads_in_a_crawl():
    site = Site()
    pages = [f"http://{host}.example/{number}.css" for host in "xy" for number in range(45)]
    urls = [f"http://{host}.example/1.html" for host in "xy" for _ in range(45)]
    result = read(*pages, site=site, store=Store(), urls=urls)
    assert len(site.requests) == 80
    assert [bool(sheets) for sheets in result] == ([True] * 40 + [False] * 5) * 2


@pytest.mark.parametrize(
    ("was_read", "days", "is_fetched"),
    [(True, 6, False), (True, 8, True), (False, 0.9, False), (False, 2, True)],
)
def test_sheet_is_fresh_for_a_week_and_a_missing_sheet_for_a_day(was_read, days, is_fetched):
    stored = Sheet(url=SHEET, host="x.example", rules=".old{}", was_read=was_read)
    store = Store(replace(stored, fetched=utc_now() - timedelta(days=days)))
    site = Site()
    ((sheet,),) = read(SHEET, site=site, store=store)
    assert sheet == (SHEET, RULES if is_fetched else ".old{}")
    assert len(site.requests) == is_fetched
    assert store.sheets[SHEET].was_read is (was_read or is_fetched)


@pytest.mark.parametrize(
    "site",
    [
        Site(status=404),
        Site("<html><style>p{display:none}</style></html>"),
        Site("\ufeff \n<!doctype html>"),
        Site(url="http://y.example/a.css"),
        Site("unreadable"),
        Site(error=OSError()),
        Site(""),
    ],
    ids=["missing", "html", "html after a mark", "elsewhere", "unreadable", "error", "empty"],
)
def test_unavailable_sheet_hides_nothing_and_is_not_retried(site):
    store = Store()
    assert read(SHEET, site=site, store=store) == read(SHEET, site=site, store=store) == [()]
    assert len(site.requests) == 1
    assert store.sheets[SHEET].was_read is (site.body == "")


def test_earlier_rules_apply_while_a_sheet_is_missing():
    stored = Sheet(url=SHEET, host="x.example", rules=RULES, was_read=True)
    store = Store(replace(stored, fetched=utc_now() - timedelta(days=8)))
    assert read(SHEET, site=Site(status=500), store=store) == [((SHEET, RULES),)]
    assert not store.sheets[SHEET].was_read


@pytest.mark.parametrize(
    ("before", "site", "has_changed"),
    [
        (RULES, Site(), False),
        (".old{}", Site(), True),
        ("", Site(), True),
        (RULES, Site(""), True),
        (RULES, Site(status=500), False),
        (None, Site(), False),
    ],
    ids=["same", "others", "first rules", "none left", "missing", "new"],
)
def test_only_a_sheet_with_other_rules_than_before_has_changed(before, site, has_changed):
    aged = utc_now() - timedelta(days=8)
    stored = (
        ()
        if before is None
        else (Sheet(url=SHEET, host="x.example", rules=before, was_read=True, fetched=aged),)
    )
    store = Store(*stored)
    read(SHEET, site=site, store=store)
    changed = store.sheets[SHEET].changed
    assert (changed is not None) is has_changed
    # It is remembered when the next try finds the same.
    store.sheets[SHEET] = replace(store.sheets[SHEET], fetched=aged)
    read(SHEET, site=site, store=store)
    assert store.sheets[SHEET].changed == changed


def test_service_error_ends_the_crawl():
    with pytest.raises(ServiceDown):
        read(
            SHEET,
            site=Site(error=ServiceDown(service="MongoDB", address="db:27017", problem="no connection")),
            store=Store(),
        )


def test_without_a_store_sheets_are_fetched():
    assert read(SHEET, site=Site()) == [((SHEET, RULES),)]


@pytest.mark.parametrize(
    ("address", "page", "own"),
    [
        ("https://static.x.com.cn/a.css", "http://www.x.com.cn/1.html", True),
        ("https://static.y.com.cn/a.css", "http://www.x.com.cn/1.html", False),
        ("http://127.0.0.1:81/a.css", "http://127.0.0.1:80/1.html", False),
        ("http://127.0.0.1:80/a.css", "http://127.0.0.1:80/1.html", True),
        ("https://a.github.io/a.css", "http://b.github.io/1.html", False),
    ],
)
def test_sheet_on_another_host_of_the_domain_belongs_to_the_site(address, page, own):
    assert is_own(address, page) is own
    site = Site()
    assert bool(read(address, site=site, urls=[page])[0]) is own
    assert len(site.requests) == own
