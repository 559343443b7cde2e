"""Each list is a range of an index, of which MongoDB examines at most three times what is shown.

``PINDNA_PLAN_ROWS=20000`` asks 100,000 pages and 20,000 of everything else.
"""

import os
from datetime import timedelta

import pytest
from support.letters import EARLIER, notice_case
from support.matches import match_with
from support.plans import Recorder, listening, read_by
from support.two_holders import LAMP, NOON

from analysis.accounts.permissions import identity_of
from analysis.queries.cases import CaseQuery, case_history, list_cases
from analysis.queries.comparisons import comparisons
from analysis.queries.events import list_audit
from analysis.queries.evidence import list_packages
from analysis.queries.matches import MatchQuery, list_matches
from analysis.queries.notices import NoticeQuery, list_notices
from analysis.queries.pages import PageQuery, list_pages
from analysis.queries.scans import list_scans
from analysis.queries.works import WorkQuery, list_works
from storage.collections.checked import CheckedDatabase
from storage.collections.documents import to_document
from storage.collections.keyset import EXAMINED
from storage.collections.newest import Newest
from storage.collections.owners import owner_of
from storage.collections.stores import open_stores
from storage.records import Account, Case, Event, KeptPackage, Notice, Page, Scan, Work
from storage.settings.results import AnalysisSettings

pytestmark = pytest.mark.services
ROWS, SHOWN = int(os.environ.get("PINDNA_PLAN_ROWS", "60")), 5
PAGES_A_ROW = 5
ROOT = identity_of(Account(name="root", role="administrator"))
HOLDER = identity_of(Account(name="li", role="holder", holders=(LAMP,)))
RULES = AnalysisSettings()
FEW = comparisons(">70")


def rows(number):
    """Return a row of each collection; all are alike in what lists ask for."""
    first_seen = NOON + timedelta(minutes=number)
    moment = {"first_seen": first_seen, "last_seen": first_seen}
    yield (
        "works",
        Work(
            id=number,
            key=f"k{number}",
            title=f"书{number:04}",
            kind="novel",
            origin="",
            holder=LAMP,
            status="indexed",
        ),
        {"name": f"书{number:04}"},
    )
    yield (
        "matches",
        match_with(
            id=f"{number}", page_id=f"p{number}-0", site="s.cn", copied_chars=100 + number % 9, **moment
        ),
        {},
    )
    yield (
        "cases",
        Case(
            id=f"{number}@s.cn",
            work_id=1,
            work_title="",
            site="s.cn",
            verdict="copy",
            pages=1,
            passages=1,
            copied_chars=100 + number % 9,
            state="new",
            since=first_seen,
            deadline=first_seen,
            assignee="wu",
            number=number,
            **moment,
        ),
        {},
    )
    for number_of_page in range(PAGES_A_ROW):
        yield (
            "pages",
            Page(
                id=f"p{number}-{number_of_page}",
                url=f"u{number}-{number_of_page}",
                host="s.cn",
                source="x",
                kind="article",
                scan_id="s",
                state="compared" if number_of_page else "failed",
                reason="" if number_of_page else "timeout",
                verdict="copy",
                **moment,
            ),
            {},
        )
    yield (
        "notices",
        Notice(
            **{name: getattr(EARLIER, name) for name in ("kind", "holder", "addressee", "subject", "text")},
            id=f"n{number}",
            number=number,
            cases=(notice_case(1), notice_case(2, work_id=2)),
            site="s.cn",
        ),
        {},
    )
    for case in (0, 1):
        yield (
            "events",
            Event(
                id=f"{case}e{number}",
                case=case,
                kind="noted",
                at=first_seen,
                by="wu",
                number=2 * number + case,
            ),
            {},
        )
    yield (
        "scans",
        Scan(id=f"s{number}", trigger="hand", sources=(), started=first_seen, status="finished"),
        {},
    )
    yield (
        "packages",
        KeptPackage(
            number=f"PD-{number}",
            path="",
            sha256="",
            bytes=1,
            by="",
            excerpts=True,
            cases=(1,),
            works=(1,),
            matches=1,
            made=first_seen,
        ),
        {},
    )


KEYS = {"packages": "number"}


