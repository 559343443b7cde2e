"""The further pages of catalogues, however they are named."""

import pytest

from crawler.extraction.parsing import parse
from crawler.lists.links import chapter_links
from crawler.lists.pages import catalogue_pages, frame_addresses, next_page

BOOK = "http://x.example/b/1/"
SECOND, THIRD = f"{BOOK}index_2.html", f"{BOOK}index_3.html"
NEXT = "<a href=index_2.html>下一页</a>"
OPTIONS = (
    "<select><option value=/b/1/>第1-50章</option><option value=/b/1/index_2.html>第51 - 100章</option>"
    "<option value=/b/1/index_3.html>101～150</option></select>"
)
RANGES = "<a href=/b/1/index_2.html>第51章至100章</a><a href=/b/1/index_3.html><b>101-150</b></a>"
NUMBERS = "<a href=index_2.html>2</a><a href=index_3.html>第3页</a>"


def pages_of(body, url=BOOK, texts=()):
    return catalogue_pages(parse(f"<html><body>{body}</body></html>"), url=url, texts=texts)


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (NEXT, [SECOND]),
        (OPTIONS, [SECOND, THIRD]),
        (RANGES, [SECOND, THIRD]),
        (NUMBERS, [SECOND, THIRD]),
        (NUMBERS + OPTIONS + NEXT, [SECOND, THIRD]),
        ("<a href='?page=2'>2</a><a href='?page=3'>3</a>", [f"{BOOK}?page=2", f"{BOOK}?page=3"]),
    ],
    ids=["next", "menu", "ranges", "numbers", "all", "query"],
)
def test_every_named_page_is_a_further_page(body, pages):
    assert pages_of(body) == pages


def test_page_itself_and_chapters_are_none():
    assert pages_of(NUMBERS + OPTIONS, url=SECOND) == [THIRD, BOOK]
    assert pages_of(NUMBERS, texts=[SECOND, THIRD]) == []


@pytest.mark.parametrize(
    "body",
    [
        "<select><option value=16>16</option><option value=1-9>第1-9章</option></select>",
        "<a href=/hot/week.html>2</a>",
        "<a href='javascript:turn(2)'>2</a>",
        "<a href=http://other.example/b/1/index_2.html>2</a>",
        "<a href=/b/1/51.html>第51-52章 合</a>",
    ],
    ids=["no addresses", "another number", "a script", "another site", "a chapter"],
)
def test_links_to_no_page_of_the_catalogue_are_ignored(body):
    assert pages_of(body) == []


def test_section_has_its_next_page():
    tree = parse(f"<html><body>{NUMBERS}{NEXT}</body></html>")
    assert next_page(tree, url=BOOK) == [SECOND]


def test_options_that_name_pages_are_no_chapters():
    assert chapter_links(parse(f"<html><body>{OPTIONS}</body></html>"), url=BOOK) == []


def test_frames_of_the_same_site_are_followed():
    page = parse(
        "<html><body><iframe src=/list.html></iframe><iframe src=/list.html#2></iframe>"
        "<iframe src=''></iframe><iframe src=http://ads.example/a></iframe>"
        "<iframe src=javascript:x></iframe></body></html>"
    )
    assert frame_addresses(page, url=BOOK) == ["http://x.example/list.html"]
    frames = parse("<html><frameset><frame src=menu.html><frame src=1.html></frameset></html>")
    assert frame_addresses(frames, url=BOOK) == [f"{BOOK}menu.html", f"{BOOK}1.html"]
