"""Addresses with one page are joined; a wrong canonical address, or a telling parameter, joins none."""

import asyncio
from types import SimpleNamespace

import pytest
from support.crawl_parts import memory_job
from support.strategies import story

from crawler.pages.outcomes import Text, UnchangedText
from crawler.pages.page_records import PageRecord
from crawler.spiders.page_aliases import PageAliases, canonical_address
from fingerprint.exact import content_hash
from storage.collections.pages import page_id
from storage.records import Page, Visit

SITE = "http://x.example"


def text_of(number):
    return story(200, number)


def answer(path, text, *, kind="chapter"):
    url = SITE + path
    digest = content_hash(text)
    page = Page(
        id=page_id(url, digest), url=url, host="x.example", source="a", kind=kind, text=text,
        content_hash=digest,
    )  # fmt: skip
    return Text(PageRecord(page), url, ())


def naming(path):
    return f'<html><head><link rel="canonical" href="{path}">'.encode()


class Crawl:
    """A crawl of a site: what it joins, and what it asked for to do so."""

    def __init__(self, pages=None, *, visits=None):
        self.asked = []
        stores = None
        if visits is not None:
            stores = SimpleNamespace(visits=SimpleNamespace(get=visits.get))
        self._pages = pages or {}
        self.aliases = PageAliases(memory_job(stores=stores), self._answer_of)

    async def _answer_of(self, url):
        path = url.removeprefix(SITE)
        self.asked.append(path)
        return answer(path, self._pages[path]) if path in self._pages else None

    def join(self, path, text, *, canonical="", kind="chapter"):
        """Return the path under which a page is stored."""
        outcome = answer(path, text, kind=kind)
        joined = asyncio.run(self.aliases.join(outcome, naming(canonical) if canonical else b""))
        assert joined.requested_url == SITE + path
        assert joined.record.page.id == page_id(joined.response_url, joined.record.page.content_hash)
        return joined.response_url.removeprefix(SITE)


def test_page_is_joined_to_its_canonical_address_that_this_crawl_saw():
    crawl = Crawl()
    assert crawl.join("/book/1/50.html", text_of(50)) == "/book/1/50.html"
    assert crawl.join("/chapter/50050.html", text_of(50), canonical="/book/1/50.html") == "/book/1/50.html"
    assert crawl.asked == []


def test_unvisited_canonical_address_is_requested():
    crawl = Crawl({"/b/1.html": text_of(1), "/b/2.html": text_of(9)})
    assert crawl.join("/c/1.html", text_of(1), canonical="/b/1.html") == "/b/1.html"
    assert crawl.join("/d/2.html", text_of(2), canonical="/b/2.html") == "/d/2.html"
    assert crawl.join("/e/3.html", text_of(3), canonical="/b/404.html") == "/e/3.html"
    assert crawl.asked == ["/b/1.html", "/b/2.html", "/b/404.html"]


def test_site_with_a_wrong_canonical_address_loses_no_chapter():
    for wrong, text in (("/", "首页"), ("/b/1.html", text_of(1))):
        crawl = Crawl({wrong: text})
        joined = [
            crawl.join(f"/b/{number}.html", text_of(number), canonical=wrong) for number in range(1, 30)
        ]
        assert joined == [f"/b/{number}.html" for number in range(1, 30)]
        assert len(crawl.asked) <= 1


def test_script_without_its_query_is_no_canonical_address_of_chapters():
    crawl = Crawl({"/read.php": text_of(0)})
    for number in range(1, 9):
        path = f"/read.php?id={number}"
        assert crawl.join(path, text_of(number), canonical="/read.php") == path


def test_address_pairs_are_trusted_after_three_texts():
    crawl = Crawl({f"/b/{number}.html": text_of(number) for number in range(4)})
    for number in range(9):
        path = f"/amp/{number}.html"
        assert crawl.join(path, text_of(number), canonical=f"/b/{number}.html") == f"/b/{number}.html"
    assert crawl.asked == [f"/b/{number}.html" for number in range(3)]
    assert crawl.join("/amp/99.html", text_of(99), canonical="/b/8.html") == "/amp/99.html"
    assert (
        crawl.join("/amp/98.html", text_of(98), canonical="/b/98.html") == "/amp/98.html"
    )  # no trust any more


def test_earlier_crawl_gives_the_text_of_an_address():
    target = f"{SITE}/b/1.html"
    visits = {target: Visit(url=target, source="a", page_id="p", content_hash=content_hash(text_of(1)))}
    crawl = Crawl(visits=visits)
    assert crawl.join("/c/1.html", text_of(1), canonical="/b/1.html") == "/b/1.html"
    assert crawl.join("/c/2.html", text_of(2), canonical="/b/1.html") == "/c/2.html"
    assert crawl.asked == []


@pytest.mark.parametrize(("state", "stored_under"), [("there", "/c/1.html"), ("moved", "/b/1.html")])
def test_address_with_a_history_keeps_it(state, stored_under):
    alias = f"{SITE}/c/1.html"
    visits = {alias: Visit(url=alias, source="a", page_id="p", content_hash="h", state=state)}
    crawl = Crawl({"/b/1.html": text_of(1)}, visits=visits)
    assert crawl.join("/c/1.html", text_of(1), canonical="/b/1.html") == stored_under


