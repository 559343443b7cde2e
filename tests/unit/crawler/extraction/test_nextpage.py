"""The next page and the next chapter are kept apart."""

import pytest

from crawler.extraction.anchors import anchors_of
from crawler.extraction.nextpage import NO_LINKS, next_links, next_list_page
from crawler.extraction.parsing import parse

URL = "http://x.example/b/7/100.html"


def links(body, url=URL):
    tree = parse(f"<html><body>{body}<p>文</p></body></html>")
    result = next_links(tree, anchors_of(tree), url=url)
    return result.page, result.chapter


@pytest.mark.parametrize(
    ("url", "target"),
    [
        (URL, "/b/7/100_2.html"),
        (URL, "100_2.html"),
        (URL, "/b/7/100-2.html"),
        (URL, "/b/7/100/2.html"),
        (URL, "?page=2"),
        ("http://x.example/b/7/100_2.html", "/b/7/100_3.html"),
        ("http://x.example/read?id=5&page=2", "/read?page=3&id=5"),
        ("http://x.example/a/", "/a/2/"),
        ("http://x.example/thread-57-1-3.html", "thread-57-2-3.html"),
        ("http://x.example/thread-57-2-1.html", "thread-57-3-1.html"),
        ("http://x.example/forum.php?mod=viewthread&tid=5", "?mod=viewthread&tid=5&extra=page%3D1&page=2"),
        ("http://x.example/viewtopic.php?f=2&t=5", "./viewtopic.php?f=2&t=5&sid=0a1b&start=10"),
        ("http://x.example/threads/deng.57/", "/threads/deng.57/page-2"),
        ("http://x.example/t/57/page/2", "/t/57/page/3"),
        ("http://x.example/b/7/100_page2.html", "/b/7/100_page3.html"),
    ],
)
def test_numbered_page_of_the_same_text_is_next(url, target):
    page, chapter = links(f"<a href='{target}'> 下一页 &gt;</a>", url)
    assert page is not None
    assert page.startswith("http://x.example/")
    assert chapter is None


@pytest.mark.parametrize(
    "target", ["/b/7/101.html", "/b/8/100_2.html", "http://y.example/b/7/100_2.html", "/read?id=6"]
)
def test_another_address_under_next_page_is_the_next_chapter(target):
    page, chapter = links(f"<a href='{target}'>下一页</a>")
    assert page is None
    assert chapter is not None


def test_next_page_and_next_chapter_are_both_read():
    body = "<a href='100_2.html'>下一頁</a><a href='101.html'>下一章</a>"
    assert links(body) == ("http://x.example/b/7/100_2.html", "http://x.example/b/7/101.html")


@pytest.mark.parametrize("name", ["next_page", "url_next", "nextPage"])
def test_script_variables_give_the_next_page(name):
    body = f'<script>var a = 1; var {name} = "\\/b\\/7\\/100_2.html"; x()</script>'
    assert links(body)[0] == "http://x.example/b/7/100_2.html"


def test_script_variable_gives_the_next_chapter():
    body = "<script>url_next = '/b/7/101.html'</script>"
    assert links(body) == (None, "http://x.example/b/7/101.html")


def test_rel_next_and_base_give_the_next_page():
    result = links("<a rel='next' href='100_2.html'>继续</a>")
    assert result[0] == "http://x.example/b/7/100_2.html"
    tree = parse(
        "<html><head><base href='/c/'><link rel='next' href='100_2.html'></head><body>文</body></html>"
    )
    assert next_links(tree, anchors_of(tree), url=URL).chapter == "http://x.example/c/100_2.html"


@pytest.mark.parametrize(
    "target", ["#", "javascript:void(0)", "", "mailto:a@b.example", "http://[bad/2.html"]
)
def test_invalid_addresses_are_ignored(target):
    assert links(f"<a href='{target}'>下一页</a>") == (None, None)


def test_next_page_must_look_numbered_without_the_pages_address():
    body = "<a href='100_2.html'>下一页</a><a href='101.html'>下一章</a>"
    assert links(body, "") == ("100_2.html", "101.html")
    assert links("<a href='/read?id=5&page=2'>下一页</a>", "") == ("/read?id=5&page=2", None)
    assert links("<a href='119702.htm'>下一页</a>", "") == (None, "119702.htm")
    assert links("<script>next_page = '101.html'</script><a href='/x/101.html'>下一章</a>", "")[0] is None


def test_canonical_address_replaces_a_missing_address():
    head = "<link rel='canonical' href='http://x.example/b/7_100.html'>"
    assert links(f"{head}<a href='/b/7_101.html'>下一页</a>", "")[0] == "/b/7_101.html"
    assert links(f"{head}<a href='/b/8_101.html'>下一页</a>", "") == (None, "/b/8_101.html")


