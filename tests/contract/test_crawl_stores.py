"""What the crawler remembers: visits, events, evidence and its retention, health and alerts."""

import dataclasses
from datetime import timedelta

import bson
import pytest
from support.matches import match_with

from storage.collections import retention
from storage.collections.captures import capture_id
from storage.collections.looks import look_id
from storage.collections.page_events import event_id
from storage.collections.pages import page_id
from storage.collections.retention import PruneResult, prune_evidence
from storage.collections.scan_turns import ScanOpening
from storage.collections.stylesheets import Sheet
from storage.collections.visits import KnownAddress
from storage.records import Capture, Look, Page, PageEvent, Scan, Snapshot, TextPart, Visit, utc_now
from system.errors import UnknownRecord

pytestmark = pytest.mark.services
URL = "http://x.example/青灯?a=1"
NOW = utc_now()


def visit(url=URL, **fields):
    return Visit(url=url, source="s", parts=(TextPart(url=url, sha256="a"),), first_seen=NOW, **fields)


def test_visit_is_kept_as_it_is(stores):
    assert stores.visits.get(URL) is None
    stores.visits.save(visit(checks=1, etag='"x"'))
    stores.visits.save(visit(checks=2, state="moved", moved_to="http://x.example/2"))
    stores.visits.save(visit("http://x.example/other"))
    assert stores.visits.get(URL) == visit(
        checks=2, state="moved", moved_to="http://x.example/2",
        last_checked=stores.visits.get(URL).last_checked, last_changed=stores.visits.get(URL).last_changed,
    )  # fmt: skip


def test_extraction_version_is_stored_in_the_reader_field(stores):
    """A database of an earlier version is read without extracting its texts again."""
    stores.visits.save(visit(extraction_version="7:abc"))
    collection = stores.database["visits"]
    row = collection.find_one({"url": URL})
    assert row["reader"] == "7:abc"
    assert "extraction_version" not in row
    collection.update_one({"url": URL}, {"$set": {"reader": "6:old"}})
    assert stores.visits.get(URL).extraction_version == "6:old"
    assert stores.visits.get_many([URL])[URL].extraction_version == "6:old"
    collection.update_one({"url": URL}, {"$unset": {"reader": ""}})
    assert stores.visits.get(URL).extraction_version == ""


def test_visits_are_saved_and_read_together(stores):
    first, other = visit(checks=1), visit("http://x.example/other", due=NOW + timedelta(hours=1))
    stores.visits.save_many([first, other, visit(checks=2)])  # of two about one address the later stays
    visits = stores.visits.get_many([URL, "http://x.example/unknown", other.url])
    assert (visits.keys(), visits[URL].checks) == ({URL, other.url}, 2)
    assert stores.visits.dates_of([other.url, "http://x.example/unknown"]) == {
        other.url: (other.due, other.last_checked)
    }
    stores.visits.save_many([])
    assert stores.visits.get_many([]) == {}


def test_addresses_with_a_version_are_listed_for_their_source(stores):
    later = NOW + timedelta(hours=1)
    stores.visits.save_many(
        [
            visit("http://x.example/text", content_hash="a", page_id="p1", due=later, last_checked=NOW),
            visit("http://x.example/list", page_id="p2", due=NOW, last_checked=later),
            visit("http://x.example/failed", due=NOW),
        ]
    )
    known = sorted(stores.visits.addresses_of("s"), key=lambda address: address.page_id)
    assert known == [
        KnownAddress("http://x.example/text", "p1", later, NOW),
        KnownAddress("http://x.example/list", "p2", NOW, later, is_text=False),
    ]
    assert list(stores.visits.addresses_of("t")) == []


def test_pages_with_a_counting_match_are_distinguished(stores):
    others = ("c", "copy", "dismissed"), ("d", "clear", "")
    for page, verdict, review in (("a", "copy", ""), ("b", "quote", "confirmed"), *others):
        match = match_with(id=f"{page}:1:novel", page_id=page, verdict=verdict, review=review)
        stores.matches.replace_for_pages({page: [match]})
    assert stores.matches.pages_with_matches(["a", "b", "c", "d", "none"]) == {"a", "b"}


