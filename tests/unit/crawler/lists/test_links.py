"""Articles among a section's links, chapters of a catalogue in reading order."""

from pathlib import Path

import pytest

from crawler.extraction.parsing import decode_page, parse
from crawler.lists.catalogues import clues_of
from crawler.lists.links import article_links, chapter_links, feed_links, site_links

PAGES = Path(__file__).parents[3] / "pages"
SITE = "http://x.example"


def tree(body):
    return parse(f"<html><body>{body}</body></html>")


def anchors(*targets):
    return tree("".join(f"<a href='{target}'>{label}</a>" for target, label in targets))


def test_articles_are_distinguished_from_other_links():
    section = anchors(
        ("/2026-03/0001.html#top", "三百户居民搬进新家"),
        ("/2026-03/0001.html", "又一次"),
        ("//www.x.example/a/77.shtml", "候鸟北归"),
        ("/content?id=5", "山村小学"),
        ("/c/8VnGbzh6u2b", "渡口通了桥"),
        ("/section/international", "国际"),
        ("/c/sports24", "体育"),
        ("/index.html", "首页"),
        ("/list_2.html", "下一页"),
        ("/about.html", "关于我们"),
        ("/photo/1.jpg", "图"),
        ("http://other.example/2026/1.html", "别家"),
        ("javascript:void(0)", "登录"),
        ("/sports/", "体育"),
    )
    assert article_links(section, url=f"{SITE}/") == [
        f"{SITE}/2026-03/0001.html",
        "http://www.x.example/a/77.shtml",
        f"{SITE}/content?id=5",
        f"{SITE}/c/8VnGbzh6u2b",
        f"{SITE}/c/sports24",  # which costs a request
    ]


def test_pattern_decides_alone():
    section = anchors(("/x/a", "一"), ("http://other.example/x/b", "二"), ("/y/1.html", "三"))
    assert article_links(section, url=SITE, follow=r"/x/\w$") == [f"{SITE}/x/a", "http://other.example/x/b"]


def test_newest_chapters_on_top_do_not_spoil_the_order():
    data = (PAGES / "novel/book/12/index.html").read_bytes()
    catalogue = parse(decode_page(data, declared=None).text)
    expected = [f"{SITE}/book/12/{number}.html" for number in (1, 2, 3)]
    assert chapter_links(catalogue, url=f"{SITE}/book/12/") == expected
    assert chapter_links(catalogue, url=f"{SITE}/book/12/", follow=r"/12/\d+") == expected


def test_chapters_without_numbers_in_their_names_are_the_largest_group():
    names = [(f"/b/9/{number}", name) for number, name in enumerate(("雾", "灯", "信", "舟"), 11)]
    catalogue = anchors(("/b/8", "别的书"), *names, ("/sort/1/", "玄幻"), ("/b/9/p2", "下一页"))
    assert chapter_links(catalogue, url=f"{SITE}/b/9/") == [
        f"{SITE}/b/9/{number}" for number in range(11, 15)
    ]


def test_chapters_of_no_common_shape_lie_below_the_catalogue():
    catalogue = anchors(
        ("lamp.html", "灯"), ("letters.html", "信"), ("/sort/1.html", "玄幻"), ("boat_3.html", "舟")
    )
    expected = [f"{SITE}/b/{name}.html" for name in ("lamp", "letters", "boat_3")]
    assert chapter_links(catalogue, url=f"{SITE}/b/") == expected


def test_chapters_may_be_labelled_by_bare_numbers():
    catalogue = anchors(*((f"/b/9/{number}.html", str(number)) for number in range(1, 6)))
    assert len(chapter_links(catalogue, url=f"{SITE}/b/9/")) == 5


def test_labelled_chapters_are_all_read_whatever_their_address_shapes():
    """Random letters give each address another shape; the paid chapters are elsewhere on the site."""
    paths = ["/c/q/Vb-x_", "/c/q/9fKe2", "/c/q/aaaab", "/read/3.html", "/vip/4.html"]
    urls = [*(f"http://www.x.cn{path}" for path in paths), "http://vip.x.cn/5.html"]
    chapters = [(url, f"第{number}章 渡口") for number, url in enumerate(urls, 1)]
    others = [(f"/b/{number}/", f"别的书{number}") for number in range(20)]
    catalogue = anchors(*others, *chapters, ("http://other.cn/1", "第9章 别家"), ("/b/1/", "返回书页"))
    assert chapter_links(catalogue, url="http://www.x.cn/b/1/") == urls