@pytest.fixture(scope="module")
def recorded(services, tmp_path_factory):
    """Stores with many rows that are alike, and what they are asked."""
    from support.processes import settings_on  # noqa: PLC0415

    settings = settings_on(services, tmp_path_factory.mktemp("plans"), redis_database=0)
    recorder = Recorder()
    with listening(recorder):
        stores = open_stores(settings.storage)
    stores.ensure_schema()
    filling = {}
    for number in range(1, ROWS + 1):
        for name, record, more in rows(number):
            document = to_document(record, key=KEYS.get(name, "id"))
            filling.setdefault(name, []).append({**document, "owner": owner_of(LAMP), **more})
    for name, documents in filling.items():
        stores.database[name].insert_many(documents)
    for listed in ("matches", "pages"):
        Newest(CheckedDatabase(stores.database), listed).record([NOON + timedelta(minutes=ROWS)])
    yield stores, recorder
    stores.database.client.drop_database(stores.database.name)
    stores.close()


def matches(identity=ROOT, **conditions):
    return lambda stores, **part: list_matches(identity, stores, MatchQuery(**conditions), **part)


def cases(identity=ROOT, **conditions):
    query = CaseQuery(**conditions)
    later = NOON + timedelta(days=99)
    return lambda stores, **part: list_cases(identity, stores, RULES, query, now=later, **part)


def pages(identity=ROOT, **conditions):
    return lambda stores, **part: list_pages(identity, stores, PageQuery(**conditions), **part)


def works(identity=ROOT, **conditions):
    return lambda stores, **part: list_works(identity, stores, WorkQuery(**conditions), **part)


def notices(identity=ROOT, **conditions):
    return lambda stores, **part: list_notices(identity, stores, NoticeQuery(**conditions), **part)


EXACT = [
    matches(),
    matches(review="open"),
    matches(verdict="copy", chars=FEW),
    matches(work=1),
    matches(work=1, review="open"),
    matches(site="s.cn"),
    matches(site="s.cn", review="open"),
    matches(order="newest", since=NOON),
    matches(order="-share"),
    matches(order="site"),
    matches(HOLDER, order="-work"),
    matches(order="-chars"),
    matches(holder=LAMP),
    matches(HOLDER),
    matches(HOLDER, review="open"),
    matches(HOLDER, order="newest"),
    cases(),
    cases(state="new"),
    cases(verdict="copy", chars=FEW),
    cases(assignee="wu"),
    cases(order="newest"),
    cases(HOLDER),
    cases(HOLDER, state="new"),
    cases(HOLDER, order="newest"),
    pages(),
    pages(source="x"),
    pages(site="s.cn"),
    pages(scan="s", state="failed", reason="timeout"),
    pages(state="failed"),
    pages(verdict="copy"),
    works(),
    works(title="书"),
    works(order="-chars"),
    works(HOLDER),
    notices(),
    notices(site="s.cn"),
    notices(HOLDER),
    lambda stores, **part: list_audit(ROOT, stores, **part),
    lambda stores, **part: case_history(ROOT, stores, "c1", **part),
    lambda stores, **part: list_scans(ROOT, stores, **part),
    lambda stores, **part: list_packages(ROOT, stores, **part),
    lambda stores, **part: list_packages(HOLDER, stores, **part),
]
# What has further conditions is looked up in a bounded number of rows.
LOOKED_UP = [
    matches(HOLDER, site="s.cn", coverage=comparisons("<2")),
    matches(profile="novel"),
    cases(site="s.cn"),
    cases(work=1, pages=comparisons("1")),
    cases(work=1, page_share=comparisons("<2"), work_share=comparisons("<2")),
    cases(overdue=True),
    cases(HOLDER, overdue=True),
    pages(source="x", verdict="copy"),
    lambda stores, **part: list_audit(ROOT, stores, by="wu", **part),
]
# How many cases a site has that are pursued is counted by an index, without a row being read.
COUNTED = "cases.aggregate(site $in, state $in)"


def parts(recorded, ask):
    """Return what the first two parts of a list ask, and see that they show what they should."""
    stores, recorder = recorded
    recorder.asked.clear()
    first = ask(stores, limit=SHOWN)
    assert len(first.items) == SHOWN
    assert len(ask(stores, limit=SHOWN, cursor=first.next).items) == SHOWN
    return {query.shape: query for query in recorder.asked if query.shape != COUNTED}.values()


@pytest.mark.parametrize("ask", EXACT, ids=range(len(EXACT)))
def test_list_examines_at_most_three_times_its_rows(recorded, ask):
    for query in parts(recorded, ask):
        read = read_by(query, recorded[0].database)
        assert read is not None, query.shape
        assert read <= 3 * (SHOWN + 1), query.shape


@pytest.mark.parametrize("ask", LOOKED_UP, ids=range(len(LOOKED_UP)))
def test_query_with_further_conditions_is_bounded(recorded, ask):
    for query in parts(recorded, ask):
        assert read_by(query, recorded[0].database) is not None, query.shape
        assert 0 < query.limit <= EXAMINED or "_id" in query.shape, query.shape