def test_catalogue_is_not_the_next_chapter():
    assert links("<a href='/b/7/'>下一章</a>") == (None, None)
    assert links("<a href='/novel/8/catalog'>下一章</a>") == (None, None)


def test_second_page_labelled_as_a_chapter_is_next():
    body = "<a href='/b/7/100_2.html'>下一章</a>"
    assert links(body) == (None, None)
    tree = parse(f"<html><body>{body}<p>文</p></body></html>")
    assert (
        next_links(tree, anchors_of(tree), url=URL, turns_page=True).page == "http://x.example/b/7/100_2.html"
    )


@pytest.mark.parametrize("mark", ["_", "-", "_p", "_page", "-page", "/page/", "_Page"])
def test_numbered_pager_gives_the_next_page(mark):
    pager = f"<b>1</b><a href='/b/7/100{mark}2.html'>[2]</a><a href='/b/7/100{mark}3.html'>[3]</a>"
    assert links(pager) == (f"http://x.example/b/7/100{mark}2.html", None)


def test_pager_on_the_second_page_gives_the_third():
    second = "<a href='/b/7/100.html'>1</a><b>2</b><a href='/b/7/100_3.html'>3</a>"
    assert links(second, "http://x.example/b/7/100_2.html")[0] == "http://x.example/b/7/100_3.html"
    assert links("<a href='/b/8_2.html'>2</a><a href='/list_2'>2</a>") == (None, None)


def test_rule_of_the_source_comes_first():
    tree = parse("<html><body><a href='/b/7/100_2.html'>下一页</a></body></html>")
    assert next_links(tree, anchors_of(tree), url=URL, rule="/odd/9").page == "http://x.example/odd/9"
    assert next_links(tree, anchors_of(tree), url=URL, rule=URL).page == "http://x.example/b/7/100_2.html"


def test_lists_continue_at_any_address():
    tree = parse("<html><body><a href='/list/2'>下一页</a></body></html>")
    assert next_list_page(tree, url="http://x.example/news") == "http://x.example/list/2"
    assert next_list_page(tree, url="http://x.example/list/2") is None


def test_comment_pages_are_not_pages_of_the_text():
    for target in ("100/comment-page-2", "100?cpage=2", "100.html?page=2#comments"):
        result = links(f"<a href='{target}'>下一页</a>", url="http://x.example/b/100.html")
        assert result == (None, None), target


def test_neighbouring_article_is_not_the_next_chapter():
    for anchor in ("<a href='/b/9.html'>下一篇</a>", "<a rel=next href='/b/9.html'>雾</a>"):
        tree = parse(f"<html><body>{anchor}</body></html>")
        url = "http://x.example/b/8.html"
        assert next_links(tree, anchors_of(tree), url=url).chapter == "http://x.example/b/9.html"
        assert next_links(tree, anchors_of(tree), url=url, is_serial=False) == NO_LINKS
    tree = parse("<html><body><a href='/b/9.html'>下一页</a></body></html>")
    assert next_links(tree, anchors_of(tree), url=url, is_serial=False).chapter == "http://x.example/b/9.html"


@pytest.mark.parametrize(
    "button",
    [
        "<button onclick=\"location.href='/b/7/100_2.html'\">下一页</button>",
        "<a href='javascript:;' data-href='/b/7/100_2.html'>下一页</a>",
        "<a href=\"javascript:location='/b/7/100_2.html'\">下一页</a>",
        "<form action='/b/7/100_2.html'><input type=submit value='下一页'></form>",
        "<ul><li onclick=\"go('/b/7/100.html')\">1</li><li onclick=\"go('/b/7/100_2.html')\">2</li></ul>",
        "<a href='/b/7/100_2.html'><img src=n.png alt='下一页'></a>",
        "<a href='/b/7/100_2.html'>余下全文</a>",
        "<a href='/b/7/100_2.html'>下壹頁</a>",
        "<a href='/b/7/100_2.html'>Next Page »</a>",
    ],
)
def test_button_or_picture_leads_to_the_next_page(button):
    assert links(button) == ("http://x.example/b/7/100_2.html", None)


def test_form_keeps_its_hidden_fields():
    form = "<form action='/r'><input type=hidden name=id value=5><input type=hidden name=p value=2>"
    page, _ = links(f"{form}<button type=submit>下一页</button></form>", "http://x.example/r?id=5")
    assert page == "http://x.example/r?id=5&p=2"


@pytest.mark.parametrize(
    "button",
    [
        "<button onclick=\"slide('#gallery', 'next')\">下一页</button>",
        "<a href='/app/download.html'>阅读全文</a>",
        "<form method=post action='/b/7/100_2.html'><input type=submit value='下一页'></form>",
    ],
)
def test_other_buttons_lead_nowhere(button):
    assert links(button) == (None, None)


def test_button_leads_to_the_next_chapter():
    assert links("<button onclick=\"open('/b/7/101.html')\">下一章</button>")[1].endswith("/101.html")
