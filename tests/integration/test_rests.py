"""A copy that a page has only outside its article, from the crawl to the case and the evidence package."""

import json
from contextlib import closing
from functools import partial
from itertools import count

import pytest
from support.compared import compare_page
from support.loading import raw, stored_corpus
from support.rulings import dismiss
from support.sample_novels import CHAPTERS, STRANGER
from support.webserver import Reply

from storage.collections.cases import case_id
from storage.records import Source
from system.sites import site_of_host
from tracker.corpus.chapters import ChapterSection
from tracker.judgement.cases import refresh_cases
from tracker.review.decisions import reopen
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services
COPY = CHAPTERS["青灯渡"][0]
MENU = "<div class=menu><a>首页</a><a>玄幻小说</a><a>我的书架</a></div>"


def paragraphs(text):
    return "".join(f"<p>{line}</p>" for line in text.splitlines() if line)


def page_with(hidden):
    """A page with an article and another text that a style hides."""
    head = "<head><meta charset=utf-8><title>竹坞旧事</title></head>"
    article = f"<article><h1>竹坞旧事</h1>{paragraphs(STRANGER)}</article>"
    return f"<html>{head}<body>{MENU}{article}<div class=b style='display:none'>{hidden}</div></body></html>"


@pytest.fixture
def visit(stores, redis_client, settings, site, crawl):
    """A function that crawls the page and compares what waits; returns it as it is stored, and a runtime."""
    corpus = stored_corpus(stores, redis_client)
    corpus.load(raw(ChapterSection("第1章", COPY), title="青灯渡"))
    corpus.index_all()
    site.pages = {"/robots.txt": Reply(status=404)}
    scans = count(1)
    source = Source(name="u", kind="urls", start_urls=(f"{site.url}/1.html",))

    def see(hidden):
        site.pages["/1.html"] = page_with(hidden)
        crawl(source, f"s{next(scans)}")
        token, ids, _ = stores.pages.reserve_fetched(count=100, lease_s=60)
        token, pages = stores.pages.claim_many(ids, token=token, lease_s=60)
        for page in pages:
            assert compare_page(page, stores, runtime.corpus(), token=token, lease_s=60)
        (page,) = stores.pages.all()
        refresh_cases(stores, [(1, site_of_host(page.host))])
        return stores.pages.get(page.id)

    with closing(open_runtime(settings)) as runtime:
        yield see


@pytest.fixture
def pindna(pindna, tmp_path):
    """With a data folder, and so a key, of the test's own."""
    return partial(pindna, "--data-dir", tmp_path / "data")


def test_hidden_copy_leads_to_a_match_a_case_and_a_package_that_verifies(visit, stores, pindna, tmp_path):
    page = visit(paragraphs(COPY))
    assert (page.verdict, page.rest_verdict, page.is_doubtful, page.coverage) == ("copy", "copy", True, 0.0)
    (match,) = stores.matches.of_page(page.id)
    assert (match.part, match.verdict) == ("rest", "copy")
    assert {piece.reason for piece in match.found_in} == {"hidden"}
    assert all("div.b" in piece.place for piece in match.found_in)
    case = stores.cases.get(case_id(1, page.site))
    assert (case.verdict, case.pages) == ("copy", 1)
    done = json.loads(pindna("evidence", "export", case.name, "--json").stdout)
    shown = json.loads(pindna("evidence", "verify", tmp_path / f"{done['number']}.zip", "--json").stdout)
    assert [own["differences"] for own in shown["matches"]] == [[]]
    assert (shown["intact"], shown["result"]) == (True, "same")


def test_decision_holds_when_the_rest_changes_and_ends_with_the_copy(visit, stores):
    page = visit(paragraphs(COPY))
    (match,) = stores.matches.of_page(page.id)
    dismiss(match, stores, reason="授权转载", by="lin")
    assert stores.pages.get(page.id).verdict == "clear"
    assert stores.cases.get(case_id(1, page.site)).state == "dismissed"
    again = visit(paragraphs(COPY) + "<p>另有一句不同的话，写在别处。</p>")
    assert (again.id, again.state, again.verdict) == (page.id, "compared", "clear")
    assert "另有一句不同的话" in again.rest
    (match,) = stores.matches.of_page(page.id)
    assert match.review == "dismissed"
    reopen(match, stores, by="lin")
    assert visit(paragraphs(COPY)).verdict == "copy"
    gone = visit("<p>敬请期待。</p>")
    assert (gone.id, gone.verdict, gone.rest_verdict, gone.is_doubtful) == (page.id, "clear", "clear", False)
    assert stores.matches.of_page(page.id) == []
    assert [look.state for look in stores.looks.of_url(page.url)] == ["up", "changed"]
    assert stores.cases.get(case_id(1, page.site)).pages == 0
