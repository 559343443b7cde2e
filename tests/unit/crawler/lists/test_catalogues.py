"""What a catalogue says of the chapters that it does not list."""

import json

import pytest

from crawler.extraction.parsing import parse
from crawler.lists.catalogues import (
    clues_of,
    further_lists,
    is_json,
    next_page_of,
    page_number,
    read_json,
    without_page,
)
from crawler.lists.links import neighbour_links

BOOK = "http://x.example/b/1/"


def tree_of(body):
    return parse(f"<html><body>{body}</body></html>")


def clues(body, texts=()):
    return clues_of(tree_of(body), url=BOOK, texts=list(texts))


@pytest.mark.parametrize(
    ("body", "total"),
    [
        ("<p>共300章</p>", 300),
        ("<p>正文（共 1250 章）</p>", 1250),
        ("<p>全书共有88回</p>", 88),
        ("<span>已更新至120章</span>", 120),
        ("<p>共三百章</p>", 0),
        ("<a href=1.html>共300章</a>", 0),
        ("<script>var a='共300章'</script>", 0),
        ("<p>共3章</p>", 0),
        ("<p>共120人收藏</p>", 0),
    ],
)
def test_catalogue_may_name_the_number_of_its_chapters(body, total):
    assert clues(body).total == total


def test_numbers_of_chapters_are_those_of_the_links_that_are_chapters():
    body = (
        "<a href=1.html>第一章 渡口</a><a href=2.html>2、 对岸</a><a href=/b/9/7.html>第7章</a>"
        "<a href=3.html>后记</a>"
    )
    texts = [f"{BOOK}{number}.html" for number in (1, 2, 3)]
    assert clues(body, texts).numbers == ((f"{BOOK}1.html", 1), (f"{BOOK}2.html", 2))


@pytest.mark.parametrize(
    "button",
    [
        '<button id="more" onclick="load()">加载更多</button>',
        "<a href='javascript:void(0)'>点击加载更多章节</a>",
        "<a href='#'>查看全部章节 ></a>",
        "<div class=more>展开全部章节</div>",
        "<span>查看完整目录</span>",
        "<p>显示剩余章节↓</p>",
        "<input type=button value=加载更多>",
        "<a href=''>更多章节...</a>",
        "<a href=/b/1/>全部章节</a>",
    ],
)
def test_button_that_leads_nowhere_shows_that_there_is_more(button):
    assert clues(button).has_more
    assert further_lists(tree_of(button), url=BOOK) == []


@pytest.mark.parametrize("label", ["更多", "查看", "加载中", "查看评论", "更多小说推荐", "章节报错", "展开"])
def test_other_buttons_show_no_chapters(label):
    assert not clues(f"<button>{label}</button>").has_more


@pytest.mark.parametrize(
    "button",
    [
        "<a href=/b/1/all.html>查看全部章节</a>",
        "<button onclick=\"location.href='/b/1/all.html'\">查看全部章节</button>",
        "<div data-url='/b/1/all.html?spm=7'>加载更多</div>",
        "<p><a href=/b/1/all.html>查看全部章节</a></p>",
        "<a href=/b/1/all.html><span>查看全部章节</span></a>",
    ],
)
def test_address_behind_a_button_is_a_further_list(button):
    assert not clues(button).has_more
    assert further_lists(tree_of(button), url=BOOK) == [f"{BOOK}all.html"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('<script>fetch("/api/catalog?book=1&page="+(++page))</script>', "/api/catalog?book=1&page=1"),
        ("<script>$.get('/ajax/chapters?bid=1&p=2&size=50')</script>", "/ajax/chapters?bid=1&p=1&size=50"),
        ("<script>axios.get(`/api/mulu?page=${n}&id=1`)</script>", "/api/mulu?id=1&page=1"),
        ('<script>var u="\\/api\\/list?page="</script>', "/api/list?page=1"),
        ('<div data-api="/book/catalog?id=1&page=2"></div>', "/book/catalog?id=1&page=1"),
    ],
)
def test_json_list_is_detected_in_scripts_and_attributes(body, found):
    assert further_lists(tree_of(body), url=BOOK) == [f"http://x.example{found}"]


@pytest.mark.parametrize(
    "body",
    [
        '<script>fetch("/api/comments/list?page="+n)</script>',
        '<script>fetch("/api/recommend?page="+n)</script>',
        '<script>fetch("http://other.example/catalog?page="+n)</script>',
        '<script>fetch("/api/catalog?book=1")</script>',
    ],
)
def test_other_lists_of_scripts_are_ignored(body):
    assert further_lists(tree_of(body), url=BOOK) == []


def test_page_names_three_lists_at_most():
    body = "".join(f'<script>fetch("/catalog{number}?page="+n)</script>' for number in range(9))
    assert len(further_lists(tree_of(body), url=BOOK)) == 3


LIST = "http://x.example/api/catalog?book=1&page=2"


def read(value, url=LIST):
    return read_json(json.dumps(value, ensure_ascii=False).encode(), url=url)


