"""Scans opened and ended by people: permission, audit, and what waits to be compared."""

import pytest
from support.strategies import story

from analysis.accounts.permissions import NotPermitted, identity_of, local_identity
from analysis.actions.scans import open_scan, sources_to_scan, start_scan, stop_scan
from analysis.queries.events import list_audit
from analysis.queries.scans import needs_comparison, page_events_of, running_scans, scans_that_compare
from storage.records import Account, Page, Source
from tracker.indexing.adding import index_works
from tracker.runtime import Runtime
from tracker.scans.turns import StillScanning

pytestmark = pytest.mark.services
ANALYST = identity_of(Account(name="an", role="analyst"))
OPERATOR = local_identity("op", "operator")
HOLDER = identity_of(Account(name="li", role="holder", holders=("某社",)))
PORTAL = Source(name="portal", kind="urls", start_urls=("http://portal.example/",))


class _NoQueue:
    """A queue that drops what is sent."""

    def send(self, *_message):
        pass


@pytest.fixture
def desk(stores, guard, save_work, settings, redis_client):
    """An installation with an indexed work and a source."""
    assert index_works([save_work(1, {1: story(400, 1)})], stores, guard.index())
    stores.sources.save(PORTAL)
    return Runtime(settings, stores, redis_client, guard, queue=_NoQueue())


def acts_of(desk):
    root = identity_of(Account(name="root", role="administrator"))
    events = reversed(list_audit(root, desk.stores).items)
    return [(event.by, event.detail["act"], event.detail.get("from")) for event in events]


def test_scan_permission_is_needed_to_start_and_stop_scans(desk):
    for refused in (ANALYST, HOLDER):
        for act in (start_scan, sources_to_scan):
            with pytest.raises(NotPermitted):
                act(refused, desk)
        with pytest.raises(NotPermitted):
            open_scan(refused, desk, [PORTAL])
    assert sources_to_scan(OPERATOR, desk) == ([PORTAL], [])
    scan = start_scan(OPERATOR, desk, ["portal", "portal"])
    assert scan.sources == ("portal",)
    assert [own.id for own in running_scans(ANALYST, desk.stores)] == [scan.id]
    with pytest.raises(StillScanning):
        open_scan(OPERATOR, desk, [PORTAL])
    assert stop_scan(OPERATOR, desk, scan.id) == 1
    assert acts_of(desk) == [("op", "start-scan", "terminal"), ("op", "stop-scan", "terminal")]


def test_permission_to_add_works_includes_comparing_stored_pages(desk):
    stores = desk.stores
    assert not needs_comparison(ANALYST, stores)
    page = Page(id="p", url="http://x.cn/1", host="x.cn", source="portal", kind="article", text=story(300, 1))
    stores.pages.see_many([page])
    compared = {"state": "compared", "corpus_version": 0, "verdict": "clear"}
    stores.database["pages"].update_many({}, {"$set": compared})
    assert needs_comparison(ANALYST, stores)
    with pytest.raises(NotPermitted):
        open_scan(HOLDER, desk, [], trigger="corpus")
    scan = open_scan(ANALYST, desk, [], trigger="corpus")
    assert (scan.trigger, scan.sources) == ("corpus", ())
    assert [own.id for own in scans_that_compare(ANALYST, stores)] == [scan.id]
    assert page_events_of(ANALYST, stores, scan.id) == {}
    assert acts_of(desk) == [("an", "start-scan", None)]
    for read in (needs_comparison, running_scans, scans_that_compare):
        with pytest.raises(NotPermitted):
            read(HOLDER, stores)
