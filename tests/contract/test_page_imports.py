"""Imported pages are stored like crawled ones, with evidence that says that others captured them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support.captured_files import DATE, FILES, SOFTWARE, URL, warc

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.actions.page_imports import NoCapturedPages, import_pages
from crawler.pages.verifying import Verifier
from crawler.pages.warc_reading import read_back
from storage.records import Account, Page, utc_now
from tracker.queue import Queue
from tracker.runtime import Runtime

pytestmark = pytest.mark.services
OPERATOR = identity_of(Account(name="op", role="operator"))
ANALYST = identity_of(Account(name="an", role="analyst"))
CAPTURED = datetime.fromisoformat(DATE)


@pytest.fixture
def runtime(stores, settings, redis_client, guard):
    runtime = Runtime(settings, stores, redis_client, guard, Queue(settings.storage))
    yield runtime
    runtime.queue.close()


def load(runtime, path, data, identity=OPERATOR):
    path.write_bytes(data)
    records = []
    summary = import_pages(identity, runtime, path, report=records.extend)
    return summary, records


@pytest.mark.parametrize("name", ["warc.gz", "mhtml"])
def test_page_is_stored_with_its_date_origin_and_evidence(name, runtime, tmp_path):
    summary, records = load(runtime, tmp_path / "file", FILES[name])
    (found,) = [record for record in records if record.result == "new"]
    page = runtime.stores.pages.get(found.page_id)
    assert (page.url, page.state, page.first_seen) == (URL, "fetched", CAPTURED)
    assert (page.imported.captured, page.imported.by, page.imported.file) == (CAPTURED, "op", "file")
    assert summary.counts["new"] == 1
    (capture,) = runtime.stores.captures.of_url(URL)
    assert capture.imported.captured_by == {"warc.gz": SOFTWARE, "mhtml": "Blink"}[name]
    assert Verifier(runtime.stores).check(capture).state == "unchanged"
    exchange = read_back(runtime.stores.snapshots.get(capture.sha256).warc, sha256=capture.sha256)
    assert bool(exchange.request) == (name == "warc.gz")  # a request is never invented


def test_older_capture_never_replaces_what_pindna_saw(runtime, tmp_path):
    now = utc_now()
    crawled = Page(
        id="p1", url=URL, host="copies.example", source="x", kind="article", text="另一篇", content_hash="h"
    )
    runtime.stores.pages.see_many([replace(crawled, first_seen=now, last_seen=now)])
    _, records = load(runtime, tmp_path / "file", warc())
    standings = {page.id: page.standing for page in runtime.stores.pages.versions(URL)}
    assert standings["p1"] == "current"
    assert standings[records[0].page_id] == "replaced"


def test_earlier_capture_dates_the_first_sight_of_a_version(runtime, tmp_path):
    _, records = load(runtime, tmp_path / "late", warc(date="2024-01-01T00:00:00Z"))
    load(runtime, tmp_path / "early", warc())
    again, _ = load(runtime, tmp_path / "early", warc())
    assert again.counts["known"] == 1
    page = runtime.stores.pages.get(records[0].page_id)
    assert page.first_seen == CAPTURED
    assert page.last_seen == datetime(2024, 1, 1, tzinfo=UTC)
    assert page.imported.file == "early"
    assert page.first_seen < utc_now() - timedelta(days=1)


def test_capture_by_another_program_does_not_date_what_pindna_saw(runtime, tmp_path):
    _, records = load(runtime, tmp_path / "file", warc(date="2024-01-01T00:00:00Z"))
    page_id = records[0].page_id
    seen = utc_now()
    pages = runtime.stores.database["pages"]
    pages.update_one({"_id": page_id}, {"$set": {"imported": None, "first_seen": seen}})
    load(runtime, tmp_path / "early", warc())
    page = runtime.stores.pages.get(page_id)
    assert (page.imported, page.first_seen) == (None, seen)
    assert runtime.stores.pages.imported_among([page_id]) == set()


def test_importing_pages_needs_the_permission_to_change_sources(runtime, tmp_path):
    with pytest.raises(NotPermitted):
        load(runtime, tmp_path / "file", warc(), ANALYST)
    with pytest.raises(NoCapturedPages):
        load(runtime, tmp_path / "file", b"only text")