def test_list_in_json_names_chapters_and_its_next_page():
    items = [{"id": number, "name": f"第{number}章", "url": f"/b/1/{number}.html"} for number in (7, 8)]
    links = read({"code": 0, "data": {"list": items, "hasMore": True, "total": 300}})
    assert [link.url for link in links.texts] == [f"{BOOK}7.html", f"{BOOK}8.html"]
    assert [link.url for link in links.lists] == ["http://x.example/api/catalog?book=1&page=3"]
    assert links.clues.numbers == ((f"{BOOK}7.html", 7), (f"{BOOK}8.html", 8))
    assert (links.clues.total, links.clues.is_data) == (300, True)


def test_last_or_empty_page_of_json_leads_to_no_other():
    items = [{"title": "第9章", "link": "/b/1/9.html"}]
    assert read({"list": items, "has_more": False}).lists == ()
    assert read({"list": [], "hasMore": True}).lists == ()
    assert read({"list": items}, url="http://x.example/api/all").lists == ()


def test_chapters_without_addresses_are_named_by_their_ids():
    links = read(
        [
            {"chapterId": 70, "title": "第7章 渡口"},
            {"chapterId": "80", "title": "第8章"},
            {"id": 1, "title": "书"},
        ]
    )
    assert (links.texts, links.clues.ids) == ((), ("70", "80"))
    assert [number for _, number in links.clues.numbers] == [7, 8]
    assert len(links.lists) == 1


def test_markup_in_json_is_read_as_a_catalogue():
    markup = "".join(f"<li><a href=/b/1/{number}.html>第{number}章</a></li>" for number in (1, 2, 3))
    assert [link.url for link in read({"html": markup}).texts] == [
        f"{BOOK}{number}.html" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize("body", [b"", b"[", b"{}", b"[" * 100_000, b'"a"', b"cb({})", b"\xff\xfe{"])
def test_invalid_json_list_gives_no_links(body):
    links = read_json(body, url=LIST)
    assert (links.texts, links.lists) == ((), ())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"a": 1}', True),
        (b"\xef\xbb\xbf [1]", True),
        (b'cb({"a": 1})', True),
        (b"<html>", False),
        (b"", False),
        (b"text (with brackets)", False),
    ],
)
def test_json_is_recognised_by_its_beginning(body, expected):
    assert is_json(body) is expected


def test_pages_of_a_list_are_counted_on_up_to_a_bound():
    assert next_page_of("http://x.example/a?p=9&b=1") == "http://x.example/a?p=10&b=1"
    assert next_page_of("http://x.example/a?page=500") == ""
    assert next_page_of("http://x.example/a?b=1") == ""
    assert (page_number("http://x.example/a?page=7"), page_number("http://x.example/a")) == (7, 0)
    assert without_page("http://x.example/a?p=9&b=1") == without_page("http://x.example/a?p=10&b=1")


def test_neighbours_of_a_chapter_are_the_chapters_before_and_after_it():
    body = (
        "<a href=/b/1/4.html>上一章</a><a href=/b/1/>目录</a><a href=/b/1/6.html>下一章 ›</a>"
        "<a href=/b/1/5_2.html>下一页</a><a href=/b/1/>下一章</a><a href=http://y.example/b/1/9.html>下一章</a>"
        "<a href='javascript:x()'>上一章</a>"
    )
    assert neighbour_links(tree_of(body), url=f"{BOOK}5.html") == [f"{BOOK}4.html", f"{BOOK}6.html"]


@pytest.mark.parametrize(
    "pager",
    [
        "<a href='javascript:next()'>下一页</a>",
        "<a onclick='next()'>下一页 ></a>",
        "<button onclick='next()'>下一页</button>",
        "<form method=post><button name=page value=2>下一页</button></form>",
    ],
)
def test_next_page_behind_a_script_or_a_form_shows_that_there_is_more(pager):
    assert clues(pager).has_pager


@pytest.mark.parametrize(
    "pager",
    [
        "<a href=index_2.html>下一页</a>",
        "<a href='javascript:;' onclick=\"location='index_2.html'\">下一页</a>",
        "<a>下一页</a>",
        "<span onclick='next()'>下一页</span>",
        "<li class=disabled><a href='javascript:next()'>下一页</a></li>",
        "<button disabled onclick='next()'>下一页</button>",
    ],
)
def test_other_pagers_are_no_hint(pager):
    assert not clues(pager).has_pager


def test_pager_of_a_single_page_is_no_hint():
    assert not clues("<p>第1/1页</p><a href='javascript:;'>下一页</a>").has_pager
    assert clues("<p>第1/2页</p><a href='javascript:;'>下一页</a>").has_pager


@pytest.mark.parametrize(
    "heading", ["<div>全部章节</div>", "<h2><span>全部章节</span></h2>", "<p>完整目录</p>"]
)
def test_heading_above_all_chapters_is_no_button(heading):
    assert not clues(heading).has_more


def test_white_space_costs_linear_time():
    blanks = " " * 1_000_000
    assert clues(f"<p>1{blanks}x</p><p>共{blanks}x</p><p>1{blanks}-{blanks}97章</p>").total == 97


def test_ranges_of_chapters_on_buttons_show_their_number():
    assert clues("<button>第1-50章</button><button>第51-97章</button>").total == 97
    assert clues("<p>2010-2024</p><a href=2.html>第51-97章</a>").total == 0


def test_hidden_buttons_are_no_hint():
    assert not clues("<button style='display: none'>加载更多</button>").has_more
    assert not clues("<button data-pindna-hidden>加载更多</button>").has_more
