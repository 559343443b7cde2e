"""Pages with two texts in the console: where a match is, and what could not be compared."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect
from support.console import SOURCE, go, screenshot
from support.sample_novels import CHAPTERS, STRANGER
from support.watched import compare_all

from storage.collections.pages import page_id
from storage.records import Page, RestPiece, Scan, UnreadFigures, utc_now

pytestmark = pytest.mark.services
URL = "http://yincang.example/1.html"
SCAN = "scan-rest"
REST = CHAPTERS["青灯渡"][0]
UNREAD = {"frames": 3, "limit": 5_200}
# Markup, and a sign that turns the direction of reading: a page's author chooses the names of elements.
PLACE = "body > div.<b>x</b>\u202e"


@pytest.fixture(scope="module")
def match(console):
    """The match of a page that has a chapter outside its article."""
    stores = console.runtime.stores
    began = utc_now()  # after the scans of other modules: the first page shows the latest one
    stores.scans.open(Scan(id=SCAN, trigger="hand", sources=(), started=began))
    page = Page(
        id=page_id(URL, "h"),
        url=URL,
        host="yincang.example",
        source=SOURCE,
        kind="list",
        title="目录页",
        text=STRANGER[:400],
        content_hash="h",
        rest=REST,
        rest_pieces=(RestPiece(start=0, end=len(REST), reason="hidden", place=PLACE),),
        unread=UNREAD,
        scan_id=SCAN,
    )
    stores.pages.see_many([page])
    compare_all(stores, console.runtime.corpus())
    unread = UnreadFigures(pages=1, amounts=UNREAD)
    stores.scans.finish(replace(stores.scans.find(SCAN), status="finished", finished=began, unread=unread))
    compared = stores.pages.get(page.id)
    assert (compared.state, compared.verdict) == ("compared", "copy"), compared
    (found,) = stores.matches.of_page(page.id)
    yield found
    for name, key, value in (
        ("matches", "page_id", page.id),
        ("pages", "_id", page.id),
        ("scans", "_id", SCAN),
    ):
        stores.database[name].delete_many({key: value})


@pytest.mark.parametrize(("width", "language"), [(1440, "en"), (390, "zh")])
def test_match_outside_the_article_says_where_it_is_and_shows_that_text(console, match, width, language):
    with console.page(f"/matches/{match.name}", "ana", width=width, language=language) as page:
        notes = page.locator(".note")
        expected = {
            "en": ("Outside the article: hidden by a style sheet", "Check the page before you decide"),
            "zh": ("正文之外：被样式表隐藏", "请先核对网页再下结论"),
        }[language]
        for words in expected:
            expect(notes.filter(has_text=words)).to_be_visible()
        expect(notes.filter(has_text="div.<b>x</b>[U+202E]")).to_be_visible()
        expect(notes.filter(has_text="5,200")).to_be_visible()
        expect(page.locator(".pane.of-page")).to_contain_text(REST[:12])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        screenshot(page, f"rest-match-{language}-{width}")


def test_find_outside_the_article_says_so_where_people_decide(console, match):
    with console.page(f"/review/{match.name}", "ana", language="en") as page:
        expect(page.locator(".badge").filter(has_text="outside the article").first).to_be_visible()
        expect(page.locator(".note").filter(has_text="Check the page before you decide")).to_be_visible()
        screenshot(page, "rest-review")


@pytest.mark.usefixtures("match")
@pytest.mark.parametrize(("width", "language"), [(1440, "en"), (390, "zh")])
def test_scan_today_and_pages_show_incomplete_comparisons(console, width, language):
    amounts = {"en": "3 frames and 5,200 characters", "zh": "3 个内嵌框架和 5,200 字"}[language]
    with console.page(f"/scans/{SCAN}", "ana", width=width, language=language) as page:
        expect(page.locator(".tile.warn").filter(has_text="1").first).to_be_visible()
        screenshot(page, f"rest-scan-{language}-{width}")
        page.locator(".tile.warn[href]").first.click()
        page.wait_for_url("**/pages?**unread=1**")
        expect(page.locator("table.list tbody tr")).to_have_count(1)
        expect(page.locator("table.list tbody")).to_contain_text(amounts)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        screenshot(page, f"rest-pages-{language}-{width}")
        go(page, "/scans")
        screenshot(page, f"rest-scans-{language}-{width}")
        go(page, "/")
        expect(page.locator("main")).to_contain_text(amounts)
        screenshot(page, f"rest-today-{language}-{width}")


def test_holder_reads_where_a_match_is(console, match):
    with console.page(f"/matches/{match.name}", "hol", language="en") as page:
        expect(page.locator(".note").filter(has_text="Outside the article")).to_be_visible()