def test_repeated_look_is_stored_once(stores):
    look = Look(id=look_id(URL, "s1"), url=URL, page_id="p", state="gone", scan_id="s1", source="s", at=NOW)
    stores.looks.add_many([look])
    stores.looks.add_many([dataclasses.replace(look, state="up")])
    later = dataclasses.replace(look, id=look_id(URL, "s2"), scan_id="s2", at=NOW + timedelta(days=1))
    stores.looks.add_many([later])
    assert stores.looks.of_url(URL) == [look, later]
    assert [*stores.looks.of_scan("s1")] == [look]


def test_capture_has_a_natural_key(stores):
    key = capture_id(URL, "a", NOW)
    same = Capture(id=key, url=URL, source="s", scan_id="s", fetched=NOW, status=200, sha256="a")
    stores.captures.add_many([same])
    stores.captures.add_many([same])
    assert stores.captures.of_url(URL) == [same]
    assert len({key, capture_id(URL, "b", NOW), capture_id(URL, "a", NOW + timedelta(seconds=1))}) == 3


def event(kind, *, at=NOW, scan="s1", page="p"):
    key = event_id(URL, kind, page, scan)
    return PageEvent(id=key, url=URL, source="s", kind=kind, at=at, scan_id=scan, page_id=page)


def test_page_events_are_stored_once_and_in_order(stores):
    later = event("gone", at=NOW + timedelta(hours=1), scan="s2", page="")
    stores.page_events.add_many([later, event("new")])
    stores.page_events.add_many([event("new", at=NOW + timedelta(days=9))])
    assert stores.page_events.of_url(URL) == [event("new"), later]
    assert [*stores.page_events.of_scan("s2")] == [later]


def keep(stores, name, *, age_days, body, verdict=None):
    url = f"http://x.example/{name}"
    at = NOW - timedelta(days=age_days)
    snapshot = Snapshot(sha256=body, url=url, status=200, headers=b"", body=b"", fetched=at, warc=b"w")
    stores.snapshots.save(snapshot)
    key = f"{name}{age_days}"
    capture = Capture(id=key, url=url, source="s", scan_id="s", fetched=at, status=200, sha256=body)
    stores.captures.add_many([capture])
    stores.evidence_log.mark_logged("capture", [key])
    stores.pages.see_many(
        [
            Page(
                id=page_id(url, body),
                url=url,
                host="x",
                source="s",
                kind="article",
                content_hash=body,
                snapshots=(body,),
                verdict=verdict,
            )
        ]
    )


def test_evidence_of_copies_stays_and_other_evidence_expires(stores):
    keep(stores, "old", age_days=99, body="b1")
    keep(stores, "copy", age_days=99, body="b2", verdict="copy")
    keep(stores, "young", age_days=1, body="b3")
    keep(stores, "shared", age_days=99, body="b4")
    keep(stores, "again", age_days=1, body="b4")
    keep(stores, "same-as-copy", age_days=99, body="b2")
    gone = prune_evidence(stores, before=NOW - timedelta(days=30))
    assert (gone.captures, gone.snapshots) == (2, 1)
    assert addresses_left(stores) == {"copy", "young", "again", "same-as-copy"}
    for body in ("b2", "b3", "b4"):
        assert stores.snapshots.get(body).warc == b"w"
    with pytest.raises(UnknownRecord):
        stores.snapshots.get("b1")


def addresses_left(stores):
    return {capture.url.rpartition("/")[2] for capture in stores.captures.iter_all()}


