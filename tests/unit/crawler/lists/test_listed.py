"""Lists within bounds, whatever strangers write into them."""

import gzip
import json
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.addresses import MAX_ADDRESS_CHARS, LongAddress, absolute_url, canonical, is_web
from crawler.lists.listed import MAX_LISTED, MAX_LISTED_CHARS, Found, Listed, NotAList, within_bounds
from crawler.readers.questions import ListQuestion

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
def test_whatever_a_list_holds_it_is_read_or_is_none(kind, body, packed, declared):
    try:
        found = ask(kind, gzip.compress(body) if packed else body, declared=declared)
    except NotAList:
        return
    assert isinstance(found, Found)
    for each in (*found.texts, *found.lists):
        assert is_web(each.url)
        assert len(canonical(each.url)) <= MAX_ADDRESS_CHARS
        assert each.changed is None or each.changed.utcoffset().total_seconds() == 0


@given(base=st.text(max_size=50), target=st.text(max_size=50) | st.sampled_from(WORDS))
def test_joining_gives_an_address_or_says_that_there_is_none(base, target):
    with suppress(ValueError):
        assert is_web(absolute_url(f"{SITE}/{base}", target))


def test_addresses_are_long_or_not_by_what_is_asked_for_and_by_what_is_stored():
    head = f"{SITE}/"
    assert absolute_url(head, "x" * (MAX_ADDRESS_CHARS - len(head)))
    assert absolute_url(head, f"1.html#{'x' * 9000}") == f"{head}1.html"
    for target in ("x" * (MAX_ADDRESS_CHARS - len(head) + 1), "渡" * 300):
        with pytest.raises(LongAddress):
            absolute_url(head, target)
    for other in ("javascript:" + "x" * 9000, "mailto:a@b", "ftp://x/", ""):
        with pytest.raises(ValueError, match="no http") as raised:
            absolute_url("", other)
        assert not isinstance(raised.value, LongAddress)


def test_a_long_base_refuses_what_hangs_on_it_and_nothing_else():
    links = "".join(f"<a href={n}.html>{n}篇</a>" for n in range(20_000))
    page = f"<base href='{SITE}/{'b' * 30_000}/'>{links}<a href='{SITE}/2026/1.html'>候鸟</a>"
    found = ask("section", page)
    assert [each.url for each in found.texts] == [f"{SITE}/2026/1.html"]
    assert found.refused == {"long-address": 20_000}


def test_a_sitemap_behind_a_long_path_names_nothing_that_is_relative():
    body = "".join(f"<url><loc>{n}</loc></url>" for n in range(1_000))
    found = ask(
        "sitemap", f"<urlset>{body}<url><loc>{SITE}/1</loc></url></urlset>", f"{SITE}/{'p' * 15_000}/s.xml"
    )
    assert (len(found.texts), found.refused) == (1, {"long-address": 1_000})


def test_no_list_names_more_than_it_may():
    refused = Counter()
    some = [Listed(f"{SITE}/{n}") for n in range(MAX_LISTED + 5)]
    assert within_bounds([*some, *some], refused) == tuple(some[:MAX_LISTED])
    assert refused == {"too-many": 5}
    long = [Listed(f"{SITE}/{n:01900}") for n in range(MAX_LISTED_CHARS // 1900)]
    refused = Counter()
    kept = within_bounds(long, refused)
    assert sum(len(each.url) for each in kept) <= MAX_LISTED_CHARS
    assert len(kept) + refused["too-many"] == len(long)


@pytest.mark.parametrize(
    "date", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0000", "2026-99", "9" * 5000]
)
def test_an_extreme_date_is_unknown_and_its_address_kept(date):
    found = ask("sitemap", f"<urlset><url><loc>{SITE}/1</loc><lastmod>{date}</lastmod></url></urlset>")
    assert found.texts == (Listed(f"{SITE}/1"),)


def test_what_is_excluded_or_not_followed_is_left_out():
    feed = "".join(f"<item><link>/{name}/{n}</link></item>" for name in ("a", "b") for n in (1, 2))
    found = ask("feed", f"<rss>{feed}</rss>", follow="/a/", exclude="2$")
    assert [each.url for each in found.texts] == [f"{SITE}/a/1"]
    with pytest.raises(TimeoutError):
        ask("feed", f"<rss><item><link>/{'a' * 60}!</link></item></rss>", follow=r"(a+)+$|(aa|a)*\1b")


def test_a_search_names_what_it_found():
    results = [
        {"url": f"{SITE}/1?utm_source=x"},
        {"url": f"{SITE}/1"},
        {"url": "ftp://x/"},
        {"title": "x"},
        3,
    ]
    found = ask("search", json.dumps({"results": results}))
    assert ([each.url for each in found.texts], found.refused) == ([f"{SITE}/1"], {"not-an-address": 1})


def test_feeds_of_every_family():
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='/self'/><entry><link rel='self' href='/no'/>"
        "<link href='/1.html'/></entry></feed>"
    )
    rdf = "<rdf:RDF xmlns:rdf='r' xmlns='s'><item rdf:about='x'><link>/1.html</link></item></rdf:RDF>"
    guid = "<rss><item><guid>/1.html</guid></item><item><guid isPermaLink='false'>/2</guid></item></rss>"
    broken = "<rss><channel><title>a & b</title><item><title>&nbsp;<b></title><link>/1.html</link></item>"
    for body in (atom, rdf, guid, broken):
        assert [each.url for each in ask("feed", body).texts] == [f"{SITE}/1.html"], body


@pytest.mark.parametrize(
    "reference", ["&#xd800;", "&#x00DfFf;", "&#055296;", "&#0;", "&#x110000;", "&#;", "&x;"]
)
def test_a_reference_to_no_character_spoils_no_list(reference):
    body = f"<urlset>{reference}<url><loc>/{reference}</loc></url><url><loc>/1.html</loc></url></urlset>"
    assert f"{SITE}/1.html" in [each.url for each in ask("sitemap", body).texts]


def test_a_sitemap_is_told_by_its_elements_not_by_what_stands_deeper_in_them():
    body = (
        "\ufeff<urlset xmlns:image='i'><url><image:image><image:loc>/i.jpg</image:loc></image:image>"
        "<loc>\n /1.html </loc></url></urlset>"
    )
    assert [each.url for each in ask("sitemap", body).texts] == [f"{SITE}/1.html"]
