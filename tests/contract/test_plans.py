"""Every query of the stores uses an index, and reads only the rows that it concerns."""

import dataclasses
import re
from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from support.compared import compare_page
from support.letters import EARLIER
from support.plans import Asked, Plan, Recorder, listening, plan_of, read_by
from support.scale.scale_fill import Filler, Prose
from support.strategies import story

from analysis.actions.deposits import deposit_roots
from analysis.evidence.log import append_pending
from analysis.evidence.log_verifying import LogVerifier
from analysis.evidence.roots import sign_daily_root, stamp_roots
from analysis.reports.building import build_report
from storage.collections.accounts import LastAdministrator
from storage.collections.documents import to_document
from storage.collections.filters import in_review, newest_dismissals, waiting_cases
from storage.collections.requests import IdempotentRequest
from storage.collections.retention import prune_evidence
from storage.collections.stores import open_stores
from storage.collections.templates import SamplePage
from storage.collections.validators import VALIDATORS
from storage.records import (
    NO_MESSAGE,
    Account,
    Capture,
    Case,
    Contact,
    Decision,
    Delivery,
    Event,
    FingerprintSet,
    Holder,
    HolderDocument,
    KeptPackage,
    Look,
    Mailing,
    NumberMark,
    Occasion,
    Page,
    PageEvent,
    Passage,
    ReviewLease,
    Session,
    Snapshot,
    Source,
    SourceHealth,
    Token,
    Visit,
    Watch,
    Work,
    utc_now,
)
from storage.records.evidence_log import Leaf, Statement, StoredReceipt, StoredToken
from system.errors import UnknownRecord
from tracker.comparison import ComparedText
from tracker.comparison.matching import look_up
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.corpus.removal import remove_work, restore_work
from tracker.indexing.adding import index_works
from tracker.indexing.generations import rebuild
from tracker.indexing.guard import IndexGuard, verify
from tracker.runtime import corpus_of
from tracker.scans.dispatch import dispatch_crawls, dispatch_pages, dispatch_works
from tracker.scans.pages import PageLookup
from tracker.scans.scanning import close_complete, start_scan

PAGES = 240  # further pages that no test touches, each with a match and a scan
FEW = 100  # documents that a query may read without being named below

# What reads as much as is stored, and why.
_REPORT = "a report of everything counts all pages, on the server"
_LOG = "the evidence log is verified entry by entry and record by record"
WHOLE = {
    "fingerprints.find()": "an index that is built anew takes in every fingerprint",
    "accounts.find(_id $lt, sort _id -1, limit)": "an unknown name has at most 500 neighbours on each side",
    "health.find()": "one row a source",
    "works.find(sort _id +1)": "an index is built anew, or verified, work by work",
    "works.aggregate(status=indexed)": "works are counted on the server",
    "works.aggregate(role $ne, status=indexed)": "works are counted on the server",
    "cases.aggregate(is_waiting=True, limit)": "what waits is summed on the server, up to 20,000 cases",
    "captures.find()": _LOG,
    "capture_sessions.find()": _LOG,
    "events.find()": _LOG,
    "evidence_statements.find()": _LOG,
    "evidence_keys.find()": "there are as many as were made by hand",
    "evidence_leaves.find(_id $gte, sort _id +1)": _LOG,
    "pages.aggregate(standing=current)": _REPORT,
    "pages.aggregate(standing=current, verdict $in)": "a report shows all that was found",
    "pages.aggregate($or: capped $gt | confidence $lt | cut_chars $gt | unaligned $gt | unread $nin, "
    "standing=current, state=compared)": _REPORT,
}


