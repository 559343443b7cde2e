"""Packages of real pages of every kind are computed again from what they carry, and come out the same."""

import json
from contextlib import closing
from functools import partial

import pytest
from support.browsers import require_browser
from support.loading import raw, stored_corpus
from support.sample_novels import CHAPTERS, STRANGER
from support.watched import NOVEL, chapter, compare_all
from support.webserver import Reply, anchors

from storage.records import Source
from tracker.corpus.chapters import ChapterSection
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services
TEXTS = CHAPTERS[NOVEL][:2]


@pytest.fixture(autouse=True)
def _novel(stores, redis_client):
    """Two chapters that are protected."""
    corpus = stored_corpus(stores, redis_client)
    corpus.load(raw(*(ChapterSection(f"第{n}章", text) for n, text in enumerate(TEXTS, 1)), title=NOVEL))
    corpus.index_all()


@pytest.fixture
def verified(settings, pindna, tmp_path, monkeypatch):
    """A function that compares what was crawled, exports the only case, and verifies it without services.

    It returns how many pages the case has.
    """
    monkeypatch.setattr("analysis.words.printing.has_driver", lambda: False)  # printing has tests of its own
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


def test_joined_gbk_and_revisited_pages_verify(verified, crawl, site, stores):
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
def test_rendered_page_verifies(verified, crawl, site, stores):
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


def roles_of(page):
    return [added.role for added in page.added_snapshots]


def stored(stores):
    (page,) = stores.pages.all()
    return stores.pages.get(page.id)


def test_copy_in_a_frame_verifies_from_the_frames_document(verified, crawl, site, stores):
    frame = '<iframe width=900 height=600 src="/copy.html"></iframe>'
    site.pages = {
        "/robots.txt": Reply(status=404),
        "/1.html": chapter(STRANGER, "竹坞旧事").replace("<nav>", f"<div class=a>{frame}</div><nav>"),
        "/copy.html": chapter(TEXTS[0], "第一章"),
    }
    crawl(Source(name="u", kind="urls", start_urls=(f"{site.url}/1.html",), render=False))
    page = stored(stores)
    assert TEXTS[0].splitlines()[0] not in page.text
    assert (len(page.text_snapshots), len(page.snapshots), roles_of(page)) == (1, 2, ["frame"])
    assert verified() == 1
    (match,) = stores.matches.of_page(page.id)
    assert (match.part, {piece.reason for piece in match.found_in}) == ("rest", {"frame"})


def putting(path):
    """A script that puts what a path answers in the place of a page's body."""
    return f"<script>fetch('{path}').then(a => a.text()).then(t => document.body.innerHTML = t)</script>"


@pytest.fixture
def crawl_in_browser(crawl, site):
    """A function that crawls a page as it is without a browser and in one."""
    require_browser()

    def run(body, **pages):
        others = {f"/{name}.html": page for name, page in pages.items()}
        site.pages = {"/robots.txt": Reply(status=404), "/1.html": body, **others}
        source = Source(name="u", kind="urls", start_urls=(f"{site.url}/1.html",), render="auto")
        _, counts = crawl(source, PINDNA_CRAWLER__MAX_RENDERED_PAGES="9")
        assert counts["rendered"] == 1

    return run


@pytest.mark.long
def test_copy_that_only_the_browsers_reading_has_verifies(verified, crawl_in_browser, stores):
    body = chapter(STRANGER, "竹坞旧事").replace("</body>", f"{putting('/copy.html')}</body>")
    crawl_in_browser(body, copy=chapter(TEXTS[0], "第一章"))
    page = stored(stores)
    assert TEXTS[0].splitlines()[0] in page.text
    assert STRANGER.splitlines()[0] in page.rest
    assert roles_of(page) == ["plain"]
    assert verified() == 1


@pytest.mark.long
def test_copy_that_a_script_takes_off_the_page_verifies_with_a_frame(verified, crawl_in_browser, stores):
    frame = "<iframe width=900 height=600 src='/frame.html'></iframe>"
    body = chapter(TEXTS[0], "竹坞旧事").replace("</body>", f"{frame}{putting('/new.html')}</body>")
    crawl_in_browser(body, new=chapter(STRANGER, "竹坞旧事"), frame=chapter(TEXTS[1], "第二章"))
    page = stored(stores)
    assert TEXTS[0].splitlines()[0] not in page.text
    assert roles_of(page) == ["plain", "frame"]
    assert verified() == 1
    assert {match.part for match in stores.matches.of_page(page.id)} == {"rest"}


@pytest.mark.long
def test_copy_that_a_browser_shows_on_a_list_verifies(verified, crawl_in_browser, stores):
    lines = enumerate(TEXTS[0].splitlines())
    links = "".join(f"<li><a href='/{number}.html'>{line[:30]}</a></li>" for number, line in lines if line)
    body = chapter(STRANGER, "竹坞旧事").replace("</body>", f"{putting('/list.html')}</body>")
    crawl_in_browser(body, list=f"<ul>{links}</ul>")
    page = stored(stores)
    assert STRANGER.splitlines()[0] in page.text
    assert roles_of(page) == ["browser"]
    assert verified() == 1
