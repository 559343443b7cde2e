"""A source with ``render = "auto"``: pages that need a browser are shown in one, and no others."""

import io
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.browsers import require_browser
from support.processes import environment_of, processes_of
from support.webserver import article, web_site
from warcio.archiveiterator import ArchiveIterator

from storage.records import Scan, Source, utc_now
from tracker.scans.scanning import unvisited_counts

pytestmark = pytest.mark.services
ROOT = Path(__file__).parents[2]
COPY = "编号701的候鸟"


@pytest.fixture
def site():
    with web_site() as running:
        yield running


@pytest.fixture
def crawl(stores, settings):
    """Crawl addresses of the site in a new scan; returns the counts and what was imported."""

    def run(*urls, scan="s1", kind="urls", **env):
        source = Source(name="auto", kind=kind, start_urls=urls, concurrency=1, render="auto")
        stores.sources.save(source)
        stores.scans.open(Scan(id=scan, trigger="hand", sources=(source.name,), started=utc_now()))
        with tempfile.TemporaryDirectory(prefix="crawl-") as scratch:
            own = {"PINDNA_CRAWLER__RETRIES": "0", "PINDNA_CRAWLER__MAX_RENDERED_PAGES": "50"}
            done = subprocess.run(
                [
                    *(sys.executable, "-X", "importtime", "-m", "crawler"),
                    *("--source", source.name, "--scan", scan, "--crawl", f"{scan}:{source.name}"),
                ],
                cwd=ROOT,
                env={**environment_of(settings), **own, "TMPDIR": scratch, **env},
                capture_output=True,
                text=True,
                timeout=200,
                check=False,
            )
            assert "Traceback" not in done.stderr
            assert done.returncode == 0, done.stderr[-2000:]
            assert not processes_of(Path(scratch))
        imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        return stores.scans.crawls(scan)[0].counts, imported

    return run


def with_copy(path, *, seed=1):
    """A page with an article, below which a script puts another one."""
    script = (
        f"<div id=more></div><script>fetch('{path}').then(a => a.text())"
        ".then(t => document.getElementById('more').innerHTML = t)</script>"
    )
    return article("河谷来信", seed=seed).replace("</article>", f"</article>{script}")


def stored_paths(stores):
    return [urlsplit(page.url).path for page in stores.pages.all() if page.state == "fetched"]


def page_of(stores, url):
    (page,) = stores.pages.versions(url)
    return page


def test_copy_that_a_script_loads_is_read_and_both_responses_are_kept(stores, crawl, site):
    require_browser()
    site.pages.update({"/1.html": with_copy("/copy"), "/copy": article("候鸟", seed=7)})
    url = f"{site.url}/1.html"
    counts, _ = crawl(url)
    page = page_of(stores, url)
    assert counts["rendered"] == 1
    assert COPY in f"{page.text}\n{page.rest}"
    assert "编号101的候鸟" in f"{page.text}\n{page.rest}"
    assert "scripts" not in page.unread
    (rendered,) = page.snapshots
    kinds = {}
    for capture in stores.captures.of_url(url):
        warc = stores.snapshots.get(capture.sha256).warc
        kinds[capture.sha256] = {each.rec_type for each in ArchiveIterator(io.BytesIO(warc))}
    assert kinds.pop(rendered) == {"response", "request", "conversion"}
    assert list(kinds.values()) == [{"response", "request"}]


def test_without_a_browser_the_page_says_that_scripts_were_not_run(stores, crawl, site, tmp_path):
    site.pages.update({"/1.html": with_copy("/copy"), "/copy": article("候鸟", seed=7)})
    counts, imported = crawl(
        f"{site.url}/1.html", PINDNA_CRAWLER__BROWSER_PATH=str(tmp_path / "no-such-browser")
    )
    page = page_of(stores, f"{site.url}/1.html")
    assert counts.get("rendered", 0) == 0
    assert COPY not in f"{page.text}\n{page.rest}"
    assert page.unread["scripts"] >= 1
    assert "playwright" not in imported