def life(stores, client, settings):
    """Do everything that the stores are there for, once."""
    guard, tracker = IndexGuard(stores, client), settings.tracker
    raws = [
        RawWork(
            title=f"书{number}",
            kind="novel",
            origin="o",
            sections=(
                ChapterSection("第一章", story(300, number)),
                ChapterSection("第二章", story(300, 50 + number)),
            ),
        )
        for number in range(4)
    ]
    for batch in (raws, raws, [dataclasses.replace(raws[0], sections=raws[0].sections[:1])]):
        store_works(batch, stores, guard.live(), terms=Terms())
    sent = []
    dispatch_works(stores, tracker, lambda *message: sent.append(message))
    for _, ids, token in sent:
        lease_token, works = stores.works.claim_many(ids, token=token, lease_s=60)
        assert stores.works.extend_many(ids, token=lease_token, lease_s=60)
        index_works(works, stores, guard.live())
    stores.works.mark_failed(99, token=lease_token)
    assert guard.index().statistics().passages == 7
    for number in range(6):
        text = story(300, number) if number < 3 else story(300, 900 + number)
        page = Page(id=f"p{number}", url=f"u{number}", host="s", source="x", kind="article", text=text)
        stores.pages.see_many([page])
        stores.pages.see_many([page])
    stores.pages.versions("u1")
    stores.pages.settle(["u1", "u2"])
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
            assert stores.scans.claim_crawl(crawl_id, token=token, lease_s=60)
            stores.scans.extend_crawl(crawl_id, token=token, lease_s=60)
            stores.scans.record_progress(crawl_id, counts={"pages": 1}, addresses={})
            stores.scans.heartbeats([crawl_id])
            stores.scans.close_crawl(crawl_id, token=token, state="done")
    pages = []
    dispatch_pages(stores, tracker, lambda *message: pages.append(message))
    corpus = corpus_of(stores, guard.index(), settings)
    for _, ids, token in pages:
        lease_token, taken = stores.pages.claim_many(ids, token=token, lease_s=60)
        texts = [ComparedText(page.text) for page in taken]
        for page, text, candidates in zip(taken, texts, look_up(texts, corpus), strict=True):
            lookup = PageLookup(text, candidates, *stores.versions.current_and_mark())
            assert compare_page(page, stores, corpus, token=lease_token, lease_s=60, lookup=lookup)
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
    restore_work("书1", stores, guard.live())
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


CAPTURE = Capture(
    id="c", url="http://a/1", source="x", scan_id="s", fetched=utc_now(), status=200, sha256="1"
)


def use_crawl_stores(stores):
    """Do everything that crawls and analysts ask of the stores, once."""
    at, url = utc_now(), "http://a/1"
    stores.reports.record(scope="all", form="html", made=at)
    assert stores.reports.last(scope="all", form="html", before=at + timedelta(seconds=1))
    stores.visits.save(Visit(url=url, source="x"))
    assert stores.visits.get(url)
    assert stores.visits.get_many([url]).keys() == stores.visits.dates_of([url]).keys() == {url}
    assert not list(stores.visits.addresses_of("x"))
    assert not stores.matches.pages_with_matches(["none"])
    stores.looks.add_many([Look(id="l", url=url, page_id="p", state="up", scan_id="s", source="x", at=at)])
    assert stores.looks.of_url(url) == [*stores.looks.of_scan("s")] != []
    assert not stores.snapshots.about_many(["none"])
    new = PageEvent(id="e", url=url, source="x", kind="new", at=at, scan_id="s")
    stores.page_events.add_many([new])
    for events in (stores.page_events.of_url(url), stores.page_events.of_scan("s")):
        assert [event.id for event in events] == ["e"]
    stores.captures.add_many([replace(CAPTURE, fetched=at)])
    assert stores.captures.of_url(url)
    prune_evidence(stores, before=at)
    assert stores.pages.oldest_waiting("none") is None
    assert stores.scans.counts_of_many(["none"]) == {}
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
    stores.templates.learn(
        "s", sample=[SamplePage(key=1, paths=("p",), outside=frozenset())], containers=[], frame=[]
    )
    assert stores.templates.of_host("s").sample
    assert stores.templates.hosts_among(["s"], limit=9) == ["s"]
    assert stores.repeats.hosts_among(["s", "t"], limit=1) == ["s"]
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


