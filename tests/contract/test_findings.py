"""Matches, cases, scans, sources, snapshots and fingerprints in MongoDB."""

import dataclasses
import hashlib
import zlib
from datetime import timedelta

import pytest

from storage.collections.cases import case_id
from storage.collections.matches import match_id
from storage.collections.stores import open_stores
from storage.records import Case, FingerprintSet, Match, Scan, Snapshot, Source, Span, utc_now
from storage.settings import Settings, load_settings
from system.errors import BadSettings, ServiceDown, UnknownRecord

pytestmark = pytest.mark.services
START = utc_now()
LATER = START + timedelta(days=1)


def match(page_id="p1", passage_id=1, *, copied_chars=10, seen=START, **fields):
    span = Span(
        page_start=0, page_end=9, passage_start=5, passage_end=14, char_identity=0.9, sound_identity=1.0
    )
    return Match(
        id=match_id(page_id, passage_id, "novel@1"),
        page_id=page_id,
        passage_id=passage_id,
        copied_chars=copied_chars,
        first_seen=seen,
        last_seen=seen,
        **{
            "work_id": 1,
            "profile": "novel@1",
            "site": "s",
            "url": "u",
            "page_title": "",
            "work_title": "青灯渡",
            "passage_title": "",
            "verdict": "quote",
            "coverage": 0.1,
            "passage_coverage": 0.1,
            "longest_span": 9,
            "char_identity": 0.9,
            "sound_identity": 1.0,
            "spans": (span, dataclasses.replace(span, disguises=("homophones", "noise"))),
            "anchors": {"dna": 2, "shingle": 0},
            **fields,
        },
    )


def test_matches_are_read_back_unchanged_most_copied_first(stores):
    matches = [match(passage_id=1, copied_chars=5), match(passage_id=2, copied_chars=50), match(passage_id=3)]
    stores.matches.replace_for_pages({"p1": matches})
    expected = [(matches[1], 2), (matches[2], 3), (matches[0], 1)]
    assert stores.matches.of_page("p1") == [
        dataclasses.replace(known, number=number) for known, number in expected
    ]
    assert stores.matches.of_page("p2") == []


def test_repeated_comparison_keeps_the_first_sight_and_drops_lost_matches(stores):
    stores.matches.replace_for_pages({"p1": [match(passage_id=1), match(passage_id=2)]})
    stores.matches.replace_for_pages({"p2": [match("p2", 1)]})
    again = [match(passage_id=2, seen=LATER, copied_chars=77), match(passage_id=3, seen=LATER)]
    for _ in range(2):
        stores.matches.replace_for_pages({"p1": again})
    matches = {stored.passage_id: stored for stored in stores.matches.of_page("p1")}
    assert set(matches) == {2, 3}
    assert (matches[2].first_seen, matches[2].last_seen, matches[2].copied_chars) == (START, LATER, 77)
    assert matches[3].first_seen == LATER
    assert len(stores.matches.of_page("p2")) == 1


def test_new_version_of_a_profile_replaces_the_old_match(stores):
    stores.matches.replace_for_pages({"p1": [match()]})
    newer = dataclasses.replace(match(seen=LATER, profile="novel@2"), id=match_id("p1", 1, "novel@2"))
    stores.matches.replace_for_pages({"p1": [newer]})
    (stored,) = stores.matches.of_page("p1")
    assert (stored.profile, stored.first_seen) == ("novel@2", START)


def test_page_that_lost_its_matches_has_none(stores):
    stores.matches.replace_for_pages({"p1": [match()]})
    stores.matches.replace_for_pages({"p1": []})
    stores.matches.replace_for_pages({"never": []})
    assert stores.matches.of_page("p1") == []


def test_matches_by_case_and_work(stores):
    stores.matches.replace_for_pages({"p1": [match(), match(passage_id=2, work_id=2)]})
    stores.matches.replace_for_pages({"p2": [match("p2", site="t")]})
    assert [stored.page_id for stored in stores.matches.of_case(1, "s")] == ["p1"]
    assert {stored.page_id for stored in stores.matches.of_work(1)} == {"p1", "p2"}
    stores.matches.delete_of_work(1)
    assert stores.matches.of_work(1) == []
    assert len(stores.matches.of_work(2)) == 1