def test_chapters_of_the_catalogue_are_read_next_to_links_of_other_books():
    newest = [(f"/new/{number}.html", f"第{number}章 别的书") for number in range(5)]
    own = [(f"/b/9/{number}.html", name) for number, name in enumerate(("雾", "灯", "信", "舟"), 11)]
    catalogue = anchors(*newest, *own, *((f"/b/{number}/", "别的书") for number in range(9)))
    assert chapter_links(catalogue, url=f"{SITE}/b/9/")[5:] == [f"{SITE}{path}" for path, _ in own]


def test_no_links_no_chapters():
    assert chapter_links(tree("<p>空</p>"), url=SITE) == []
    assert chapter_links(anchors(("/about", "关于")), url=SITE) == []


@pytest.mark.parametrize(
    "link",
    [
        "<li onclick=\"location.href='/c/{n}.html'\">第{n}章 渡口</li>",
        '<li onclick=\'window.open("/c/{n}.html", "_blank")\'>第{n}章 渡口</li>',
        "<a href='javascript:location.assign(\"/c/{n}.html\")'>第{n}章 渡口</a>",
        "<a href='javascript:;' onclick='location=\"/c/{n}.html\";return false'>第{n}章 渡口</a>",
        "<a data-href='/c/{n}.html'>第{n}章 渡口</a>",
        "<div data-url='../c/{n}.html'>第{n}章 渡口</div>",
        "<select><option value='/c/{n}.html'>第{n}章 渡口</option></select>",
        "<form action='/c/{n}.html'><button>第{n}章 渡口</button></form>",
        "<svg><a xlink:href='/c/{n}.html'><text>第{n}章 渡口</text></a></svg>",
        "<map><area href='/c/{n}.html' alt='第{n}章 渡口'></map>",
    ],
)
def test_addresses_outside_of_plain_links_are_chapters(link):
    catalogue = tree("".join(link.replace("{n}", str(number)) for number in range(1, 5)))
    found = chapter_links(catalogue, url=f"{SITE}/b/")
    assert found == [f"{SITE}/c/{number}.html" for number in range(1, 5)]


@pytest.mark.parametrize(
    "element",
    [
        "<li onclick='go({n})'>第{n}章</li>",
        "<li onclick='location.href=\"/c/\"+{n}'>第{n}章</li>",
        "<form action='/c/{n}.html'><input name=q><button>第{n}章</button></form>",
        "<form method=post action='/c/{n}.html'><button>第{n}章</button></form>",
        "<select><option value='{n}'>第{n}章</option></select>",
        "<a href='#/c/{n}'>第{n}章</a>",
    ],
)
def test_what_a_script_or_a_form_computes_is_no_address(element):
    page = tree("".join(element.replace("{n}", str(number)) for number in range(1, 5)))
    assert chapter_links(page, url=f"{SITE}/b/") == []
    assert clues_of(page, url=f"{SITE}/b/", texts=[]).total == 4


def test_feeds_that_a_page_names_are_listed_without_comments():
    kinds = [("application/rss+xml", "/feed"), ("application/atom+xml; charset=utf-8", "atom.xml")]
    kinds += [
        ("application/rss+xml", "/comments/feed"),
        ("text/html", "/m/"),
        ("application/rss+xml", "http://["),
    ]
    links = "".join(f'<link rel="alternate" type="{kind}" href="{href}">' for kind, href in kinds)
    tree = parse(f"<html><head>{links}</head><body><p>x</p></body></html>")
    assert feed_links(tree, url="https://a.example/b/") == [
        "https://a.example/feed",
        "https://a.example/b/atom.xml",
    ]


@pytest.mark.parametrize(
    "element",
    [
        "<form action=/user/logout><button>退出</button></form>",
        "<a href='/member.php?mod=logging&action=logout'>退出</a>",
        "<a href=/addbookcase.php?bid=7>加入书架</a>",
        "<b onclick=\"if (confirm('?')) location.href='/c/7.html'\">删除</b>",
    ],
)
def test_addresses_that_log_out_or_change_something_are_no_links(element):
    assert site_links(tree(element), url=f"{SITE}/") == []


def test_headlines_that_begin_like_links_back_are_articles():
    page = anchors(
        ("/2026/1.html", "返回舱在草原着陆"),
        ("/2026/2.html", "返回首页"),
        ("/2026/delete-3.html", "删"),
        ("/2026/4-how-to-remove", "怎样去除"),
    )
    assert article_links(page, url=SITE) == [
        f"{SITE}/2026/1.html",
        f"{SITE}/2026/delete-3.html",
        f"{SITE}/2026/4-how-to-remove",
    ]
