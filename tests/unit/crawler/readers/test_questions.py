"""Each question answers itself: pages, their sheets and spans, and lists of every kind within bounds."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.addresses import MAX_ADDRESS_CHARS, canonical, is_web
from crawler.extraction import extract
from crawler.extraction.tracing import trace
from crawler.lists.link_list import CUT_SHORT, Link, LinkList, NotAList
from crawler.lists.search_answers import NotASearch
from crawler.readers.questions import (
    ListQuestion,
    PageQuestion,
    RulesQuestion,
    SheetsQuestion,
    TraceQuestion,
)

SITE = "http://x.example"
KINDS = ("section", "catalogue", "site", "sitemap", "feed", "search")
# What lists are made of, so that what Hypothesis makes of it gets past the first bytes.
WORDS = (
    "<urlset>", "</urlset>", "<sitemapindex>", "<sitemap>", "<url>", "</url>", "<loc>", "</loc>", "<lastmod>",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "<rss>", "<item>", "</item>", "<link>",
    "</link>", "<link href='/1.html'/>", "<feed>", "<entry>", "<guid isPermaLink='false'>", "<rdf:RDF>",
    "<?xml encoding='gbk'?>", "<!DOCTYPE x [<!ENTITY a 'b'>]>", "&a;", "&#xd800;", "<![CDATA[", "]]>", "<!--",
    "http://x.example/1.html", "http://[::1%é]/1", "http://x.example:99999/", "//x/", "\ud800", "\x00",
    "<a href=", "/1.html", ">第1章</a>", "<base href=", "下一页", '{"results": [',
    '{"url": "http://x.example/1"}', "]}", "9" * 5000, "x" * 3000, "\n" * 50,
)  # fmt: skip
BODIES = st.one_of(
    st.binary(max_size=400),
    st.lists(st.sampled_from(WORDS) | st.text(max_size=20), max_size=25).map(
        lambda words: "".join(words).encode("utf-8", "surrogatepass")
    ),
)


def ask(kind, body, url=f"{SITE}/list", **options):
    return ListQuestion(
        kind=kind, data=body if isinstance(body, bytes) else body.encode(), url=url, **options
    ).answer()


@given(
    kind=st.sampled_from(KINDS),
    body=BODIES,
    packed=st.booleans(),
    declared=st.sampled_from([None, "gbk", "x"]),
)
def test_any_list_is_read_or_refused(kind, body, packed, declared):
    try:
        links = ask(kind, gzip.compress(body) if packed else body, declared=declared)
    except NotAList:
        return
    assert isinstance(links, LinkList)
    for link in (*links.texts, *links.lists):
        assert is_web(link.url)
        assert len(canonical(link.url)) <= MAX_ADDRESS_CHARS
        assert link.changed is None or link.changed.utcoffset().total_seconds() == 0


def test_long_base_address_refuses_only_its_relative_links():
    links = "".join(f"<a href={n}.html>{n}篇</a>" for n in range(20_000))
    page = f"<base href='{SITE}/{'b' * 30_000}/'>{links}<a href='{SITE}/2026/1.html'>候鸟</a>"
    links = ask("section", page)
    assert [link.url for link in links.texts] == [f"{SITE}/2026/1.html"]
    assert links.refused == {"long-address": 20_000}


def test_excluded_or_unfollowed_links_are_omitted():
    feed = "".join(f"<item><link>/{name}/{n}</link></item>" for name in ("a", "b") for n in (1, 2))
    links = ask("feed", f"<rss>{feed}</rss>", follow="/a/", exclude="2$")
    assert [link.url for link in links.texts] == [f"{SITE}/a/1"]
    with pytest.raises(TimeoutError):
        ask("feed", f"<rss><item><link>/{'a' * 60}!</link></item></rss>", follow=r"(a+)+$|(aa|a)*\1b")


def test_search_lists_its_results():
    results = [
        {"url": f"{SITE}/1?utm_source=x"},
        {"url": f"{SITE}/1"},
        {"url": "ftp://x/"},
        {"title": "x"},
        3,
    ]
    links = ask("search", json.dumps({"results": results}))
    assert ([link.url for link in links.texts], links.refused) == ([f"{SITE}/1"], {"not-an-address": 1})


def links_of(kind, body, **options):
    return [link.url for link in ask(kind, body, **options).texts]


PROSE = "渡口的灯在雨夜里亮着，老船工把竹篙往石上一点，对岸有人唤了三声。" * 9
PAGE = f"<html><title>渡口</title><link rel=stylesheet href=a.css><body><p>{PROSE}</p></body></html>"


def test_page_is_extracted_traced_and_named_its_sheets():
    data = PAGE.encode("gb18030")
    page = PageQuestion(data, f"{SITE}/1.html", "gbk").answer()
    assert page == extract(data, url=f"{SITE}/1.html", declared="gbk")
    assert page.text == PROSE
    spans = TraceQuestion(PROSE, data, "", "gbk").answer()
    assert spans == tuple(trace(PROSE, [data], declared="gbk"))
    assert PAGE[spans[0].source_start : spans[0].source_end] == PROSE
    assert SheetsQuestion(data, f"{SITE}/1.html").answer() == (f"{SITE}/a.css",)


def test_only_visibility_rules_of_a_sheet_are_kept():
    sheet = ".a{cursor:pointer} .b{display:none}"
    assert RulesQuestion(sheet, f"{SITE}/a.css").answer() == ".b{display:none}\n"


SECTION = (
    "<a href=/2026/1.html>候鸟</a><a href=/2026/2.html?utm_source=x>湿地</a><a href=/about>关于</a>"
    "<a href=http://y.example/2026/3.html>别家</a><a href=/list/2>下一页</a>"
)


def test_section_names_its_articles_and_its_next_page():
    links = ask("section", SECTION)
    assert [link.url for link in links.texts] == [f"{SITE}/2026/1.html", f"{SITE}/2026/2.html"]
    assert links.lists == (Link(f"{SITE}/list/2"),)
    assert links.refused == {}


def test_catalogue_names_its_chapters_and_its_next_page():
    chapters = "".join(f"<a href=/b/9/{number}.html>第{number}章</a>" for number in (2, 1, 2))
    links = ask("catalogue", f"{chapters}<a href=/b/9_2/>下一页</a>")
    assert [link.url for link in links.texts] == [f"{SITE}/b/9/1.html", f"{SITE}/b/9/2.html"]
    assert links.lists == (Link(f"{SITE}/b/9_2/"),)


def test_site_names_all_of_its_links_without_tracking_and_no_next_page():
    links = ask("site", SECTION)
    paths = ("/2026/1.html", "/2026/2.html", "/about", "/list/2")
    assert [link.url for link in links.texts] == [SITE + path for path in paths]
    assert links.lists == ()
    assert links_of("site", SECTION, follow="2026") == [SITE + path for path in paths[:2]]


def test_page_without_elements_names_nothing():
    assert ask("section", "") == LinkList()


def test_next_page_is_a_list_that_may_be_excluded():
    assert ask("section", SECTION, exclude="/list/").lists == ()
    assert links_of("section", SECTION, exclude="1.html") == [f"{SITE}/2026/2.html"]


def test_sitemap_index_lists_sitemaps_regardless_of_text_patterns():
    index = f"<sitemapindex><sitemap><loc>{SITE}/a.xml</loc></sitemap></sitemapindex>"
    links = ask("sitemap", index, follow="never")
    assert (links.texts, links.lists) == ((), (Link(f"{SITE}/a.xml"),))


def test_truncated_list_is_counted():
    assert ask("sitemap", f"<urlset><url><loc>{SITE}/1</loc></url>").refused == {CUT_SHORT: 1}


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"results": 3}', "[" * 100_000, "<html>"])
def test_invalid_search_answer_is_reported(body):
    with pytest.raises(NotASearch) as raised:
        ask("search", body)
    assert raised.value.reason == "not-a-search"