def test_pruned_bytes_equal_the_size_of_the_documents(stores):
    keep(stores, "old", age_days=99, body="b1")
    rows = [*stores.database["captures"].find(), *stores.database["snapshots"].find()]
    assert prune_evidence(stores, before=NOW).size == sum(len(bson.encode(row)) for row in rows)
    assert prune_evidence(stores, before=NOW) == PruneResult()


def test_body_is_deleted_with_its_last_capture(stores, monkeypatch):
    """An unchanged page costs one body and one capture for each visit, over many days and chunks."""
    monkeypatch.setattr(retention, "_CHUNK", 2)
    for age_days in range(40, 50):
        keep(stores, "same", age_days=age_days, body="b1")
    gone = prune_evidence(stores, before=NOW - timedelta(days=43))
    assert (gone.captures, gone.snapshots) == (6, 0)
    gone = prune_evidence(stores, before=NOW)
    assert (gone.captures, gone.snapshots) == (4, 1)


def test_other_versions_of_a_page_with_a_copy_keep_their_evidence(stores):
    keep(stores, "copy", age_days=99, body="b1", verdict="copy")
    keep(stores, "copy", age_days=98, body="b2")
    assert prune_evidence(stores, before=NOW) == PruneResult()


@pytest.mark.parametrize(("verdict", "is_kept"), [("copy", True), ("quote", True), ("common", False)])
def test_evidence_of_a_dismissed_match_is_kept(stores, verdict, is_kept):
    keep(stores, "copy", age_days=99, body="b1", verdict="clear")
    page = stores.pages.ids_by_url(["http://x.example/copy"])["http://x.example/copy"][0]
    match = match_with(page_id=page, verdict=verdict, review="dismissed")
    stores.matches.replace_for_pages({page: [match]})
    assert prune_evidence(stores, before=NOW).captures == (not is_kept)


def test_evidence_of_a_removed_work_is_kept_while_it_may_come_back(stores):
    keep(stores, "copy", age_days=99, body="b1")
    page = stores.pages.ids_by_url(["http://x.example/copy"])["http://x.example/copy"][0]
    removed = {"_id": "matches:m", "work_id": 1, "kind": "matches", "document": {"page_id": page}}
    stores.database["removed"].insert_one(removed)
    assert prune_evidence(stores, before=NOW) == PruneResult()
    stores.removed.delete_of_work(1)
    assert prune_evidence(stores, before=NOW).captures == 1


def test_snapshot_is_kept_once(stores):
    one = Snapshot(sha256="x", url=URL, status=200, headers=b"h", body=b"body", fetched=NOW)
    assert stores.snapshots.save(one)
    assert not stores.snapshots.save(one)
    assert stores.snapshots.get("x") == one
    assert stores.snapshots.about_many(["x", "y"]) == {"x": dataclasses.replace(one, body=b"")}


def test_snapshots_and_pages_saved_together_report_the_new_ids(stores):
    bodies = [
        Snapshot(sha256=stored, url=URL, status=200, headers=b"", body=b"b", fetched=NOW) for stored in "xyx"
    ]
    assert stores.snapshots.save_many(bodies[:1]) == [True]
    assert stores.snapshots.save_many(bodies) == [False, True, False]
    assert stores.snapshots.save_many([]) == stores.pages.see_many([]) == []

    def page(name, **fields):
        return Page(id=name, url=URL, host="x", source="s", kind="article", **fields)

    assert stores.pages.see_many([page("a"), page("b", state="failed", reason="empty")]) == [True, True]
    again = [page("b", scan_id="s2"), page("c"), page("a", state="failed", reason="timeout", status=0)]
    assert stores.pages.see_many(again) == [False, True, False]
    # A page that failed before and is comparable now waits for comparison; a page that fails now has a
    # reason.
    pages = stores.pages.get_many("abc")
    assert {key: (stored.state, stored.reason) for key, stored in pages.items()} == {
        "a": ("failed", "timeout"),
        "b": ("fetched", ""),
        "c": ("fetched", ""),
    }
    assert pages["b"].scan_id == "s2"


