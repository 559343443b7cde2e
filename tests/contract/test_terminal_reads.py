"""What commands read and do through queries and actions: watch, notices, reports, evidence log."""

from dataclasses import replace
from datetime import timedelta

import pytest
from support.two_holders import LAMP, NOON, fill

from analysis.accounts.permissions import NotPermitted, identity_of, local_identity
from analysis.actions.evidence_log import log_pending
from analysis.actions.watching import NotWatched, look_now
from analysis.notices.gathering import NoticeRequest
from analysis.queries.cases import get_case
from analysis.queries.evidence import log_state, log_verifier, signed_root
from analysis.queries.notices import advice_on
from analysis.queries.reports import ReportQuery, report_of, with_new
from analysis.queries.watching import list_watches
from storage.collections.visits import visit_id
from storage.records import Account, Contact, Watch, utc_now
from system.errors import UnknownId
from tracker.runtime import Runtime

pytestmark = pytest.mark.services
ROOT = local_identity("root", "administrator")
HOLDER = identity_of(Account(name="li", role="holder", holders=(LAMP,)))


@pytest.fixture
def filled(stores):
    fill(stores)
    return stores


@pytest.fixture
def runtime(filled, settings, redis_client, guard):
    return Runtime(settings, filled, redis_client, guard, queue=None)


def watch(stores, url, case, **fields):
    row = Watch(id=visit_id(url), url=url, source="x", page_id="", since=NOON, due=NOON, **fields)
    stores.watches.enrol(row, stores.cases.get(case).number)


def urls(rows):
    return [row.url for row in rows]


def test_watched_addresses_are_listed_by_case_and_state(filled):
    watch(filled, "http://one.cn/b", "c1", state="up")
    watch(filled, "http://one.cn/a", "c1", state="gone")
    watch(filled, "http://two.cn/a", "c2", state="up")
    assert urls(list_watches(ROOT, filled, case="c1")) == ["http://one.cn/a", "http://one.cn/b"]
    assert urls(list_watches(ROOT, filled, case="c1", state="up")) == ["http://one.cn/b"]
    assert len(list(list_watches(ROOT, filled, limit=2))) == 2
    assert sorted(urls(list_watches(ROOT, filled, state="up"))) == ["http://one.cn/b", "http://two.cn/a"]


def test_holder_lists_watched_addresses_of_visible_cases_only(filled):
    watch(filled, "http://one.cn/a", "c1")
    assert urls(list_watches(HOLDER, filled, case="c1")) == ["http://one.cn/a"]
    with pytest.raises(UnknownId):
        list_watches(HOLDER, filled, case="c3")
    with pytest.raises(NotPermitted):
        list_watches(HOLDER, filled)


def test_look_at_an_address_that_is_not_watched_changes_nothing(runtime):
    with pytest.raises(NotWatched):
        look_now(ROOT, runtime, ["http://none.cn/"], is_address=lambda _: True, report=print)
    with pytest.raises(NotPermitted):
        look_now(HOLDER, runtime, ["c1"], is_address=lambda _: False, report=print)
    assert not [event for event in runtime.stores.events.of_case(0) if event.subject == "takedown watch"]


def test_advice_names_the_command_with_the_holder_and_the_site(filled):
    case, request = get_case(ROOT, filled, "c1"), NoticeRequest()
    advice = advice_on(ROOT, filled, case, request, ["phone", "addressee-name"])
    assert advice["phone"] == f"pindna holder add '{LAMP}' --phone"
    assert advice["addressee-name"] == "pindna site contact set one.cn --role site --name"
    named = advice_on(ROOT, filled, case, replace(request, contact="a.cn"), ["addressee-name"])
    assert "set a.cn" in named["addressee-name"]
    with pytest.raises(NotPermitted):
        advice_on(HOLDER, filled, case, request, ["phone"])


def test_advice_for_several_contacts_is_to_choose(filled):
    filled.contacts.save(Contact(id="search@bing.com", role="search", site="bing.com", name="Bing"))
    case, request = get_case(ROOT, filled, "c1"), NoticeRequest(role="search")
    advice = advice_on(ROOT, filled, case, request, ["addressee-name"])
    assert advice["addressee-name"] == "pindna notice make c1 --to search --contact SITE"


def test_report_of_a_case_is_about_its_work_and_site(filled, settings):
    report = report_of(ROOT, filled, settings, ReportQuery(case="c1"))
    assert (report.scope.work_id, report.scope.site) == (1, "one.cn")
    with pytest.raises(NotPermitted):
        report_of(HOLDER, filled, settings)


def test_report_marks_matches_new_since_the_last_report_of_its_form(filled, settings):
    report = report_of(ROOT, filled, settings)
    assert with_new(ROOT, filled, settings, report, form="html").new_since is None
    made = utc_now() - timedelta(days=1)
    filled.reports.record(scope="work= site=", form="html", made=made)
    found = with_new(ROOT, filled, settings, report, form="html").new_since
    assert abs(found - made) < timedelta(seconds=1)
    assert with_new(ROOT, filled, settings, report, form="csv").new_since is None
    since = NOON.replace(tzinfo=None)
    given = with_new(ROOT, filled, settings, report, form="html", since=since).new_since
    assert given.utcoffset() == timedelta(hours=8)


def test_log_state_has_the_key_and_the_signed_root(runtime):
    settings = runtime.settings
    assert log_pending(ROOT, runtime) is None
    state = log_state(ROOT, runtime.stores, settings)
    assert (len(state.key), state.unlogged, state.timestamps) == (64, 0, ())
    assert state.signed_root == signed_root(ROOT, runtime.stores, settings)
    assert list(log_verifier(ROOT, runtime.stores, settings).problems()) == []


def test_log_is_verified_by_roles_that_read_everything(runtime):
    with pytest.raises(NotPermitted):
        log_verifier(HOLDER, runtime.stores, runtime.settings)