def watch_addresses(stores):
    """Do everything that the takedown watch asks of the stores, once."""
    at = utc_now()
    later = at + timedelta(minutes=1)
    watch = Watch(id="w", url="http://a/1", source="x", page_id="p", since=at, due=at)
    stores.watches.enrol(watch, 1)
    assert stores.watches.bring_forward(watch, at)
    (due_watch,) = stores.watches.due(later, limit=9)
    assert stores.watches.claim(due_watch, "r", until=later)
    stores.watches.extend(["w"], until=later)
    (claimed,) = stores.watches.of_round("r")
    stores.watches.record_look(claimed)
    stores.watches.end_round(claimed, due=at)
    stores.watches.change("w", {"step": 0})
    assert stores.watches.of_case(1) == stores.watches.get_many(["w"]) == [stores.watches.get("w")]
    assert [*stores.watches.listed(limit=5)]
    assert not [*stores.watches.listed(state="gone", limit=5)]
    stores.watches.unenrol(claimed, 1)
    look = Look(id="l", url="http://a/1", page_id="p", state="up", scan_id="s", source="x", at=at, reason="")
    stores.watches.follow_contradictions(
        [look, dataclasses.replace(look, url="http://a/2", state="gone")], now=at
    )
    assert not stores.watches.count_due(at - timedelta(days=1))
    stores.watches.record_event(7)
    assert stores.watches.last_event() == 7
    assert not stores.matches.of_passage(99, since=at, limit=5)
    assert not stores.pages.sample_clear_pages("none", count=5)


def write_notices(stores):
    """Do everything that notices ask of the stores, once."""
    sha256 = stores.holders.save_file(b"proof")
    proof = HolderDocument(kind="title", name="a.pdf", sha256=sha256, bytes=5)
    stores.holders.save(Holder(name="h", documents=(proof,)))
    assert stores.holders.get("h") in stores.holders.listed(limit=5)
    with pytest.raises(UnknownRecord):
        stores.holders.get("i")
    stores.holders.delete_file(sha256)
    assert stores.holders.file(sha256) == b"proof"
    stores.holders.delete("h")
    stores.contacts.save(Contact(id="site:s", role="site", site="s"))
    assert stores.contacts.find("site", "s") in stores.contacts.listed(site="s", limit=5)
    assert [*stores.contacts.listed()] == [*stores.contacts.listed(role="site", limit=1)]
    stores.contacts.delete("site", "s")
    number = stores.notices.new_number()
    notice = replace(EARLIER, id=f"n{number}", number=number, sent=None, state="made")
    stores.notices.add(notice)
    for conditions in (
        {},
        {"case": 7},
        {"site": "copy.example"},
        {"state": "made"},
        {"case": 7, "state": "made"},
    ):
        assert stores.notices.get(notice.name) in stores.notices.listed(limit=5, **conditions)
    assert stores.notices.advance(notice, "sent", since=["made"])
    stores.notices.mark_reported(notice)
    at = utc_now()
    assert not stores.notices.interrupted_sends(at) + stores.notices.unreported()
    assert stores.notices.overdue(at)


def serve_programs(stores):
    """Do everything that the API asks of the stores, once."""
    at = utc_now()
    kept = KeptPackage(
        number="PD-1", path="", sha256="", bytes=1, by="", excerpts=False, cases=(1,), works=(1,), matches=1
    )
    stores.packages.add(kept)
    assert stores.packages.get("PD-1").works == (1,)
    request = IdempotentRequest(id="r", digest="d", until=at, ends=at + timedelta(days=1))
    assert stores.requests.begin(request, now=at) is None
    assert stores.requests.begin(request, now=at) is None  # the lease of the first one is over
    stores.requests.finish("r", status=200, content="{}", now=at, keep=timedelta(days=1))
    stores.requests.release("r")
    assert stores.requests.begin(request, now=at).status == 200


def delivery(number, addressee):
    """A delivery to an addressee."""
    occasion = Occasion(id=f"o{number}", kind="removed", at=utc_now())
    key = f"{addressee}{number}"
    return Delivery(id=key, addressee=addressee, cadence="daily", due=utc_now(), occasion=occasion)


def mailing(number, addressee):
    """A mailing to an addressee that carries one delivery."""
    at, key = utc_now(), f"{addressee}{number}"
    return Mailing(
        id=key,
        addressee=addressee,
        cadence="daily",
        deliveries=(key,),
        made=at,
        since=at,
        due=at,
        packed=True,
    )


