"""The schema: made in one step that may be repeated, never over a newer one; every query has its index."""

import dataclasses
import threading
from datetime import UTC, datetime, timedelta

import pymongo.monitoring
import pytest
from support.matches import match_with
from support.strategies import story

from storage.collections import documents, schema
from storage.collections.checked import CheckedDatabase
from storage.collections.documents import (
    MAX_SPANS,
    MAX_TEXT_CHARS,
    StorageFailed,
)
from storage.collections.retention import prune_evidence
from storage.collections.schema import NewerSchema
from storage.collections.stores import open_stores
from storage.errors import UnknownRecord
from storage.records import (
    Capture,
    Case,
    Decision,
    FingerprintSet,
    Look,
    Page,
    PageEvent,
    Snapshot,
    Source,
    SourceHealth,
    Span,
    Visit,
    utc_now,
)
from storage.redis_client import open_redis
from tracker.comparison import ComparedText, Corpus
from tracker.comparison.matching import look_up
from tracker.corpus.chapters import Section
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.corpus.removal import remove_work
from tracker.indexing.adding import index_works
from tracker.indexing.generations import rebuild
from tracker.indexing.guard import IndexGuard, verify
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import passage_reader
from tracker.scans.dispatch import dispatch_crawls, dispatch_pages, dispatch_works
from tracker.scans.pages import PageLookup, compare_page
from tracker.scans.scanning import close_complete, start_scan

pytestmark = pytest.mark.services
LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)
SPAN = Span(page_start=0, page_end=9, passage_start=0, passage_end=9, char_identity=1, sound_identity=1)


def version(stores):
    return stores.database["schema"].find_one({"_id": "schema"})["version"]


def validators(stores):
    collections = stores.database.command("listCollections")["cursor"]["firstBatch"]
    return {collection["name"]: collection["options"].get("validator") for collection in collections}


def test_the_step_may_be_repeated_and_by_many_at_once(settings):
    opened = [open_stores(settings.storage) for _ in range(4)]
    errors = []

    def make(stores):
        try:
            stores.ensure_schema()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test fails
            errors.append(error)

    threads = [threading.Thread(target=make, args=(stores,)) for stores in opened]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for _ in range(2):
        opened[0].ensure_schema()
        assert version(opened[0]) == schema.VERSION
    stored = validators(opened[0])
    assert all(stored[name] == {"$jsonSchema": rules} for name, rules in schema.VALIDATORS.items())
    opened[0].database.client.drop_database(opened[0].database.name)
    for own in opened:
        own.close()


def test_a_newer_schema_is_refused_and_left_as_it_is(stores):
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": schema.VERSION + 1}})
    before = validators(stores)
    with pytest.raises(NewerSchema, match=f"schema {schema.VERSION + 1}") as caught:
        stores.ensure_schema()
    assert caught.value.exit_status == 3
    assert version(stores) == schema.VERSION + 1
    assert validators(stores) == before


@pytest.mark.parametrize(
    ("collection", "document"),
    [
        ("works", {"_id": 1, "key": "k", "status": "stored"}),
        ("passages", {"_id": 1, "work_id": "one", "ordinal": 0, "text": "", "sha256": ""}),
        ("fingerprints", {"_id": "1:a", "hashes": "text", "positions": b""}),
        ("pages", {"_id": "p", "state": "lost"}),
        ("matches", {"_id": "m"}),
    ],
)
def test_what_is_no_record_is_refused(stores, collection, document):
    with pytest.raises(StorageFailed, match="validation"):
        CheckedDatabase(stores.database)[collection].insert_one(document)
    assert stores.database[collection].find_one({"_id": document["_id"]}) is None


def test_documents_are_inserted_or_replaced(stores):
    collection = CheckedDatabase(stores.database)["anything"]
    collection.insert_or_replace([{"_id": number, "value": 1} for number in range(5)])
    collection.insert_or_replace([{"_id": number, "value": 2} for number in range(3, 9)])
    collection.insert_or_replace([])
    assert {row["_id"]: row["value"] for row in collection.find({})} == {
        **dict.fromkeys(range(3), 1),
        **dict.fromkeys(range(3, 9), 2),
    }


def test_a_refused_document_is_told(stores):
    with pytest.raises(StorageFailed, match="validation"):
        CheckedDatabase(stores.database)["passages"].insert_or_replace([{"_id": 1}])


HUGE = 16 * 1024 * 1024


