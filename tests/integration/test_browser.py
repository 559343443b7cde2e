"""Sources rendered in a real browser: what their scripts show is read, and kept as evidence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from browsers import a_browser
from tests_support import environment_of
from webserver import anchors, article, web_site

from storage.records import Scan, Source, utc_now

pytestmark = pytest.mark.services
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _browser():
    a_browser()


@pytest.fixture
def site():
    with web_site() as running:
        yield running


def scripted(title, *, seed=0):
    """A page whose text is only there once its script ran, and asked the site for it."""
    return (
        f"<html><head><meta charset=utf-8><title>{title}</title></head><body><div id=text></div><script>"
        f"fetch('/text/{seed}').then(a => a.text()).then(t => document.getElementById('text').innerHTML = t)"
        "</script></body></html>"
    )


def chapters(count):
    """A novel whose catalogue and chapters are both made by scripts."""
    links = anchors(*((f"/book/{n}.html", f"第{n}章 渡口") for n in range(1, count + 1)))
    pages = {
        "/book/": "<html><head><meta charset=utf-8></head><body><script>document.body.innerHTML = "
        f"{json.dumps(links)}</script></body></html>"
    }
    for n in range(1, count + 1):
        pages[f"/book/{n}.html"] = scripted(f"第{n}章 渡口", seed=n)
        pages[f"/text/{n}"] = article(f"第{n}章 渡口", seed=n)
    return pages


@pytest.fixture
def crawl(stores, settings):
    """Crawl a source in a new scan; returns the process's result and the counts."""

    def run(source, scan="s1", **env):
        stores.sources.save(source)
        stores.scans.open(Scan(id=scan, trigger="hand", sources=(source.name,), started=utc_now()))
        command = [sys.executable, "-m", "crawler", "--source", source.name, "--scan", scan]
        result = subprocess.run(
            [*command, "--crawl", f"{scan}:{source.name}"],
            cwd=ROOT,
            env={**environment_of(settings), "PINDNA_CRAWLER__RETRIES": "0", **env},
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )
        assert "Traceback" not in result.stderr, result.stderr
        return result, stores.scans.crawls(scan)[0].counts

    return run


def test_a_novel_made_by_scripts_is_read_with_pictures(stores, crawl, site):
    site.pages.update(chapters(3))
    novel = Source(
        name="novel", kind="novel", start_urls=(f"{site.url}/book/",), render=True, screenshot=True
    )
    result, counts = crawl(novel)
    assert result.returncode == 0, result.stderr
    print(counts, result.stderr)
    pages = [each for each in stores.pages.all() if each.state == "fetched"]
    assert len(pages) == 3
