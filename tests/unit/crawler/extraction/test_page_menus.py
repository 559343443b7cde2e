"""The next part of a text in menus, which differ from menus of chapters."""

import pytest

from crawler.extraction.anchors import anchors_of
from crawler.extraction.nextpage import next_links
from crawler.extraction.page_menus import page_number
from crawler.extraction.parsing import parse

URL = "http://x.example/b/1/7.html"


def next_page(body, url=URL):
    tree = parse(f"<html><body>{body}</body></html>")
    return next_links(tree, anchors_of(tree), url=url).page


def menu(*options):
    return f"<select onchange='location=this.value'>{''.join(options)}</select>"


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("2", 2),
        (" 第 2 页 ", 2),
        ("第二页", 2),
        ("[2]", 2),
        ("２", 2),
        ("2/5", 2),
        ("第十一頁", 11),
        ("第2部分", 2),
        ("第2页(共5页)", 2),
        ("第2章", None),
        ("二", None),
        ("下一页", None),
        ("第2页 磨坊", None),
        ("", None),
    ],
)
def test_labels_of_pages_have_a_number(label, number):
    assert page_number(label) == number


@pytest.mark.parametrize(
    ("options", "url", "target"),
    [
        (
            (
                "<option value=7.html selected>第1页",
                "<option value=7_2.html>第2页",
                "<option value=7_3.html>第3页",
            ),
            URL,
            "http://x.example/b/1/7_2.html",
        ),
        (
            (
                "<option value=/b/1/7.html>1/3",
                "<option value=/b/1/7_2.html selected>2/3",
                "<option value=/b/1/7_3.html>3/3",
            ),
            "http://x.example/b/1/7_2.html",
            "http://x.example/b/1/7_3.html",
        ),
        (
            ("<option value=7.html>第一页", "<option value=7_2.html>第二页", "<option value=7_3.html>第三页"),
            "http://x.example/b/1/7_2.html",
            "http://x.example/b/1/7_3.html",
        ),
        (
            ("<option data-url=?page=1>1", "<option data-url=?page=2>2"),
            URL,
            "http://x.example/b/1/7.html?page=2",
        ),
        (("<option value=7.html selected>第1页",), URL, None),
        (
            ("<option value=1-7.html selected>第7章", "<option value=1-8.html>第8章"),
            "http://x.example/1-7.html",
            None,
        ),
        (("<option value=7.html selected>1", "<option value=8.html>2"), URL, None),
        (("<option value='' selected>第1页", "<option value=javascript:x>第2页"), URL, None),
    ],
)
def test_option_after_the_selected_option_is_next(options, url, target):
    assert next_page(menu(*options), url) == target


def test_menu_below_links_to_chapters_is_read():
    links = "<a href=6.html>上一章</a><a href=8.html>下一章</a>"
    body = menu("<option value=7.html selected>第1页", "<option value=7_2.html>第2页") + links
    tree = parse(f"<html><body>{body}</body></html>")
    next_addresses = next_links(tree, anchors_of(tree), url=URL)
    assert (next_addresses.page, next_addresses.chapter) == (
        "http://x.example/b/1/7_2.html",
        "http://x.example/b/1/8.html",
    )


def test_numbers_of_pages_in_links_may_have_words_around_them():
    assert next_page("<b>第1页</b> <a href=7_2.html>第2页</a>") == "http://x.example/b/1/7_2.html"


def test_script_builds_the_address_from_the_number():
    script = "<script>function go(n){location.href='/b/1/7_'+n+'.html'}</script>"
    options = menu("<option value=1 selected>第1页", "<option value=2>第2页")
    assert next_page(script + options) == "http://x.example/b/1/7_2.html"


def test_options_may_repeat_the_title():
    options = (
        "<option value=/b/1/7.html selected>第七章 磨坊(1)",
        "<option value=/b/1/7_2.html>第七章 磨坊(2/2)",
    )
    assert next_page(menu(*options)) == "http://x.example/b/1/7_2.html"