def test_repeated_sight_of_a_page_updates_its_matches(stores):
    stores.matches.replace_for_pages({"p1": [match()]})
    stores.matches.replace_for_pages({"p2": [match("p2")]})
    stores.matches.touch_pages({"p1": LATER, "of no match": LATER}, scan_id="s9")
    (moved,), (still,) = stores.matches.of_page("p1"), stores.matches.of_page("p2")
    assert (moved.first_seen, moved.last_seen, moved.scan_id) == (START, LATER, "s9")
    assert (still.last_seen, still.scan_id) == (START, "")


def case(work_id=1, site="s", *, copied_chars=10, seen=START, **fields):
    return Case(
        id=case_id(work_id, site),
        work_id=work_id,
        work_title="青灯渡",
        site=site,
        verdict="copy",
        pages=1,
        passages=1,
        copied_chars=copied_chars,
        first_seen=seen,
        last_seen=seen,
        **fields,
    )


def test_case_keeps_its_first_sight_number_and_state(stores):
    stores.cases.save(case(state="confirmed"))
    stores.cases.save(case(2))
    stores.cases.save(case(copied_chars=99, seen=LATER, state="new"))
    assert next(stores.cases.listed()) == dataclasses.replace(
        case(copied_chars=99, seen=LATER, state="confirmed"), first_seen=START, number=1
    )
    assert stores.cases.get("c2").work_id == 2


def test_cases_are_ranked(stores):
    for one_case in (case(1, "s"), case(1, "t", copied_chars=30), case(2, "s", copied_chars=20)):
        stores.cases.save(one_case)
    assert [one_case.id for one_case in stores.cases.listed()] == ["1@t", "2@s", "1@s"]


def scan(name="one", *, sources=("b", "a"), started=START):
    return Scan(id=name, trigger="hand", sources=sources, started=started)


def test_scan_opens_with_a_crawl_for_every_source(stores):
    stores.scans.open(scan())
    assert stores.scans.get("one") == scan()
    assert [(crawl.id, crawl.state) for crawl in stores.scans.crawls("one")] == [
        ("one:a", "due"),
        ("one:b", "due"),
    ]


def test_scan_of_no_sources_has_no_crawls(stores):
    stores.scans.open(scan(sources=()))
    assert stores.scans.crawls("one") == []
    assert stores.scans.running() == [scan(sources=())]


def test_scan_closes_once(stores):
    stores.scans.open(scan())
    closed = dataclasses.replace(
        scan(), status="finished", finished=LATER, counts={"pages": 3, "state:failed": 1}
    )
    assert stores.scans.finish(closed)
    assert not stores.scans.finish(dataclasses.replace(closed, status="failed", counts={}))
    assert stores.scans.get("one") == closed
    assert stores.scans.running() == []


def test_scans_are_listed_the_newest_first(stores):
    for name, days in (("a", 1), ("b", 3), ("c", 2)):
        stores.scans.open(scan(name, started=START + timedelta(days=days)))
    assert [scan.id for scan in stores.scans.newest(99)] == ["b", "c", "a"]


def test_unknown_scan_and_source_are_reported(stores):
    with pytest.raises(UnknownRecord, match="no scan called nine"):
        stores.scans.get("nine")
    with pytest.raises(UnknownRecord, match="no source called 门户"):
        stores.sources.get("门户")


def test_crawl_is_closed_only_by_its_lease_owner(stores):
    stores.scans.open(scan(sources=("a",)))
    token, (crawl_id,) = stores.scans.reserve_due(count=1, lease_s=60)
    assert stores.scans.claim_crawl(crawl_id, token=token, lease_s=60).started is not None
    stores.scans.record_progress(crawl_id, counts={"pages": 2, "failed": 1}, addresses={"entries": 4})
    stores.scans.close_crawl(crawl_id, token="stranger" * 4, state="failed", error="no")
    assert stores.scans.crawls("one")[0].state == "due"
    stores.scans.close_crawl(crawl_id, token=token, state="done")
    (done,) = stores.scans.crawls("one")
    assert (done.state, done.error, done.counts) == ("done", "", {"pages": 2, "failed": 1})
    assert done.addresses == {"entries": 4}
    assert stores.scans.heartbeats([crawl_id, "unknown"]) == {crawl_id: done.heartbeat}
    assert done.finished >= done.started


