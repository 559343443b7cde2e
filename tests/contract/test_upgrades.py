"""What earlier schemas stored is brought into the form of this one, however often that is tried."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from support.letters import EARLIER, notice_case
from support.matches import match_with

from storage.collections.decisions import decision_id
from storage.collections.leases import shard_of
from storage.records import (
    Page,
    Passage,
    Scan,
    Span,
    SuppressedSpan,
    Work,
    utc_now,
)
from tracker.judgement.cases import case_of, refresh_cases

pytestmark = [pytest.mark.services, pytest.mark.db_admin]
LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)
SPAN = Span(page_start=0, page_end=9, passage_start=0, passage_end=9, char_identity=1, sound_identity=1)

OLD_DISMISSAL = {
    "work_id": 1,
    "passage_id": 1,
    "passage_sha256": "1",
    "start": 0,
    "end": 9,
    "because": "permitted",
    "work_title": "",
    "passage_title": "",
    "url": "u",
    "made": LONG_AGO,
}


def test_older_schema_is_brought_up_to_date(stores):
    stores.works.save(Work(id=1, key="k", title="t", kind="news", origin=""))
    stores.pages.see_many([Page(id="p", url="u", host="s", source="x", kind="article")])
    for name in ("works", "pages"):
        stores.database[name].update_many({}, {"$unset": {"shard": 1}})
    stores.database["schema"].delete_many({})
    stores.database["works"].create_index("status")
    assert stores.works.reserve_stored(count=9, lease_s=60)[1] == []
    stores.ensure_schema()
    assert stores.database["works"].find_one({"_id": 1})["shard"] == shard_of(1)
    assert stores.works.reserve_stored(count=9, lease_s=60)[1] == [1]
    assert stores.pages.reserve_fetched(count=9, lease_s=60).ids == ["p"]
    assert "status_1" not in stores.database["works"].index_information()


def test_replaced_indexes_of_cases_are_dropped(stores):
    cases = stores.database["cases"]
    as_new = set(cases.index_information())
    for prefix in ([], ["owner"], ["assignee"]):
        keys = [(field, 1) for field in (*prefix, "state", "verdict")]
        cases.create_index([*keys, ("copied_chars", -1), ("_id", 1)])
    assert len(cases.index_information()) == len(as_new) + 3
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 6}})
    stores.ensure_schema()
    assert set(cases.index_information()) == as_new


@pytest.mark.parametrize(("name", "state"), [("pages", "state"), ("works", "status")])
def test_indexes_of_leases_that_nothing_asks_for_are_dropped(stores, name, state):
    rows = stores.database[name]
    as_new = set(rows.index_information())
    rows.create_index([(state, 1), ("lease.until", 1)])
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 7}})
    stores.ensure_schema()
    assert set(rows.index_information()) == as_new


def test_reservation_of_an_earlier_version_is_respected_until_it_ends(stores):
    """The reservation was in the record itself; its messages are refused, and nothing is lost."""
    stores.pages.see_many([Page(id="p", url="u", host="s", source="x", kind="article")])
    until = utc_now() + timedelta(seconds=60)
    earlier = {"lease": {"token": "t" * 32, "until": until, "taken": False}}
    stores.database["pages"].update_one({"_id": "p"}, {"$set": earlier})
    assert stores.pages.reserve_fetched(count=9, lease_s=60).ids == []
    assert stores.pages.claim_many(["p"], token="t" * 32, lease_s=60)[1] == []
    stores.database["pages"].update_one({"_id": "p"}, {"$set": {"lease.until": utc_now()}})
    assert stores.pages.reserve_fetched(count=9, lease_s=60).ids == ["p"]


def _as_schema_3(stores):
    """Store two hosts of one site as schema 3 did: everything under its host."""
    for host in ("m.a.cn", "www2.a.cn:81"):
        page = Page(id=f"p {host}", url=f"http://{host}/1", host=host, source="x", kind="article")
        stores.pages.see_many([page])
        old = decision_id(host, "1", 0, 9)
        stores.database["dismissals"].insert_one({**OLD_DISMISSAL, "_id": old, "site": host})
        suppressed = SuppressedSpan(span=SPAN, dismissal_id=old, because="permitted")
        match = match_with(id=f"m {host}", page_id=page.id, work_id=1, site=host, suppressed=(suppressed,))
        stores.matches.replace_for_pages({page.id: [match]})
        stores.cases.save(case_of([match]))
        stores.database["cases"].update_many({}, {"$set": {"first_seen": LONG_AGO}})
    stores.database.command("collMod", "pages", validator={})
    for row in list(stores.database["pages"].find({})):
        moved = {"$set": {"site": row["host"]}, "$unset": {"host": ""}}
        stores.database["pages"].update_one({"_id": row["_id"]}, moved)
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 3}})


@pytest.mark.parametrize("times", [1, 2])
def test_upgrade_moves_records_from_host_to_site(stores, times):
    _as_schema_3(stores)
    for _ in range(times):  # as if it had been broken off before the version was written
        stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 3}})
        stores.ensure_schema()
    assert {(page.host, page.site) for page in stores.pages.all()} == {
        ("m.a.cn", "a.cn"),
        ("www2.a.cn:81", "a.cn"),
    }
    (decision,) = stores.decisions.listed()
    assert (decision.id, decision.site) == (decision_id("a.cn", "1", 0, 9), "a.cn")
    assert (decision.state, decision.because, decision.made) == ("dismissed", "permitted", LONG_AGO)
    assert "dismissals" not in stores.database.list_collection_names()
    matches = stores.matches.of_case(1, "a.cn")
    assert {match.suppressed[0].dismissal_id for match in matches} == {decision.id}
    (case,) = stores.cases.listed()
    assert (case.id, case.site, case.pages, case.first_seen) == ("1@a.cn", "a.cn", 2, LONG_AGO)


@pytest.mark.parametrize("times", [1, 2])
def test_upgrade_makes_decisions_of_confirmations_and_numbers_records(stores, times):
    stores.passages.save_many([Passage(id=1, work_id=1, ordinal=0, title="", text="x" * 90, sha256="1")])
    for day, name in enumerate("ba"):
        at = LONG_AGO + timedelta(days=day)
        match = match_with(
            id=name, page_id=name, work_id=day, site="a.cn", spans=(SPAN,), review="confirmed", first_seen=at
        )
        stores.matches.replace_for_pages({name: [match]})
        stores.cases.save(case_of([match]))
    stores.database.command("collMod", "cases", validator={})
    for collection in ("matches", "cases"):
        stores.database[collection].update_many({}, {"$unset": {"number": 1, "state": 1, "moves": 1}})
    stores.database["counters"].delete_many({})
    for _ in range(times):
        stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 3}})
        stores.ensure_schema()
    (decision,) = {replace(decision, made=LONG_AGO) for decision in stores.decisions.listed()}
    assert (decision.id, decision.state) == (decision_id("a.cn", "1", 0, 9), "confirmed")
    assert [stores.matches.get(name).id for name in ("m1", "m2")] == ["b", "a"]
    assert [(case.number, case.state) for case in map(stores.cases.get, ("c1", "c2"))] == [
        (1, "confirmed"),
        (2, "confirmed"),
    ]


@pytest.mark.parametrize("times", [1, 2])
def test_cases_of_schema_5_get_states_and_the_first_event(stores, times):
    stores.database.command("collMod", "cases", validator={})
    cases = [case_of([match_with(id=site, work_id=1, site=site)]) for site in ("a.cn", "b.cn", "c.cn")]
    for case, status in zip(cases, ("partly", "dismissed", "confirmed"), strict=True):
        stores.cases.save(case)
        change = {"$set": {"status": status}, "$unset": {"state": 1, "moves": 1, "since": 1, "assignee": 1}}
        stores.database["cases"].update_one({"_id": case.id}, change)
    removed = stores.database["cases"].find_one_and_delete({"_id": cases[2].id})
    kept = {"_id": f"cases:{removed['_id']}", "work_id": 1, "kind": "cases", "document": removed}
    stores.database["removed"].insert_one(kept)
    for _ in range(times):
        stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 5}})
        stores.ensure_schema()
    upgraded = [stores.cases.get(name) for name in ("c1", "c2", "c3")]
    assert [(case.state, case.moves, case.assignee) for case in upgraded] == [
        ("new", 1, ""),
        ("dismissed", 1, ""),
        ("confirmed", 1, ""),
    ]
    assert [[event.kind for event in stores.events.of_case(number)] for number in (1, 2, 3)] == [
        ["carried-over"]
    ] * 3
    assert not list(stores.database["removed"].find({}))
    refresh_cases(stores, [(1, "c.cn")])  # the work is gone, and its matches with it
    assert (stores.cases.get("c3").state, stores.cases.get("c3").reason) == ("closed", "not-protected")


@pytest.mark.parametrize(("dismissed", "share"), [(["r"], 0.8), (["p", "q", "r"], 0.9)])
def test_cases_of_schema_6_get_the_shares_that_they_would_be_summed_up_to(stores, dismissed, share):
    stores.works.save(Work(id=1, key="k", title="t", kind="news", origin="", characters=400))
    parts = (("p", 0.5), ("q", 0.8), ("r", 0.9))
    matches = [
        match_with(id=key, page_id=key, work_id=1, site="a.cn", coverage=share) for key, share in parts
    ]
    for match in matches:
        stores.matches.replace_for_pages({match.page_id: [match]})
    stores.database["matches"].update_many({"_id": {"$in": dismissed}}, {"$set": {"review": "dismissed"}})
    assert (
        case_of([match_with(coverage=coverage, review="dismissed") for _, coverage in parts]).page_share
        == 0.9
    )
    case = stores.cases.save(replace(case_of(matches), copied_chars=100))
    gone = {"$unset": {"page_share": 1, "work_share": 1}}
    stores.database["cases"].update_one({"_id": case.id}, gone)
    assert stores.cases.get(case.id).page_share == 0
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 6}})
    stores.ensure_schema()
    assert (stores.cases.get(case.id).page_share, stores.cases.get(case.id).work_share) == (share, 0.25)


@pytest.mark.parametrize("times", [1, 2])
def test_upgrade_of_schema_4_marks_unread_states(stores, times):
    """Pages of running scans get settled, interrupted pages are retried, replaced pages are never stale."""
    stores.scans.open(Scan(id="runs", trigger="hand", sources=(), started=LONG_AGO))
    common = {"host": "s", "source": "x", "kind": "article", "text": "灯", "content_hash": "1"}
    broken = {"state": "failed", "reason": "gave-up"}
    pages = [
        Page(id="seen", url="1", scan_id="runs", **common),
        Page(id="broken", url="2", **broken, **common),
        Page(id="list", url="3", state="failed", reason="list", **common),
        Page(id="history", url="4", **broken, **common),
        Page(id="old", url="5", state="compared", corpus_version=1, **common),
    ]
    stores.pages.see_many(pages)
    stored = stores.database["pages"]
    stored.update_many({}, {"$unset": {"unsettled": 1}})
    gone = {"standing": "replaced", "replaced": LONG_AGO}
    stored.update_many({"_id": {"$in": ["history", "old"]}}, {"$set": gone})
    stored.create_index([("scan_id", 1), ("state", 1)])
    for _ in range(times):
        stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 4}})
        stores.ensure_schema()
    assert [row["_id"] for row in stored.find({"unsettled": {"$gt": ""}})] == ["seen"]
    assert [row["_id"] for row in stored.find({"broke_off": {"$lt": utc_now()}})] == ["broken"]
    assert stores.pages.stale.count(corpus_version=9) == 1
    assert not {"state_1_shard_1", "scan_id_1_state_1"} & stored.index_information().keys()


def test_case_of_a_notice_becomes_a_list(stores):
    stores.notices.add(replace(EARLIER, cases=(notice_case(7, urls=("https://a.cn/1",), reminds="n0"),)))
    new = stores.notices.get("n1")
    rows = stores.database["notices"]
    (case,) = rows.find_one({"_id": "n1"})["cases"]
    earlier = {**{name: case[name] for name in ("work_id", "work_title", "urls", "reminds")}, "case": 7}
    change = {"$set": earlier, "$unset": {"cases": 1, "letter": 1, "letters": 1}}
    rows.update_one({"_id": "n1"}, change, bypass_document_validation=True)
    rows.create_index([("case", 1), ("number", -1)])
    stores.database["schema"].update_one({"_id": "schema"}, {"$set": {"version": 8}})
    stores.ensure_schema()
    assert stores.notices.get("n1") == new
    assert list(stores.notices.listed(case=7)) == [new]
    assert "case" not in rows.find_one({"_id": "n1"})
    assert "case_1_number_-1" not in rows.index_information()
