"""The figures of the first page: as many as the lists that they lead to, by ranges of indexes."""

from dataclasses import replace
from datetime import timedelta

import pytest
from support.plans import Recorder, listening, plan_of
from support.two_holders import LAMP, NOON, RIVER, fill

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.queries.cases import CaseQuery, list_cases
from analysis.queries.matches import MatchQuery, list_matches
from analysis.queries.today import today
from storage.collections import keyset
from storage.collections.filters import CaseFilter
from storage.collections.stores import open_stores
from storage.records import Account, Event, Scan, Watch
from storage.settings.results import AnalysisSettings

pytestmark = pytest.mark.services
ANALYST = identity_of(Account(name="an", role="analyst"))
HOLDER = identity_of(Account(name="li", role="holder", holders=(LAMP,)))
STRANGER = identity_of(Account(name="he", role="holder"))
RULES = AnalysisSettings()
NOW = NOON + timedelta(days=9)


@pytest.fixture
def filled(stores):
    fill(stores)
    stores.scans.open(Scan(id="s1", trigger="hand", sources=(), started=NOON + timedelta(hours=23)))
    done = replace(
        stores.scans.get("s1"),
        status="finished",
        finished=NOON + timedelta(days=2),
        not_compared={"timeout": 1},
    )
    assert stores.scans.finish(done)
    stores.scans.open(Scan(id="s2", trigger="hand", sources=(), started=NOON + timedelta(days=8)))
    return stores


@pytest.mark.parametrize("identity", [ANALYST, HOLDER, STRANGER], ids=["analyst", "holder", "stranger"])
def test_every_figure_equals_its_list(filled, identity):
    figures = today(identity, filled, RULES, now=NOW)

    def cases(**wanted):
        asked = CaseQuery(leads=True, **wanted)
        return list_cases(identity, filled, RULES, asked, now=NOW).items

    assert {state: count.number for state, count in figures.states.items()} == {
        state: len(cases(state=state)) for state in ("new",) if cases(state=state)
    }
    assert figures.overdue.number == len(cases(overdue=True))
    assert figures.new_cases.number == len(cases(since=figures.since, order="newest"))
    assert figures.open_finds.number == len(list_matches(identity, filled, MatchQuery(review="open")).items)
    assert sum(row.finds for row in figures.new_copies) == len(
        [
            match
            for match in list_matches(identity, filled, MatchQuery(since=figures.since)).items
            if match.verdict in ("copy", "partial")
        ]
    )


def test_holder_gets_figures_of_visible_works_only(filled):
    own, every = today(HOLDER, filled, RULES, now=NOW), today(ANALYST, filled, RULES, now=NOW)
    assert (own.states["new"].number, every.states["new"].number) == (2, 3)
    assert {row.case for row in own.new_copies} == {"c1", "c2"}
    assert {row.case for row in every.new_copies} == {"c1", "c2", "c3"}
    assert (own.scan, own.running, own.waiting) == (None, (), None)  # scans are not a holder's
    assert every.scan is not None
    assert every.scan.id == "s1"  # the last that ended
    assert [scan.id for scan in every.running] == ["s2"]
    assert own.works
    nobody = today(STRANGER, filled, RULES, now=NOW)
    assert (nobody.works, nobody.states, nobody.new_copies) == (False, {}, ())


def test_hours_to_removal_are_those_of_cases_that_were_removed_of_late(filled):
    case = filled.cases.get("c1")
    moved = Event(id="", case=1, kind="removed", at=NOW, by="", before="new", after="removed")
    filled.cases.advance(case, moved)
    watch = Watch(
        id="w",
        url="http://one.cn/",
        source="x",
        page_id="p",
        since=NOON,
        due=NOON,
        notified=NOON,
        gone_since=NOON + timedelta(hours=30),
    )
    filled.watches.enrol(watch, case.number)
    # A takedown lasts until its last address is gone.
    sooner = replace(watch, id="v", url="http://one.cn/2", gone_since=NOON + timedelta(hours=10))
    filled.watches.enrol(sooner, case.number)
    figures = today(HOLDER, filled, RULES, now=NOW)
    assert (figures.removals.number, figures.hours) == (1, 30.0)
    later = today(HOLDER, filled, RULES, now=NOW + timedelta(days=91))
    assert (later.removals.number, later.hours) == (1, None)
    other = identity_of(Account(name="he", role="holder", holders=(RIVER,)))
    assert today(other, filled, RULES, now=NOW).hours is None


def test_today_needs_the_permission_of_every_figure(filled):
    account = Account(name="an", role="analyst")
    with pytest.raises(NotPermitted):
        today(replace(identity_of(account), permissions=frozenset({"cases:read"})), filled, RULES)


@pytest.mark.parametrize("identity", [ANALYST, HOLDER], ids=["analyst", "holder"])
def test_no_figure_reads_a_collection(filled, settings, identity):
    recorder = Recorder()
    with listening(recorder):
        stores = open_stores(settings.storage)
        today(identity, stores, RULES, now=NOW)
        stores.close()
    assert len(recorder.asked) > 10
    for asked in recorder.asked:
        indexes = [list(index["key"]) for index in filled.database[asked.collection].list_indexes()]
        assert any(plan_of(asked, keys) for keys in indexes), asked.shape


def test_counting_ends_at_its_bound(filled, monkeypatch):
    runs = CaseFilter().runs()
    assert filled.lists.count_up_to("cases", runs, most=4) == (4, False)
    assert filled.lists.count_up_to("cases", runs, most=3) == (3, True)
    some = CaseFilter(order="newest", pages=()).runs()
    (run,) = [replace(own, also={"work_id": 2}) for own in some]
    assert filled.lists.count_up_to("cases", [run], most=9) == (2, False)
    monkeypatch.setattr(keyset, "EXAMINED", 2)  # rows in which further conditions are looked up
    assert filled.lists.count_up_to("cases", [run], most=9) == (2, True)