def test_sources_are_kept_by_name(stores):
    one = Source(
        name="门户", kind="news", start_urls=("http://a/", "http://b/"), follow=r"/\d+\.html$", delay_s=0.5
    )
    stores.sources.save(one)
    stores.sources.save(Source(name="b", kind="novel", start_urls=("http://c/",)))
    assert stores.sources.get("门户") == one
    stores.sources.save(dataclasses.replace(one, enabled=False))
    assert [(source.name, source.enabled) for source in stores.sources.all()] == [
        ("b", True),
        ("门户", False),
    ]
    stores.sources.delete("b")
    assert [source.name for source in stores.sources.all()] == ["门户"]


def test_snapshot_is_never_changed(stores):
    body = "<p>青灯</p>".encode("gbk") * 1000 + bytes(range(256))
    first = Snapshot(
        sha256=hashlib.sha256(body).hexdigest(),
        url="u",
        status=200,
        headers=b"A: b\r\nC: \xff",
        body=body,
        fetched=START,
    )
    stores.snapshots.save(first)
    stores.snapshots.save(dataclasses.replace(first, url="other", fetched=LATER, headers=b""))
    row = stores.database["snapshots"].find_one({"_id": first.sha256})
    assert zlib.decompress(row["body"]) == body
    assert (row["url"], row["headers"], row["fetched"]) == (first.url, first.headers, first.fetched)
    stores.snapshots.save(dataclasses.replace(first, sha256="1" * 64, body=b""))
    assert zlib.decompress(stores.database["snapshots"].find_one({"_id": "1" * 64})["body"]) == b""


def test_fingerprints_are_kept_by_passage_and_parameters(stores):
    sets = [
        FingerprintSet(
            passage_id=passage_id, params_id=params, hashes=bytes([passage_id]) * 8, positions=b"\0" * 4
        )
        for passage_id in (1, 2)
        for params in ("a", "b")
    ]
    stores.fingerprints.save_many(sets)
    stores.fingerprints.save_many([])
    replaced = dataclasses.replace(sets[0], hashes=b"", positions=b"")
    stores.fingerprints.save_many([replaced])
    assert stores.fingerprints.get_many([1, 2, 3], "a") == {1: replaced, 2: sets[2]}
    stores.fingerprints.delete_many([1], ["a", "b"])
    assert stores.fingerprints.get_many([1, 2], "b") == {2: sets[3]}
    assert stores.fingerprints.get_many([], "b") == {}


def test_ids_are_unique(stores):
    first, second = stores.works.new_ids("works", 3), stores.works.new_ids("works", 2)
    assert (list(first), list(second)) == ([1, 2, 3], [4, 5])
    assert list(stores.works.new_ids("passages", 1)) == [1]


def test_corpus_version_only_grows(stores):
    assert stores.versions.current() == 0
    assert stores.versions.has_version(0, "")
    (one, first), (two, second) = (stores.versions.raise_version() for _ in range(2))
    assert (one, two) == (1, 2)
    assert first != second
    assert stores.versions.current() == 2
    assert stores.versions.current_and_mark() == (2, second)
    known = {(0, ""): True, (1, first): True, (2, second): True, (1, second): False, (2, first): False}
    assert {state: stores.versions.has_version(*state) for state in known} == known
    assert not stores.versions.has_version(3, second)


def test_schema_may_be_created_repeatedly(stores):
    stores.ensure_schema()
    assert stores.ping()[0].isdigit()
    assert stores.address.startswith("127.0.0.1:")


def test_unreachable_database_is_reported_without_its_password():
    nothing = Settings(storage={"mongo_url": "mongodb://me:pass-word@127.0.0.1:1", "timeout_s": 0.3})
    closed = open_stores(nothing.storage)
    with pytest.raises(
        ServiceDown, match=r"Nothing listens at 127\.0\.0\.1:1, the address of MongoDB"
    ) as caught:
        closed.works.all()
    assert "pass-word" not in str(caught.value)
    closed.close()


def test_missing_mongo_address_is_reported():
    with pytest.raises(ServiceDown, match=r"storage\.mongo_url"):
        open_stores(Settings(storage={"mongo_url": None}).storage)


@pytest.mark.parametrize("url", ["http://host", "mongodb://", "mongodb://host:port"])
def test_bad_mongo_address_is_refused(url):
    with pytest.raises(BadSettings, match=r"storage\.mongo_url"):
        open_stores(load_settings(storage={"mongo_url": url}).storage)