def test_a_page_of_any_length_is_stored(stores):
    page = Page(id="p", url="u", host="s", source="x", kind="article", text="\U00020000" * (HUGE // 4))
    assert stores.pages.see_many([page]) == [True]
    assert len(stores.pages.get("p").text) == MAX_TEXT_CHARS


def test_a_match_of_any_number_of_spans_is_stored(stores, monkeypatch):
    """Of more spans than a document holds the longest stay, in their order."""
    spans = tuple(
        Span(
            page_start=30 * number,
            page_end=30 * number + 10 + number % 7,
            passage_start=0,
            passage_end=10,
            char_identity=0.5,
            sound_identity=0.5,
            disguises=("homophones", "traditional", "noise"),
        )
        for number in range(MAX_SPANS + 30_000)
    )
    match = match_with(spans=spans)
    stores.matches.replace_for_page("p", [match])
    (stored,) = stores.matches.of_page("p")
    assert len(stored.spans) == MAX_SPANS
    lengths = [span.page_end - span.page_start for span in stored.spans]
    assert min(lengths) == 14
    assert [span.page_start for span in stored.spans] == sorted(span.page_start for span in stored.spans)
    monkeypatch.setattr(documents, "MAX_SPANS", 10**9)
    with pytest.raises(StorageFailed):
        stores.matches.replace_for_page("p", [match_with(spans=spans * 3)])


class Recorder(pymongo.monitoring.CommandListener):
    """Remembers the filter of every query and change."""

    def __init__(self):
        self.asked = []

    def started(self, event):
        command, name = event.command, event.command_name
        filters = {
            "find": lambda: [command["filter"]],
            "update": lambda: [part["q"] for part in command["updates"]],
            "delete": lambda: [part["q"] for part in command["deletes"]],
            "findAndModify": lambda: [command["query"]],
            "count": lambda: [command["query"]],
            "aggregate": lambda: [part["$match"] for part in command["pipeline"] if "$match" in part],
            "distinct": lambda: [command["query"]],
        }
        if name in filters:
            self.asked += [(command[name], dict(part)) for part in filters[name]()]

    def succeeded(self, event):
        """Not needed."""

    def failed(self, event):
        """Not needed."""


# Listings that read everything on purpose: nothing in a filter that an index could help with.
LISTED = {
    "works",
    "pages",
    "cases",
    "scans",
    "sources",
    "captures",
    "decisions",
    "fingerprints",  # their names, when an index was built anew
    "health",
    "repeats",
}


def stages(plan):
    names = {plan["stage"]}
    for part in (plan.get("inputStage"), *plan.get("inputStages", [])):
        names |= stages(part) if part else set()
    return names


def reads_everything(stores, name, filters):
    """Return whether a filter finds no index.

    Whatever else it asks of a record that it names by its id, the id's index leads to that: as MongoDB's
    planner says, and as SecantusDB does, whose ``explain`` speaks of such filters as if it did not.
    """
    decisive = {"_id": filters["_id"]} if "_id" in filters else filters
    return "COLLSCAN" in stages(stores.database[name].find(decisive).explain()["queryPlanner"]["winningPlan"])


def life(stores, client, tracker):
    """Do everything that the stores are there for, once."""
    guard = IndexGuard(stores, client)
    raws = [
        RawWork(
            title=f"书{number}",
            kind="novel",
            origin="o",
            sections=(Section("第一章", story(300, number)), Section("第二章", story(300, 50 + number))),
        )
        for number in range(4)
    ]
    for batch in (raws, raws, [dataclasses.replace(raws[0], sections=raws[0].sections[:1])]):
        store_works(batch, stores, guard.live(), terms=Terms())
    sent = []
    dispatch_works(stores, tracker, lambda *message: sent.append(message))
    for _, ids, token in sent:
        own, works = stores.works.take_many(ids, token=token, lease_s=60)
        assert stores.works.extend_many(ids, token=own, lease_s=60)
        index_works(works, stores, guard.live())
    stores.works.mark_failed(99, token=own)
    assert guard.index().statistics().passages == 7
    for number in range(6):
        text = story(300, number) if number < 3 else story(300, 900 + number)
        page = Page(id=f"p{number}", url=f"u{number}", host="s", source="x", kind="article", text=text)
        stores.pages.see_many([page])
        stores.pages.see_many([page])
    stores.pages.versions("u1")
    stores.pages.settle(["u1", "u2"])
    assert len([*stores.pages.current(), *stores.pages.last_texts(["u1"])]) == 6
    assert stores.pages.count_older(["u1"]) == {}
    assert stores.pages.first_seen_of(["p1"]).keys() == {"p1"}
    stores.pages.touch(["p1"], scan_id="s")
    stores.sources.save(Source(name="x", kind="news", start_urls=("http://a/",)))
    stores.snapshots.save(Snapshot(sha256="1", url="u", status=200, headers=b"", body=b"", fetched=utc_now()))
    scan = start_scan(stores, guard, tracker, sources=[stores.sources.get("x")], trigger="hand")
    crawls = []
    dispatch_crawls(stores, tracker, lambda *message: crawls.append(message), count=9)
    for _, ids, token in crawls:
        for crawl_id in ids:
            assert stores.scans.take_crawl(crawl_id, token=token, lease_s=60)
            stores.scans.extend_crawl(crawl_id, token=token, lease_s=60)
            stores.scans.note_progress(crawl_id, counts={"pages": 1}, addresses={})
            stores.scans.heartbeats([crawl_id])
            stores.scans.close_crawl(crawl_id, token=token, state="done")
    pages = []
    dispatch_pages(stores, tracker, lambda *message: pages.append(message))
    corpus = Corpus(passage_reader(stores), guard.index(), DEFAULT_PARAMS)
    for _, ids, token in pages:
        own, taken = stores.pages.take_many(ids, token=token, lease_s=60)
        texts = [ComparedText(page.text) for page in taken]
        for page, text, candidates in zip(taken, texts, look_up(texts, corpus), strict=True):
            lookup = PageLookup(text, candidates, stores.versions.current())
            assert compare_page(page, stores, corpus, token=own, lease_s=60, lookup=lookup)
    list(stores.pages.of_scan(scan.id))
    close_complete(stores)
    rebuild(stores, client)
    verify(stores, client)
    work = stores.works.by_key("书1")
    stores.cases.save(
        Case(
            id="c",
            work_id=work.id,
            work_title="",
            site="s",
            verdict="copy",
            pages=1,
            passages=1,
            copied_chars=1,
            first_seen=utc_now(),
            last_seen=utc_now(),
        )
    )
    stores.matches.of_work(work.id)
    stores.matches.history_of_case(work.id, "s")
    stores.fingerprints.save_many([FingerprintSet(passage_id=1, params_id="a", hashes=b"", positions=b"")])
    remove_work("书1", stores, guard.live())
    stores.sources.delete("x")


DECISION = Decision(
    id="d",
    state="dismissed",
    site="s",
    work_id=1,
    passage_id=1,
    passage_sha256="1",
    start=0,
    end=9,
    because="permitted",
)


def use_crawl_stores(stores):
    """Do everything that crawls and analysts ask of the stores, once."""
    at, url = utc_now(), "http://a/1"
    stores.reports.note(scope="all", form="html", made=at)
    assert stores.reports.last(scope="all", form="html", before=at + timedelta(seconds=1))
    stores.visits.save(Visit(url=url, source="x"))
    assert stores.visits.get(url)
    assert stores.visits.get_many([url]).keys() == stores.visits.dates_of([url]).keys() == {url}
    assert not list(stores.visits.addresses_of("x"))
    assert not stores.matches.pages_with_matches(["none"])
    stores.looks.add_many([Look(id="l", url=url, page_id="p", state="up", scan_id="s", source="x", at=at)])
    assert stores.looks.of_url(url) == [*stores.looks.of_scan("s")] != []
    assert not stores.pages.verdicts_of(["none"])
    assert not stores.snapshots.about_many(["none"])
    new = PageEvent(id="e", url=url, source="x", kind="new", at=at, scan_id="s")
    stores.page_events.add_many([new])
    for events in (stores.page_events.of_url(url), stores.page_events.of_scan("s")):
        assert [event.id for event in events] == ["e"]
    capture = Capture(id="c", url=url, source="x", scan_id="s", fetched=at, status=200, sha256="1")
    stores.captures.add_many([capture])
    assert stores.captures.of_url(url)
    prune_evidence(stores, before=at)
    assert stores.scans.stop_crawls("none") == len(stores.scans.stopping(["none"])) == 0
    stores.health.save(SourceHealth(name="x"))
    stores.health.pause("x", reason="ban", until=None, first_h=1)
    stores.health.resume("x")
    stores.health.raise_alert("x", "empty", detail="", scan_id="s")
    stores.health.raise_alert("x", "empty", detail="", scan_id="s")
    assert stores.health.open_alerts()
    stores.health.close_alerts("x")
    assert stores.health.all()
    stores.health.forget("x")
    stores.repeats.learn("s", sample={1: [2]}, repeats=[])
    assert stores.repeats.of_host("s").sample
    stores.decisions.save_many([DECISION])
    assert stores.decisions.of_passages([DECISION.passage_sha256], site="s")
    assert (
        [*stores.decisions.listed()]
        == stores.decisions.on_passages([1])
        == [stores.decisions.get(DECISION.id)]
    )
    stores.decisions.delete_many([DECISION.id])
    stores.decisions.delete_of_work(1)
    for store, name in ((stores.matches, "m9"), (stores.cases, "c9")):
        with pytest.raises(UnknownRecord):
            store.get(name)


def test_no_query_reads_a_whole_collection(settings):
    """Every filter that the stores ever send finds an index; what lists everything has no filter."""
    recorder = Recorder()
    pymongo.monitoring.register(recorder)
    try:
        stores = open_stores(settings.storage)
        stores.ensure_schema()
        client = open_redis(settings.storage)
        recorder.asked.clear()
        life(stores, client, settings.tracker)
        use_crawl_stores(stores)
    finally:
        pymongo.monitoring._LISTENERS.command_listeners.remove(recorder)
    asked = recorder.asked
    assert {name for name, filters in asked if not filters} <= LISTED
    assert {name for name, _ in asked} >= set(schema.VALIDATORS)
    shapes = {(name, tuple(sorted(filters))): filters for name, filters in asked if filters}
    read = [shape for shape, filters in shapes.items() if reads_everything(stores, shape[0], filters)]
    assert read == []
    assert len(shapes) > 35
    client.close()
    stores.database.client.drop_database(stores.database.name)
    stores.close()
