"""Packages of what was found on a real site, by the real stores: whole, checkable, and honest about gaps."""

import io
import json
import zipfile
from contextlib import closing
from functools import partial

import pytest
from support.loading import raw, stored_corpus
from support.sample_novels import CHAPTERS
from support.webserver import Reply
from warcio.archiveiterator import ArchiveIterator

from storage.records import Source
from storage.sites import site_of_host
from tracker.corpus.chapters import Section
from tracker.judgement.cases import refresh_cases
from tracker.runtime import open_runtime
from tracker.scans.pages import compare_page

pytestmark = pytest.mark.services
NOVEL = "青灯渡"


def chapter(text, title):
    paragraphs = "".join(f"<p>{line}</p>" for line in text.splitlines() if line)
    head = f"<head><meta charset=utf-8><title>{title}</title></head>"
    return f"<html>{head}<body><h1>{title}</h1>{paragraphs}</body></html>"


@pytest.fixture
def found(stores, redis_client, settings, site, crawl):
    """Two chapters of a novel that a crawl found on a site, and an open runtime."""
    corpus = stored_corpus(stores, redis_client)
    texts = CHAPTERS[NOVEL]
    corpus.load(raw(*(Section(f"第{n}章", text) for n, text in enumerate(texts, 1)), title=NOVEL))
    corpus.index_all()
    site.pages = {f"/{n}.html": chapter(text, f"第{n}章 渡口") for n, text in enumerate(texts[:2], 1)} | {
        "/robots.txt": Reply(status=404)
    }
    urls = tuple(f"{site.url}/{n}.html" for n in (1, 2))
    crawl(Source(name="u", kind="urls", start_urls=urls))
    with closing(open_runtime(settings)) as runtime:
        token, ids, _ = stores.pages.reserve_fetched(count=100, lease_s=60)
        token, pages = stores.pages.take_many(ids, token=token, lease_s=60)
        for page in pages:
            assert compare_page(page, stores, runtime.corpus(), token=token, lease_s=60)
        refresh_cases(stores, [(1, site_of_host(page.host)) for page in pages])
        yield runtime


def opened(path):
    """The files of a package below its top folder."""
    with zipfile.ZipFile(path) as package:
        (top,) = {name.split("/")[0] for name in package.namelist()}
        assert package.namelist() == sorted(package.namelist())
        return top, {name.removeprefix(f"{top}/"): package.read(name) for name in package.namelist()}


def rows(content):
    return [json.loads(line) for line in content.decode().split("\n") if line]


@pytest.fixture
def pindna(pindna, tmp_path):
    """With a data folder, and so a key, of the test's own."""
    return partial(pindna, "--data-dir", tmp_path / "data")


def test_a_case_is_exported_whole(pindna, found, tmp_path):
    (case,) = found.stores.cases.listed()
    done = json.loads(pindna("evidence", "export", case.name, "--as", "王律师", "--json").stdout)
    assert done["problems"] == []
    top, files = opened(tmp_path / f"{done['number']}.zip")
    assert top == done["number"]
    assert len(rows(files["data/matches.jsonl"])) == done["matches"] == 2