def sign_in(stores):
    """Do everything that accounts ask of the stores, once."""
    now = utc_now()
    stores.accounts.add(Account(name="li", role="administrator", password="a hash"))  # noqa: S106 - no secret
    account = stores.accounts.get("li")
    with pytest.raises(LastAdministrator):
        stores.accounts.change(replace(account, disabled=now))
    assert stores.accounts.change(account).name == next(stores.accounts.listed(limit=5)).name
    with pytest.raises(UnknownRecord):
        stores.accounts.get("l")
    session = Session(id="s", account="li", address="", agent="", started=now, seen=now, ends=now)
    stores.sessions.add(session)
    assert stores.sessions.find("s")
    stores.sessions.record_use("s", now)
    stores.sessions.renew("s", 1)
    stores.sessions.delete_expired(now)
    assert stores.sessions.end_all("li") == 1
    token = Token(id="", digest="d", account="li", label="", scopes=(), made=now, ends=now)
    name = stores.tokens.add(token).id
    assert stores.tokens.get(name) == stores.tokens.by_digest("d")
    stores.tokens.record_use(name, now)
    assert stores.tokens.revoke_all("li", now) == stores.tokens.erase_all("li") == 1
    assert not stores.accounts.erase("none")


def tell(stores):
    """Do everything that alerts ask of the stores, once."""
    box, now = stores.outbox, utc_now()
    token = box.claim_turn(now=now, lease_s=60)
    assert box.extend_turn(token, now=now, lease_s=60)
    assert box.add([delivery(1, "lin")]) == 1
    assert box.count_waiting("lin", "daily") == len(box.due("lin", "daily", now=utc_now(), limit=9)) == 1
    box.pack(mailing(1, "lin"))
    assert box.interrupted_packings("lin") == []
    (ready,) = box.ready("lin", now=utc_now(), limit=9)
    assert len(box.deliveries_of(ready)) == 1
    claimed = box.claim(ready, until=now)
    box.record_failure(claimed, NO_MESSAGE, due=now)
    box.record_sent(claimed, at=now, answer="")
    assert box.listed("sent", limit=5)
    assert box.retry_failed(now=now) == 0
    mark = NumberMark(id="events", reached=1)
    box.set_mark(mark)
    assert box.mark("events") == mark
    box.set_moment("scans", now)
    assert box.moment("scans")
    box.begin_episode("log-broken", since=now, message=NO_MESSAGE)
    box.end_episode("log-broken")
    box.end_turn(token)
    assert not [*stores.health.raised_since(now), *stores.scans.ended_since(utc_now())]
    assert not [
        *stores.cases.with_deadline(now, now),
        *stores.cases.in_state_since("new", now, now),
        *stores.events.since(stores.events.last_number()),
    ]


def log_evidence(stores, settings):
    """Do everything that the evidence log asks of the stores, once."""
    log, at = stores.evidence_log, utc_now()
    assert append_pending(stores, settings, now=at) >= 4
    stores.captures.add_many([replace(CAPTURE, id="late", fetched=at)])
    assert log.count_unlogged() == 1
    assert append_pending(stores, settings, now=at) == 1
    assert sign_daily_root(stores, settings, now=at)
    assert stamp_roots(stores, settings) == []
    assert deposit_roots(stores, settings) == []
    log.record_receipt(1, StoredReceipt(witness="w", receipt=b"r", at=at))
    log.record_tokens(1, [StoredToken(authority="a", token=b"", root=b"")])
    statement = Statement(id="t", kind="erased", records=(("capture", "late", ""),))
    log.add_statement(statement)
    log.link_statement("capture", ["late"], statement=statement.id)
    log.delete_salts("capture", ["late"])
    assert [*log.statements("erased")] == [log.statement("t")]
    assert [leaf.record for leaf in log.newest(1)] == ["late"]
    log.delete_leaves(10**6)
    assert list(LogVerifier(stores, settings).problems()) != []  # of bodies that were never stored


def read_reports(stores):
    """Send the queries of reports, about one scan and about everything."""
    (scan,) = stores.scans.newest(1)
    for scope in ({"scan_id": scan.id}, {}, {"work": "书0"}, {"site": "s"}):
        build_report(stores, **scope)


