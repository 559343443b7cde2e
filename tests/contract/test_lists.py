"""Lists of cases, matches, decisions and names: in the server's order, as far as they are wanted."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice

import pymongo
import pytest
from support.matches import match_with
from support.plans import listening

from storage.collections import naming
from storage.collections.documents import to_document
from storage.collections.stores import open_stores
from storage.records import VERDICTS, Case, Decision, Look, PageEvent, SiteLicence, Source
from system.errors import MistakenName, UnknownRecord
from tracker.corpus.naming import find_work

pytestmark = pytest.mark.services
NOON = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)


def save_cases(stores):
    for number, (work_id, site, verdict, copied, state) in enumerate(
        [
            (1, "a.cn", "quote", 900, "new"),
            (2, "a.cn", "copy", 10, "new"),
            (1, "b.cn", "copy", 50, "confirmed"),
            (3, "b.cn", "copy", 50, "new"),
            (2, "c.cn", "clear", 5000, "dismissed"),
            (3, "a.cn", "licensed", 1, "new"),
        ]
    ):
        case = Case(
            id=f"{work_id}@{site}",
            work_id=work_id,
            work_title="",
            site=site,
            verdict=verdict,
            pages=1,
            passages=1,
            copied_chars=copied,
            first_seen=NOON,
            last_seen=NOON + timedelta(days=number),
            state=state,
        )
        stores.cases.save(case)


def test_cases_are_listed_by_gravity_and_then_the_most_copied(stores):
    save_cases(stores)
    for case_filter, expected in (
        ({}, "1@b.cn 3@b.cn 2@a.cn 3@a.cn 1@a.cn 2@c.cn"),
        ({"limit": 3}, "1@b.cn 3@b.cn 2@a.cn"),
        ({"site": "a.cn"}, "2@a.cn 3@a.cn 1@a.cn"),
        ({"site": "a.cn", "limit": 2}, "2@a.cn 3@a.cn"),
        ({"work_id": 1}, "1@b.cn 1@a.cn"),
        ({"work_id": 2, "site": "a.cn"}, "2@a.cn"),
        ({"state": "new"}, "3@b.cn 2@a.cn 3@a.cn 1@a.cn"),
        ({"state": "new", "work_id": 3}, "3@b.cn 3@a.cn"),
        ({"site": "none.cn"}, ""),
    ):
        assert [case.id for case in stores.cases.listed(**case_filter)] == expected.split()


def test_cases_by_site_and_by_id(stores):
    save_cases(stores)
    # New, dismissed and closed cases are not pursued.
    assert stores.cases.count_pursued(["a.cn", "b.cn", "none.cn"]) == {"a.cn": 0, "b.cn": 1, "none.cn": 0}
    closed = replace(next(stores.cases.listed(work_id=1)), id="1@d.cn", site="d.cn", state="closed")
    stores.cases.save(closed)
    assert stores.cases.open_of([1, 2, 9]) == {1: 2, 2: 2, 9: 0}
    assert sorted(stores.cases.keys_on(["c.cn", "b.cn", "b.cn"])) == [(1, "b.cn"), (2, "c.cn"), (3, "b.cn")]
    assert stores.cases.get_many(["2@c.cn", "9@c.cn"]).keys() == {"2@c.cn"}


def save_matches(stores):
    rows = [
        match_with(id="1", page_id="p", work_id=1, site="a.cn", verdict="quote", copied_chars=900),
        match_with(id="2", page_id="p", work_id=2, site="a.cn", verdict="copy", copied_chars=10),
        match_with(id="3", page_id="q", work_id=1, site="b.cn", verdict="copy", copied_chars=50),
        match_with(
            id="4", page_id="q", work_id=1, site="b.cn", verdict="copy", review="confirmed", copied_chars=70
        ),
        match_with(id="5", page_id="r", work_id=1, site="b.cn", verdict="copy", replaced=NOON),
        match_with(id="6", page_id="s", work_id=3, site="b.cn", verdict="quote", review="dismissed"),
    ]
    stores.database["matches"].insert_many(map(to_document, rows))
    return {row.id: row for row in rows}


def test_matches_are_listed_by_gravity_and_then_the_most_copied(stores):
    save_matches(stores)
    for match_filter, expected in (
        ({}, "4 3 2 1 6"),
        ({"work_id": 1}, "4 3 1"),
        ({"site": "b.cn"}, "4 3 6"),
        ({"work_id": 1, "site": "b.cn", "review": ""}, "3"),
        ({"review": ""}, "3 2 1"),
        ({"verdicts": ["quote"]}, "1 6"),
        ({"verdicts": ["quote"], "site": "a.cn"}, "1"),
    ):
        assert [match.id for match in stores.matches.listed(**match_filter)] == expected.split()


def test_matches_by_pages(stores):
    saved = save_matches(stores)
    assert [match.id for match in stores.matches.reviewed()] == ["4", "6"]
    assert [match.id for match in stores.matches.reviewed("dismissed")] == ["6"]
    assert stores.matches.keys_on_pages(["p", "s", "none"]) == {(1, "a.cn"), (2, "a.cn"), (3, "b.cn")}
    assert sorted(match.id for match in stores.matches.of_pages(["p", "r"])) == ["1", "2", "5"]
    stores.matches.touch_pages({"p": NOON, "none": NOON}, scan_id="s9")
    assert {match.id for match in stores.matches.listed() if match.scan_id == "s9"} == {"1", "2"}
    assert next(iter(stores.matches.of_page("q"))).last_seen == saved["4"].last_seen


class Answers(pymongo.monitoring.CommandListener):
    """Counts the documents that the server sends."""

    def __init__(self):
        self.documents = 0

    def started(self, event):
        """Not needed."""

    def succeeded(self, event):
        cursor = event.reply.get("cursor", {})
        self.documents += len(cursor.get("firstBatch", cursor.get("nextBatch", ())))

    def failed(self, event):
        """Not needed."""


@pytest.fixture
def counted(settings):
    """Open stores, and the counter of the documents that the server sends."""
    answers = Answers()
    with listening(answers):
        stores = open_stores(settings.storage)
    stores.ensure_schema()
    yield stores, answers
    stores.database.client.drop_database(stores.database.name)
    stores.close()


def test_lists_read_only_the_requested_rows_from_the_server(counted, monkeypatch):
    monkeypatch.setattr(naming, "_NEIGHBOURS", 20)
    stores, answers = counted
    rows = [match_with(id=f"{number:04}", verdict="copy", copied_chars=number) for number in range(300)]
    stores.database["matches"].insert_many(map(to_document, rows))
    names = [Source(name=f"{number:04}", kind="news", start_urls=("http://a/",)) for number in range(300)]
    stores.database["sources"].insert_many(to_document(source, key="name") for source in names)
    answers.documents = 0
    assert [match.id for match in islice(stores.matches.listed(), 2)] == ["0299", "0298"]
    assert answers.documents <= 101  # the first part that a server sends
    answers.documents = 0
    with pytest.raises(MistakenName, match="0107"):
        stores.sources.get("0107x")
    assert answers.documents <= 40


def decision(name, state, day):
    fields = {"site": "a.cn", "work_id": 1, "passage_id": 1, "passage_sha256": name, "start": 0, "end": 9}
    return Decision(id=name, state=state, because="", made=NOON + timedelta(days=day), **fields)


def test_decisions_are_listed_the_newest_first(stores):
    stores.decisions.save_many(
        [decision("a", "dismissed", 1), decision("b", "confirmed", 3), decision("c", "dismissed", 2)]
    )
    assert [listed.id for listed in stores.decisions.listed()] == ["b", "c", "a"]
    assert [listed.id for listed in stores.decisions.listed(limit=1)] == ["b"]
    assert [listed.id for listed in stores.decisions.listed(state="dismissed")] == ["c", "a"]
    assert [listed.id for listed in stores.decisions.listed(state="dismissed", limit=1)] == ["c"]


def test_works_with_either_kind_of_licence_are_listed(stores, save_work):
    save_work(1, {1: "一"}, licensed_sites=("a.cn",))
    save_work(2, {2: "二"}, licences=(SiteLicence(site="b.cn"),))
    save_work(3, {3: "三"})
    save_work(4, {4: "四"}, licensed_sites=("a.cn",), status="removed")
    assert [work.id for work in stores.works.licensed()] == [1, 2]


def test_looks_and_events_of_a_scan_are_counted_by_the_server(stores):
    for number, (state, kind) in enumerate([("up", "new"), ("gone", "gone"), ("up", "new")]):
        scan = "s1" if number else "s2"
        fields = {"url": f"u{number}", "scan_id": scan, "source": "x", "at": NOON}
        stores.looks.add_many([Look(id=str(number), page_id=f"p{number}", state=state, **fields)])
        stores.page_events.add_many([PageEvent(id=str(number), kind=kind, **fields)])
    assert stores.looks.counts_of_scan("s1") == {"gone": 1, "up": 1}
    assert stores.page_events.counts_of_scan("s1") == {"gone": 1, "new": 1}
    assert sorted(stores.looks.pages_of_scan("s1")) == ["p1", "p2"]


def test_misspelt_title_is_compared_with_neighbouring_titles(stores, save_work, monkeypatch):
    monkeypatch.setattr(naming, "_NEIGHBOURS", 2)
    for number, title in enumerate(["安", "青灯录", "青灯渡", "青灯集", "早"], start=1):
        stores.works.save(replace(save_work(number, {number: "文"}), title=title))
    with pytest.raises(UnknownRecord) as raised:
        find_work("青灯度", stores)
    assert set(raised.value.data["near"]) <= {"青灯录", "青灯渡", "青灯集"}
    assert raised.value.data["near"]


def test_list_of_matches_sorts_by_every_verdict(stores):
    rows = [match_with(id=verdict, verdict=verdict) for verdict in reversed(VERDICTS)]
    stores.database["matches"].insert_many(map(to_document, rows))
    assert [match.verdict for match in stores.matches.listed()] == [*VERDICTS]