def test_unused_sheets_are_deleted(stores):
    now = utc_now()
    old = Sheet(url=URL + "1", host="x", rules=".a{}", was_read=True, fetched=now - timedelta(days=99))
    other = Sheet(url=URL + "2", host="y", rules="", was_read=False, fetched=now - timedelta(days=99))
    stores.sheets.save(old)
    stores.sheets.save(other)
    new = Sheet(url=URL + "3", host="x", rules=".b{}", was_read=True, fetched=now)
    stores.sheets.save(new)
    assert stores.sheets.get_many([sheet.url for sheet in (old, other, new)]) == {
        other.url: other,
        new.url: new,
    }


def test_last_change_of_a_site_is_its_newest_sheet_change(stores):
    now = utc_now().replace(microsecond=0)
    for number, (host, days) in enumerate([("a.site.com", 3), ("b.site.com", 2), ("site.com", None)]):
        changed = None if days is None else now - timedelta(days=days)
        sheet = Sheet(url=f"{URL}{number}", host=host, rules="", was_read=True, fetched=now, changed=changed)
        stores.sheets.save(sheet)
        assert stores.sheets.get_many([sheet.url]) == {sheet.url: sheet}
    stores.sheets.save(Sheet(url=URL, host="other.example", rules="", was_read=True))
    assert stores.sheets.last_change("c.site.com") == now - timedelta(days=2)
    assert stores.sheets.last_change("other.example") is None
    assert stores.sheets.last_change("unknown.example") is None


def test_pauses_of_a_source_grow_and_end(stores):
    health = stores.health
    first = health.pause("s", reason="http-403", until=None, first_h=2)
    assert timedelta(hours=1.9) < first - utc_now() <= timedelta(hours=2)
    assert timedelta(hours=3.9) < health.pause("s", reason="http-403", until=None, first_h=2) - utc_now()
    named = utc_now() + timedelta(hours=50)
    assert health.pause("s", reason="http-429", until=named, first_h=2) == named
    assert (health.get("s").pause_reason, health.get("s").pauses) == ("http-429", 3)
    health.resume("s")
    assert (health.get("s").paused_until, health.get("s").pauses) == (None, 0)
    assert health.get("unknown").last_success is None


def test_alert_stays_open_until_it_is_closed(stores):
    health = stores.health
    health.raise_alert("s", "empty", detail="one", scan_id="s1")
    (first,) = health.open_alerts()
    health.raise_alert("s", "empty", detail="two", scan_id="s2")
    health.raise_alert("s", "blocked", detail="x", scan_id="s2")
    health.raise_alert("t", "empty", detail="y", scan_id="s2")
    alerts = health.open_alerts()
    assert [(alert.source, alert.kind, alert.detail) for alert in alerts] == [
        ("s", "blocked", "x"), ("s", "empty", "two"), ("t", "empty", "y"),
    ]  # fmt: skip
    assert alerts[1].since == first.since
    health.close_alerts("s", but=frozenset({"blocked"}))
    assert [alert.id for alert in health.open_alerts()] == ["s:blocked", "t:empty"]
    health.raise_alert("s", "empty", detail="again", scan_id="s3")
    assert health.open_alerts()[1].since >= first.since
    health.forget("s")
    assert [alert.id for alert in health.open_alerts()] == ["t:empty"]


def test_source_with_several_processes_has_a_crawl_for_every_process(stores):
    scan = Scan(id="s", trigger="hand", sources=("a", "b"), started=NOW)
    stores.scans.store(ScanOpening(scan=scan, processes={"a": 3}))
    assert [crawl.id for crawl in stores.scans.crawls("s")] == ["s:a", "s:a#2", "s:a#3", "s:b"]
    stores.scans.record_progress("s:a#2", counts={"pages": 4}, addresses={})
    assert stores.scans.counts_of("s:a#2") == {"pages": 4}
    assert stores.scans.counts_of("unknown") == {}