def test_daily_render_limit_holds_across_crawls_and_the_rest_stays_unread(stores, crawl, site):
    require_browser()
    pages = {f"/{n}.html": with_copy("/copy", seed=n) for n in range(1, 4)}
    site.pages.update({**pages, "/copy": article("候鸟", seed=7)})
    urls = [f"{site.url}/{n}.html" for n in range(1, 4)]
    counts, _ = crawl(*urls, PINDNA_CRAWLER__MAX_RENDERED_PAGES="2")
    assert (counts["rendered"], counts["not_rendered"]) == (2, 1)
    unread = [page_of(stores, url) for url in urls if "scripts" in page_of(stores, url).unread]
    assert len(unread) == 1
    counts, _ = crawl(*urls, scan="s2", PINDNA_CRAWLER__MAX_RENDERED_PAGES="2")
    # The page that was not shown before is unchanged: it is not read again, and keeps what it lacks.
    assert (counts.get("rendered", 0), counts["not_rendered"], counts["unchanged"]) == (0, 2, 1)
    assert "scripts" in page_of(stores, unread[0].url).unread


def test_crawl_without_a_text_neither_starts_nor_imports_a_browser(crawl, site):
    require_browser()
    site.pages["/1.html"] = "<p>关于我们</p>"
    _, imported = crawl(f"{site.url}/1.html")
    assert "scrapy" in imported
    assert "playwright" not in imported


def test_browser_that_does_not_start_costs_no_page(stores, crawl, site, tmp_path):
    require_browser()
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n", encoding="ascii")
    broken.chmod(0o755)
    site.pages["/1.html"] = article("河谷来信", seed=1)
    counts, _ = crawl(f"{site.url}/1.html", PINDNA_CRAWLER__BROWSER_PATH=str(broken))
    assert page_of(stores, f"{site.url}/1.html").state == "fetched"
    assert counts.get("rendered", 0) == 0


def test_catalogue_that_a_script_makes_names_its_chapters(stores, crawl, site):
    require_browser()
    made = (
        "let n = 0; const add = () => { for (const end = n + 2; n < end;)"
        " list.insertAdjacentHTML('beforeend', `<li><a href=/c/${++n}.html>第${n}章 候鸟</a></li>`);"
        " if (n === 6) more.remove(); }; more.onclick = add; add()"
    )
    other = "<button onclick='list.remove()'>查看目录</button>"
    button = f"{other}<a id=more href='javascript:;'>加载更多</a>"
    site.pages["/"] = (
        f"<html><meta charset=utf-8><h1>候鸟</h1><ul id=list></ul>{button}<script>{made}</script></html>"
    )
    site.pages |= {f"/c/{n}.html": article(f"第{n}章 候鸟", seed=n) for n in range(1, 7)}
    counts, _ = crawl(f"{site.url}/", kind="novel")
    assert sorted(stored_paths(stores)) == [f"/c/{n}.html" for n in range(1, 7)]
    assert (counts["found"], counts.get("left:no-texts", 0), counts.get("left:catalogue", 0)) == (6, 0, 0)


@pytest.mark.parametrize("kind", ["novel", "site"])
def test_start_page_from_which_no_text_is_reached_is_reported(stores, crawl, site, kind):
    require_browser()
    listed = "".join(f"<li onclick='open_chapter({n})'>第{n}章 候鸟</li>" for n in (1, 2, 3))
    site.pages["/"] = f"<html><meta charset=utf-8><h1>候鸟</h1>{listed}<script>0</script></html>"
    for scan in ("s1", "s2"):  # the page is unchanged in the second crawl
        counts, _ = crawl(f"{site.url}/", kind=kind, scan=scan)
        assert counts["left:no-texts"] == 1
        assert unvisited_counts(stores.scans.crawls(scan)) == {"no-texts": 1}