def read_lists(stores):
    """Ask what lists ask: of what concerns something, or the first of all."""
    assert list(stores.cases.listed(limit=5))
    assert not [
        *stores.cases.listed(work_id=99),
        *stores.cases.listed(site="none"),
        *stores.cases.listed(state="removed"),
        *stores.cases.in_state_since("removed", utc_now(), utc_now()),
        *stores.events.of_case(99),
        *stores.events.of_cases([99]),
        *stores.notices.of_cases([99]),
        *stores.watches.of_cases([99]),
        *stores.cases.keys_on(["none"]),
    ]
    assert not [*stores.matches.listed(work_id=99), *stores.matches.listed(site="none")]
    assert not [*stores.matches.reviewed(), *stores.matches.keys_on_pages(["none"])]
    assert not [*stores.decisions.listed(limit=5), *stores.decisions.listed(state="confirmed", limit=5)]
    assert not [*stores.works.licensed(), *stores.works.with_licence_changes(utc_now())]
    assert [work.status for work in stores.works.changed_since(99)] == ["stored"]
    assert stores.works.neighbouring_titles("书")
    assert not [*stores.looks.pages_of_scan("none"), *stores.looks.counts_of_scan("none")]
    assert not stores.page_events.counts_of_scan("none")
    assert stores.pages.waiting("none") == stores.pages.compared("none") == 0
    assert not stores.pages.has_pages_in_progress("none")
    assert stores.scans.count() == 1
    assert stores.scans.last_end()
    stores.scans.last_end(trigger="schedule")


def review(stores):
    """Do what people do who review matches, of whom one has a match open."""
    now = utc_now()
    for moment in (now, now, now + timedelta(hours=1)):
        stores.review_leases.claim("m1", by="an", window="w1", now=moment)
    assert stores.review_leases.claim("m1", by="li", window="w2", now=now).by == "an"
    stores.review_leases.release("m1", window="w1")
    for owners in (None, ("holder",)):
        stores.lists.cases(waiting_cases(owners, None), after=None, limit=5)
        stores.case_figures.waiting(owners)
        stores.case_figures.by_state(owners, ["new"], ["copy"], too_long={"new": now}, since=now)
        stores.lists.count_up_to("matches", [in_review(owners, "confirmed")], most=9)
    assert not [*stores.cases.on_sites(["none"]), *stores.matches.of_decisions(["none"])]
    assert not [*stores.matches.get_many(["none"]), *stores.matches.reviews_of(["none"])]
    for reason in ("", "none"):
        assert not stores.lists.decisions(newest_dismissals(reason), after=None, limit=5).records
    stores.decisions.withdraw([DECISION])


def fill(stores):
    """Store many rows that no query concerns."""
    works = [
        (
            Work(
                id=number, key=f"k{number}", title=f"书{number}", kind="novel", origin="o", status="indexed"
            ),
            Passage(id=number, work_id=number, ordinal=0, title="", text=story(2_000, number), sha256="s"),
        )
        for number in range(1_000, 1_000 + PAGES)
    ]
    stores.database["works"].insert_many(to_document(work) for work, _ in works)
    version = stores.versions.current()
    tomorrow = utc_now() + timedelta(days=1)
    stores.database["watches"].insert_many(
        to_document(
            Watch(
                id=f"w{number}",
                url=f"http://b/{number}",
                source="x",
                cases=(number,),
                page_id="p",
                since=tomorrow,
                due=tomorrow,
                state="up",
            )
        )
        for number in range(1_000, 1_000 + PAGES)
    )
    accounts = [Account(name=f"a{number}", role="analyst") for number in range(PAGES)]
    stores.database["accounts"].insert_many(to_document(account, key="name") for account in accounts)
    times = {"started": tomorrow, "seen": tomorrow, "ends": tomorrow}
    stores.database["sessions"].insert_many(
        to_document(Session(id=f"s{number}", account=f"a{number}", address="", agent="", **times))
        for number in range(PAGES)
    )
    stores.database["tokens"].insert_many(
        to_document(
            Token(
                id=f"x{number}",
                digest=f"x{number}",
                account=f"a{number}",
                label="",
                scopes=(),
                made=tomorrow,
                ends=tomorrow,
            )
        )
        for number in range(PAGES)
    )
    stores.database["review_leases"].insert_many(
        to_document(ReviewLease(id=f"r{number}", by="an", window="w", until=tomorrow))
        for number in range(PAGES)
    )
    stores.outbox.add([delivery(number, "wang") for number in range(PAGES)])
    stores.database["mailings"].insert_many(to_document(mailing(number, "wang")) for number in range(PAGES))
    stores.database["events"].insert_many(
        to_document(Event(id=f"e{number}", case=number, kind="noted", at=tomorrow, by="", number=-number))
        for number in range(1_000, 1_000 + PAGES)
    )
    stores.database["evidence_leaves"].insert_many(
        to_document(Leaf(id=number, kind="event", record=f"e{number}", digest="", salt=b"", at=tomorrow))
        for number in range(1_000, 1_000 + PAGES)
    )
    Filler(stores, Prose(story(5_000, 1)), works, version, matching=1, of_a_scan=1).fill(PAGES)


