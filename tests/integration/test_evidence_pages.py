"""Packages of real pages of every kind are computed again from what they carry, and come out the same."""

import json
from contextlib import closing
from functools import partial

import pytest
from support.browsers import require_browser
from support.loading import raw, stored_corpus
from support.sample_novels import CHAPTERS
from support.watched import NOVEL, chapter, compare_all
from support.webserver import Reply, anchors

from storage.records import Source
from tracker.corpus.chapters import Section
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services
TEXTS = CHAPTERS[NOVEL][:2]


@pytest.fixture(autouse=True)
def _novel(stores, redis_client):
    """Two chapters that are protected."""
    corpus = stored_corpus(stores, redis_client)
    corpus.load(raw(*(Section(f"第{n}章", text) for n, text in enumerate(TEXTS, 1)), title=NOVEL))
    corpus.index_all()


@pytest.fixture
def verified(settings, pindna, tmp_path, monkeypatch):
    """A function that compares what was crawled, exports the only case, and verifies it without services.

    It returns how many pages the case has.
    """
    monkeypatch.setattr("analysis.printing.has_driver", lambda: False)  # printing has tests of its own
    run = partial(pindna, "--data-dir", tmp_path / "data", "evidence")

    def verify():
        with closing(open_runtime(settings)) as runtime:
            compare_all(runtime.stores, runtime.corpus())
            (case,) = runtime.stores.cases.listed()
        done = json.loads(run("export", case.name, "--json", status=4).stdout)
        assert [problem["kind"] for problem in done["problems"]] == ["no-pdf"]
        with monkeypatch.context() as patch:
            patch.setenv("PINDNA_STORAGE__MONGO_URL", "mongodb://127.0.0.1:1")
            shown = json.loads(run("verify", tmp_path / f"{done['number']}.zip", "--json").stdout)
        assert (shown["intact"], shown["result"]) == (True, "same")
        assert not [match for match in shown["matches"] if match["differences"]]
        return case.pages

    return verify


def test_joined_pages_gbk_and_what_was_seen_again_verify(verified, crawl, site, stores):
    first, second = TEXTS
    lines = first.splitlines()
    half = len(lines) // 2
    gbk = chapter(second, "第二章").replace("charset=utf-8", "charset=gbk").encode("gb18030")
    site.pages = {
        "/robots.txt": Reply(status=404),
        "/1.html": chapter("\n".join(lines[:half]), "第一章", links=anchors(("/1_2.html", "下一页"))),
        "/1_2.html": chapter("\n".join(lines[half:]), "第一章", links=anchors(("/2.html", "下一章"))),
        "/2.html": Reply(gbk, kind="text/html; charset=gbk"),
        "/again/2.html": Reply(gbk, kind="text/html"),
    }
    paths = ("/1.html", "/2.html", "/again/2.html")
    crawl(Source(name="u", kind="urls", start_urls=tuple(f"{site.url}{path}" for path in paths)))
    joined, read, again = (page for page in sorted(stores.pages.all(), key=lambda page: page.url))
    assert len(joined.snapshots) == 2
    assert second.splitlines()[0] in stores.pages.get(read.id).text
    assert read.snapshots == again.snapshots  # one body, which is kept once
    kept = [capture for page in (read, again) for capture in stores.captures.of_url(page.url)]
    assert sorted(bool(capture.warc) for capture in kept) == [False, True]  # a revisit record has its own
    assert verified() == 3


@pytest.mark.long
def test_a_rendered_page_verifies(verified, crawl, site, stores):
    require_browser()
    html = json.dumps(chapter(TEXTS[0], "第一章"))
    site.pages = {
        "/robots.txt": Reply(status=404),
        "/1.html": f"<html><body><script>document.documentElement.innerHTML = {html}</script></body></html>",
    }
    source = Source(name="r", kind="urls", start_urls=(f"{site.url}/1.html",), render=True, screenshot=True)
    for scan in ("s1", "s2"):
        crawl(source, scan)
    (page,) = stores.pages.all()
    assert TEXTS[0].splitlines()[0] in stores.pages.get(page.id).text
    assert verified() == 1
