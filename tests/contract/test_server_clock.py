"""Machines whose clocks are ten minutes apart agree on leases: they go by the document server's clock."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from storage.collections import pages as page_store
from storage.collections.server_clock import ServerClock
from storage.collections.stores import open_stores
from storage.records import Page, Scan, utc_now

pytestmark = pytest.mark.services
APART = [timedelta(minutes=10), timedelta(minutes=-10)]


@pytest.fixture(params=APART, ids=["ahead", "behind"])
def other(request, settings, stores):  # noqa: ARG001 - the schema is there
    """The stores of a machine whose clock is off."""
    clock = ServerClock(lambda: utc_now() + request.param)
    with closing(open_stores(settings.storage, clock=clock)) as opened:
        opened.ping()
        yield opened


def add(stores):
    page = Page(id="p", url="u", host="s", source="x", kind="article", content_hash="0" * 64)
    stores.pages.see_many([page])


def test_page_in_work_is_not_claimed_by_another_machine(stores, other):
    add(stores)
    for first, two in ((stores, other), (other, stores)):
        token, ids, _ = first.pages.reserve_fetched(count=9, lease_s=60)
        assert ids == ["p"]
        assert two.pages.reserve_fetched(count=9, lease_s=60)[1] == []
        lease_token, pages = two.pages.claim_many(
            ids, token=token, lease_s=60
        )  # who sends it need not take it
        assert [page.id for page in pages] == ["p"]
        assert first.pages.reserve_fetched(count=9, lease_s=60)[1] == []
        two.pages.release(ids, token=lease_token)


def test_page_of_an_expired_lease_is_claimed_by_another_machine(stores, other):
    add(stores)
    for first, two in ((stores, other), (other, stores)):
        assert first.pages.reserve_fetched(count=9, lease_s=-1)[1] == ["p"]
        token, ids, _ = two.pages.reserve_fetched(count=9, lease_s=60)
        assert ids == ["p"]
        two.pages.release(ids, token=token)


@pytest.mark.parametrize("off", APART, ids=["ahead", "behind"])
@pytest.mark.parametrize("is_first", [True, False])
def test_newest_version_counts_whichever_machine_stored_it(stores, settings, monkeypatch, off, is_first):
    """The other clock is ten minutes behind or ahead."""

    def see(pages, name, now):
        monkeypatch.setattr(page_store, "utc_now", lambda: now)
        fields_of_page = {
            "url": "u",
            "host": "s",
            "source": "x",
            "kind": "article",
            "text": name,
            "content_hash": name,
        }
        pages.see_many([Page(id=name, first_seen=now, last_seen=now, **fields_of_page)])
        pages.settle(["u"])

    with closing(open_stores(settings.storage, clock=ServerClock(lambda: utc_now() + off))) as other:
        other.ping()
        machines = [(other.pages, off), (stores.pages, timedelta(0))]
        for name, (pages, ahead) in zip(
            ("old", "new"), machines if is_first else machines[::-1], strict=True
        ):
            see(pages, name, utc_now() + ahead)
    assert stores.pages.get("new").standing == "current"
    assert stores.pages.get("old").standing == "replaced"
    assert all(page.first_seen <= page.last_seen for page in stores.pages.versions("u"))


@pytest.mark.parametrize("jump", APART, ids=["ahead", "back"])
def test_last_sight_is_now_after_a_clock_jump(stores, monkeypatch, jump):
    names = ("first", "before", "after")
    moments = (utc_now(), utc_now(), utc_now() + jump)
    for name, moment, shown in zip(names, moments, (timedelta(), jump, jump), strict=True):
        monkeypatch.setattr(page_store, "utc_now", lambda shown=shown: utc_now() + shown)
        dates = {"first_seen": moment, "last_seen": moment}
        stores.pages.see_many([Page(id=name, url=name, host="s", source="x", kind="article", **dates)])
    seen = [stores.pages.get(name) for name in names]
    assert all(abs(page.last_seen - utc_now()) < timedelta(minutes=1) for page in seen)
    assert all(page.first_seen <= page.last_seen for page in seen)


def test_single_machine_opens_a_scan_and_handles_a_due_time(stores, other):
    due = datetime(2026, 11, 23, 3, tzinfo=UTC)
    for first, two in ((stores, other), (other, stores)):
        turn = first.scans.turns.claim(lease_s=60)
        assert turn is not None
        assert two.scans.turns.claim(lease_s=60) is None
        first.scans.turns.end(turn)
        token = first.due_times.begin("daily-scan", due, lease_s=60)
        assert token is not None
        assert two.due_times.begin("daily-scan", due, lease_s=60) is None
        first.due_times.end("daily-scan", token, finished=None)


def test_crawl_in_hand_is_in_hand_on_every_machine(stores, other):
    stores.scans.open(Scan(id="s1", trigger="hand", sources=("x",), started=utc_now()))
    token, (crawl,) = stores.scans.reserve_due(count=9, lease_s=60)
    assert stores.scans.claim_crawl(crawl, token=token, lease_s=60)
    assert other.scans.stop_crawls("s1") == 1
    assert other.scans.reserve_due(count=9, lease_s=60)[1] == []
    assert stores.scans.crawls("s1")[0].state == "due"  # over when its process is, and not before