@pytest.mark.parametrize(("text", "kind"), [(story(60, 1), "chapter"), (text_of(1), "list")])
def test_short_texts_and_lists_are_not_joined(text, kind):
    crawl = Crawl({"/b/1.html": text})
    assert crawl.join("/c/1.html", text, canonical="/b/1.html", kind=kind) == "/c/1.html"


def lines_of(first, last):
    return "\n".join(f"第{number}行：{story(60, number)}" for number in range(first, last))


@pytest.mark.parametrize(
    ("whole", "kind", "stored_under"),
    [
        (lines_of(0, 9), "chapter", "/book/5.html"),
        (lines_of(0, 9), "incomplete", "/c/5.html"),
        (lines_of(1, 9), "chapter", "/c/5.html"),
    ],
)
def test_partial_text_is_joined_to_the_address_with_the_whole_text(whole, kind, stored_under):
    requested = []

    async def answer_of(url):
        requested.append(url)
        return answer("/book/5.html", whole, kind=kind)

    partial = answer("/c/5.html", lines_of(0, 5), kind="incomplete")
    joined = asyncio.run(PageAliases(memory_job(), answer_of).join(partial, naming("/book/5.html")))
    assert (joined.response_url, joined.requested_url) == (SITE + stored_under, partial.requested_url)
    assert joined.record.page.text == (whole if stored_under == "/book/5.html" else partial.record.page.text)
    assert requested == [f"{SITE}/book/5.html"]


def test_partial_text_of_a_stored_page_is_the_same_page():
    target = f"{SITE}/book/5.html"
    whole = answer("/book/5.html", lines_of(0, 9)).record.page
    visit = Visit(url=target, source="a", page_id=whole.id, content_hash=whole.content_hash)
    stores = SimpleNamespace(
        visits=SimpleNamespace(get={target: visit}.get), pages=SimpleNamespace(get={whole.id: whole}.get)
    )
    aliases = PageAliases(memory_job(stores=stores), None)
    partial = answer("/c/5.html", lines_of(0, 5), kind="incomplete")
    joined = asyncio.run(aliases.join(partial, naming("/book/5.html")))
    assert isinstance(joined, UnchangedText)
    assert (joined.visit, joined.requested_url) == (visit, partial.requested_url)
    other = answer("/c/5.html", lines_of(20, 25), kind="incomplete")
    assert asyncio.run(aliases.join(other, naming("/book/5.html"))) is other


def learn_idle(crawl, count=3):
    for number in range(count):
        for token in ("a7", "b8"):
            crawl.join(f"/read?id={number}&tk={token}", text_of(number))


def test_idle_parameter_is_learnt_and_removed():
    crawl = Crawl({f"/read?id={number}": text_of(number) for number in range(99)})
    learn_idle(crawl, 2)
    assert crawl.aliases.shorten(f"{SITE}/read?id=5&tk=z") == f"{SITE}/read?id=5&tk=z"
    learn_idle(crawl)
    assert crawl.aliases.shorten(f"{SITE}/read?id=5&tk=z") == f"{SITE}/read?id=5"
    assert crawl.aliases.shorten("http://y.example/read?id=5&tk=z") == "http://y.example/read?id=5&tk=z"
    assert crawl.join("/read?id=7&tk=q", text_of(7)) == "/read?id=7"


def test_address_without_the_parameter_counts_as_another_value():
    crawl = Crawl()
    for number in range(3):
        crawl.join(f"/{number}.html", text_of(number))
        crawl.join(f"/{number}.html?x=1", text_of(number))
    assert crawl.aliases.shorten(f"{SITE}/8.html?x=2") == f"{SITE}/8.html"


def test_parameter_that_ever_distinguished_texts_is_never_idle():
    crawl = Crawl()
    learn_idle(crawl)
    crawl.join("/read?id=9&tk=a", text_of(8))
    crawl.join("/read?id=9&tk=b", text_of(9))
    assert crawl.aliases.shorten(f"{SITE}/read?id=5&tk=z") == f"{SITE}/read?id=5&tk=z"


def test_notice_under_many_ids_makes_no_id_idle():
    crawl = Crawl()
    for number in range(9):
        crawl.join(f"/read?id={number}", text_of(0))
    assert crawl.aliases.shorten(f"{SITE}/read?id=5") == f"{SITE}/read?id=5"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<link rel="canonical" href="/b/1.html">', "/b/1.html"),
        ("<LINK HREF='/b/1.html?spm=1' REL=canonical />", "/b/1.html"),
        ('<link rel="canonical" href="/b?a=1&amp;b=2">', "/b?a=1&b=2"),
        ('<link rel="stylesheet" href="/a.css"><link href=/b/1.html rel=canonical>', "/b/1.html"),
        ('<link rel="alternate" href="/b/1.html">', ""),
        ('<link rel="canonical" href="http://other.example/b/1.html">', ""),
        ('<link rel="canonical" href="">', "/c/1.html"),  # this page
        ('<link rel="canonical">', ""),
        ('<link rel="canonical" href="javascript:void(0)">', ""),
        ("x" * 70_000 + '<link rel="canonical" href="/b/1.html">', ""),
    ],
)
def test_page_names_its_canonical_address_in_its_head(head, expected):
    result = canonical_address(head.encode(), url=f"{SITE}/c/1.html")
    assert result == (SITE + expected if expected else "")