@pytest.fixture
def recorded(settings):
    """Open stores with their schema, and the recorder of their queries from then on."""
    recorder = Recorder()
    with listening(recorder):
        stores = open_stores(settings.storage)
    stores.ensure_schema()
    recorder.asked.clear()
    yield stores, recorder
    stores.database.client.drop_database(stores.database.name)
    stores.close()


@pytest.mark.services
def test_no_query_reads_unrelated_documents(recorded, redis_client, settings):
    """A query reads few documents of a filled database, except for the listed exceptions."""
    stores, recorder = recorded
    life(stores, redis_client, settings)
    use_crawl_stores(stores)
    write_notices(stores)
    watch_addresses(stores)
    read_reports(stores)
    read_lists(stores)
    serve_programs(stores)
    tell(stores)
    sign_in(stores)
    review(stores)
    log_evidence(stores, settings)
    queries = {recorded_query.shape: recorded_query for recorded_query in recorder.asked}
    assert {recorded_query.collection for recorded_query in queries.values()} >= set(VALIDATORS)
    assert len(queries) > 60
    fill(stores)
    reading = {shape: read_by(recorded_query, stores.database) for shape, recorded_query in queries.items()}
    much = {shape: read for shape, read in reading.items() if read is None or read > FEW}
    assert {shape: read for shape, read in much.items() if shape not in WHOLE} == {}
    assert WHOLE.keys() <= much.keys()  # no exception outlives its query


@pytest.mark.services
def test_database_page_lists_every_index(stores):
    page = (Path(__file__).parents[2] / "docs" / "database.md").read_text(encoding="utf-8")
    rows = page.partition("\n|---|---|---|\n")[2].splitlines()
    documented = defaultdict(set)
    for row in rows:
        if row.startswith("|"):
            name, _, keys = row.strip("|").split("|")
            documented[name.strip()] |= {"".join(key) for key in re.findall(r"`(\([^)]*\))`(\*?)", keys)}
    database = stores.database
    existing = {name: set(map(_shown, database[name].list_indexes())) for name in VALIDATORS}
    assert {name: documented.get(name) for name in existing} == {
        name: keys - {"(_id)"} for name, keys in existing.items()
    }


def _shown(index):
    return f"({', '.join(index['key'])})" + "*" * bool(index.get("sparse"))


@pytest.mark.parametrize(
    ("query", "keys", "plan"),
    [
        ({"a": 1, "b": 2}, ["a", "b"], Plan({"a": 1, "b": 2}, is_whole=True, is_ordered=True)),
        ({"a": 1, "b": 2}, ["a"], Plan({"a": 1}, is_whole=False, is_ordered=True)),
        ({"b": 2}, ["a", "b"], None),
        ({"a": {"$gt": 1}, "b": 2}, ["a", "b"], Plan({"a": {"$gt": 1}}, is_whole=False, is_ordered=True)),
        ({"a": {"$ne": 1}}, ["a"], None),
        ({"a": {"$in": [1, 2]}}, ["a"], Plan({"a": {"$in": [1, 2]}}, is_whole=True, is_ordered=True)),
        ({}, ["a"], None),
    ],
)
def test_index_serves_bounds_on_its_first_field(query, keys, plan):
    assert plan_of(Asked("c", "find", query), keys) == plan


def test_index_provides_the_requested_order():
    newest = Asked("c", "find", {"a": 1}, sort=(("b", -1),), limit=5)
    assert plan_of(newest, ["a", "b"]).is_ordered
    assert not plan_of(newest, ["a", "c", "b"]).is_ordered
    assert plan_of(Asked("c", "find", {}, sort=(("a", 1),)), ["a"]) == Plan(
        {}, is_whole=True, is_ordered=True
    )


def test_sparse_index_does_not_serve_missing_fields():
    assert plan_of(Asked("c", "find", {"a": None}), ["a"], is_sparse=True) is None
    assert plan_of(Asked("c", "find", {"a": {"$exists": True}}), ["a"], is_sparse=True) is not None
    assert plan_of(Asked("c", "find", {"a": {"$exists": True}}), ["a"]) is None
