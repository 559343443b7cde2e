"""Each page with words is compared once; the rest is counted, and short pages are no ban."""

from urllib.parse import urlsplit

import pytest
from support.strategies import story
from support.webserver import Reply, article

from storage.records import Source

pytestmark = pytest.mark.services
NOTICE = "抱歉，您要访问的章节不存在，可能已经被删除，请返回目录重新选择章节阅读。"


def page(title, *lines, head="", below=""):
    paragraphs = "".join(f"<p>{line}</p>" for line in lines)
    return (
        f'<html><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body><h1>{title}</h1><div id=content>{paragraphs}</div>{below}</body></html>"
    )


def pages_of(stores):
    """Every current page by its path and query."""
    found = [each for each in stores.pages.all() if each.standing == "current"]
    return {f"{urlsplit(each.url).path}?{urlsplit(each.url).query}".rstrip("?"): each for each in found}


def crawl_urls(crawl, site, *paths, scan="s1"):
    source = Source(name="a", kind="urls", start_urls=tuple(site.url + path for path in paths))
    return crawl(source, scan)


def test_short_pages_are_compared_and_not_taken_for_a_ban(stores, crawl, site):
    paths = [f"/t/{number}.html" for number in range(30)]
    site.pages.update({path: page("短帖", story(40, number)) for number, path in enumerate(paths)})
    result, counts = crawl_urls(crawl, site, *paths)
    assert result.returncode == 0, result.stderr
    assert {each.state for each in stores.pages.all()} == {"fetched"}
    assert (counts["pages"], counts["failed"]) == (30, 0)
    again, counts = crawl_urls(crawl, site, *paths, scan="s2")
    assert again.returncode == 0, again.stderr
    assert (counts["unchanged"], counts.get("event:gone", 0)) == (30, 0)


def test_soft_404_fails_and_a_truncated_text_is_compared_and_marked(stores, crawl, site):
    site.pages["/1.html"] = page("提示信息", NOTICE)
    site.pages["/2.html"] = page("第二章", story(300, 2), "（本章未完，请点击下一页继续阅读）")
    _, counts = crawl_urls(crawl, site, "/1.html", "/2.html")
    found = pages_of(stores)
    assert (found["/1.html"].state, found["/1.html"].reason) == ("failed", "soft-404")
    assert (found["/2.html"].state, found["/2.html"].kind) == ("fetched", "incomplete")
    assert found["/2.html"].unread["incomplete"] == 1
    assert (counts["failed:soft-404"], counts["kind:incomplete"]) == (1, 1)


def test_soft_404_page_is_learnt_from_an_impossible_address(stores, crawl, site):
    site.default = Reply(
        page("迷路了", "这一页好像飘到了别的星球，我们的小编正在坐火箭去找它，感谢您的耐心等待。")
    )
    site.pages["/b/2.html"] = page("短章", story(60, 2))
    crawl_urls(crawl, site, "/b/1.html", "/b/2.html", "/b/3.html")
    found = pages_of(stores)
    assert [found[f"/b/{number}.html"].reason for number in (1, 2, 3)] == ["soft-404", "", "soft-404"]
    assert sum("/b/9" in path for path in site.paths()) == 1


def test_soft_404_that_replaces_a_text_is_gone(stores, crawl, site):
    site.pages["/1.html"] = article("候鸟", seed=1)
    crawl_urls(crawl, site, "/1.html")
    site.pages["/1.html"] = page("提示信息", NOTICE)
    _, counts = crawl_urls(crawl, site, "/1.html", scan="s2")
    assert counts["event:gone"] == 1
    assert {each.reason for each in stores.pages.all()} == {"", "soft-404"}


def test_repeating_chain_of_pages_ends(stores, crawl, site):
    def chain(path, *_):
        number = int(path.rpartition("_")[2].removesuffix(".html")) if "_" in path else 1
        below = f'<a href="/b/1_{number + 1}.html">下一页</a>'
        return Reply(page("第一章 渡口", *[story(80, line) for line in range(9)], below=below))

    site.pages.update({"/b/1.html": chain, **{f"/b/1_{number}.html": chain for number in range(2, 999)}})
    _, counts = crawl_urls(crawl, site, "/b/1.html")
    assert len(site.paths()) == 2
    assert counts["repeated_parts"] == 1
    assert [path for path, each in pages_of(stores).items() if each.state == "fetched"] == ["/b/1.html"]


def test_page_under_several_addresses_is_stored_once(stores, crawl, site):
    head = f'<link rel="canonical" href="{site.url}/book/5.html">'
    text = article("第五章", seed=5, head=head)
    site.pages.update({"/book/5.html": text, "/chapter/50005.html": text})
    crawl_urls(crawl, site, "/chapter/50005.html", "/book/5.html")
    assert list(pages_of(stores)) == ["/book/5.html"]
    _, counts = crawl_urls(crawl, site, "/chapter/50005.html", "/book/5.html", scan="s2")
    assert list(pages_of(stores)) == ["/book/5.html"]
    assert counts.get("event:changed", 0) == 0
