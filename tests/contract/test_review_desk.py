"""Deciding in the console: what waits, who has it open, and what is refused, on the real servers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from support.compared import compare_page
from support.strategies import story

from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.actions.licences import LicenceExists, grant_licence
from analysis.actions.review import (
    MatchChanged,
    MatchLocked,
    close_match,
    decide_match,
    decide_matches,
    open_match,
    reopen_match,
    take_back_dismissal,
    undo_decisions,
    withdraw_decisions,
)
from analysis.queries.events import list_audit
from analysis.queries.own_decisions import own_decisions
from analysis.queries.review import (
    get_find,
    list_dismissals,
    list_sites,
    open_finds,
    recent_reasons,
    standings_of,
)
from storage.collections.checked import CheckedDatabase
from storage.collections.review_leases import LEASE_S, ReviewLeaseStore
from storage.records import Account, Page, SiteLicence, utc_now
from system.errors import UnknownId
from tracker.comparison import Corpus
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.review.decisions import DecisionConflict, NothingMarked
from tracker.review.versions import review_version
from tracker.runtime import Runtime, passage_reader

pytestmark = pytest.mark.services
EARLIER = datetime(2026, 3, 1, tzinfo=UTC)
TEXT, OTHER = story(900, 1), story(900, 2)
ANA = identity_of(Account(name="ana", role="analyst"))
BAI = identity_of(Account(name="bai", role="analyst"))
ROOT = identity_of(Account(name="root", role="administrator"))
HOLDER = identity_of(Account(name="li", role="holder", holders=("某社",)))


@pytest.fixture
def look(stores, guard, taken):
    """A function that stores a page and compares it, and returns its most copied match."""

    def compare(name, text=TEXT, site="a.cn"):
        page = Page(id=name, url=f"http://{site}/{name}", host=site, source="x", kind="article", text=text)
        stores.pages.see_many([page])
        corpus = Corpus(passage_reader(stores), guard.index(), DEFAULT_PARAMS, decisions=stores.decisions)
        assert compare_page(stores.pages.get(name), stores, corpus, token=taken(name), lease_s=60)
        refresh_cases(stores, {(match.work_id, site) for match in stores.matches.of_page(name)})
        return stores.matches.of_page(name)[0]

    return compare


@pytest.fixture
def desk(stores, guard, save_work, settings, redis_client):
    """A running installation with two works."""
    works = [save_work(1, {1: TEXT}), save_work(2, {2: OTHER})]
    assert index_works(works, stores, guard.index())
    return Runtime(
        settings, stores, redis_client, guard, queue=SimpleNamespace(send_again=lambda _task: None)
    )


def audit(stores):
    return [(row.kind, row.by, row.subject) for row in list_audit(ROOT, stores).items]


def test_sites_are_sorted_by_their_gravest_matches(desk, look, stores):
    look("p1", TEXT[:400])
    look("p2", OTHER[:300], site="b.cn")
    worst = look("p3", TEXT, site="b.cn")
    look("p4", TEXT, site="c.cn")
    groups = list_sites(ANA, stores).items
    assert [(group.site, group.waiting) for group in groups] == [("b.cn", 2), ("c.cn", 1), ("a.cn", 1)]
    assert [case.work_id for case in groups[0].cases] == [1, 2]
    walked, cursor = [], ""
    while True:
        part = list_sites(ANA, stores, cursor=cursor, limit=1)
        walked += part.items
        if not (cursor := part.next):
            break
    assert walked == list(groups)
    decide_match(ANA, desk, worst.name, state="confirmed")
    groups = list_sites(ANA, stores).items
    (of_b,) = [group for group in groups if group.site == "b.cn"]
    assert (of_b.waiting, of_b.count("confirmed"), [case.work_id for case in of_b.cases]) == (1, 1, [2, 1])
    assert [group.site for group in list_sites(ANA, stores, work=2).items] == ["b.cn"]
    assert list_sites(HOLDER, stores).items == ()


def test_second_analyst_of_a_match_is_refused_with_the_name_of_the_first(desk, look, stores):
    match = look("p1")
    assert open_match(ANA, desk, match.name, window="w1").by == "ana"
    assert open_match(BAI, desk, match.name, window="w2").by == "ana"
    assert get_find(BAI, stores, match.name).lease.by == "ana"
    assert standings_of(BAI, stores, [match.id])[match.id].by == "ana"
    with pytest.raises(MatchLocked) as refused:
        decide_match(BAI, desk, match.name, state="confirmed")
    assert refused.value.data == {"name": match.name, "by": "ana"}
    close_match(BAI, desk, match.id, window="w2")
    assert open_match(BAI, desk, match.name, window="w2").by == "ana"
    close_match(ANA, desk, match.id, window="w1")
    assert open_match(BAI, desk, match.name, window="w2").by == "bai"
    decide_match(BAI, desk, match.name, state="confirmed")


def test_review_lease_ends_by_itself_and_its_owner_renews_it(stores):
    first = stores.review_leases.claim("m", by="ana", window="w1", now=EARLIER)
    late = first.until + timedelta(milliseconds=1)
    assert (
        stores.review_leases.claim("m", by="ana", window="w9", now=EARLIER + timedelta(seconds=9)).until
        > late
    )
    stores.review_leases.release("m", window="w1")
    assert stores.review_leases.claim("m", by="bai", window="w2", now=late).window == "w9"
    assert stores.review_leases.claim("m", by="bai", window="w2", now=late + timedelta(minutes=1)).by == "bai"
    assert stores.review_leases.held(["m"], now=late + timedelta(minutes=2)) == {}
    stores.review_leases.claim("n", by="ana", window="w1", now=late + timedelta(minutes=9))
    assert [row["_id"] for row in stores.database["review_leases"].find()] == ["n"]


def test_lease_ends_by_the_clock_of_the_database(stores):
    """Two machines with clocks an hour apart agree on the owner of a review lease."""
    database = CheckedDatabase(stores.database, now=lambda: EARLIER)
    behind, ahead = (ReviewLeaseStore(database) for _ in range(2))
    assert behind.claim("m", by="ana", window="w1").until == EARLIER + timedelta(seconds=LEASE_S)
    assert ahead.claim("m", by="bai", window="w2").by == "ana"
    assert list(ahead.held(["m"])) == ["m"]


def test_concurrent_decision_is_not_overwritten(desk, look, stores):
    match = look("p1")
    seen = review_version(match)
    confirmed, _ = decide_match(ANA, desk, match.name, state="confirmed", expected_version=seen)
    for late in (
        lambda: decide_match(BAI, desk, match.name, state="dismissed", reason="引用", expected_version=seen),
        lambda: reopen_match(BAI, desk, match.name, expected_version=seen),
    ):
        with pytest.raises(DecisionConflict) as refused:
            late()
        assert refused.value.data == {"names": match.name, "by": "ana"}
    assert stores.matches.get(match.name).review == "confirmed"
    again = reopen_match(BAI, desk, match.name, expected_version=review_version(confirmed))
    assert again.review == ""
    with pytest.raises(MatchChanged):
        decide_match(ANA, desk, match.name, state="confirmed", expected_version=review_version(confirmed))
    subject = f"match {match.name}"
    assert audit(stores) == [("match-reopened", "bai", subject), ("match-confirmed", "ana", subject)]


def test_withdrawal_does_not_remove_a_newer_decision(desk, look, stores):
    """The withdrawal read the earlier decision: it is deleted only if it is unchanged."""
    match = look("p1")
    _, (old,) = decide_match(ANA, desk, match.name, state="confirmed")
    _, (new,) = decide_match(BAI, desk, match.name, state="dismissed", reason="引用")
    assert [kept.by for kept in stores.decisions.withdraw([old])] == ["bai"]
    assert stores.decisions.withdraw([new]) == []
    assert list(stores.decisions.listed()) == []


def test_undo_restores_the_previous_decision(desk, look):
    match = look("p1")
    confirmed, made = decide_match(ANA, desk, match.name, state="confirmed", reason="逐字")
    after = undo_decisions(ANA, desk, match, made, expected_version=review_version(confirmed))
    assert (after.review, after.decided) == ("", ())
    confirmed, _ = decide_match(ANA, desk, match.name, state="confirmed", reason="逐字")
    dismissed, made = decide_match(ANA, desk, match.name, state="dismissed", reason="看错")
    after = undo_decisions(ANA, desk, confirmed, made, expected_version=review_version(dismissed))
    assert (after.review, after.because) == ("confirmed", "逐字")


def test_decisions_of_a_user_are_listed_and_withdrawn_later(desk, look, stores):
    first, second = look("p1"), look("p2", TEXT[3:])
    decide_match(ANA, desk, first.name, state="confirmed")
    decide_match(BAI, desk, look("p3", OTHER).name, state="confirmed")
    decide_match(ANA, desk, second.name, state="dismissed", reason="授权转载")
    dismissed, confirmed = own_decisions(ANA, stores)
    assert (dismissed.newest.because, confirmed.newest.state) == ("授权转载", "confirmed")
    withdraw_decisions(ANA, desk, dismissed.stretches)
    assert stores.matches.get(second.name).review != "dismissed"
    assert [own.newest.state for own in own_decisions(ANA, stores)] == ["confirmed"]
    with pytest.raises(UnknownId):
        withdraw_decisions(ANA, desk, dismissed.stretches)
    with pytest.raises(NotPermitted):
        own_decisions(HOLDER, stores)


def test_stale_list_of_decisions_undoes_no_newer_decision(desk, look, stores):
    match = look("p1")
    decide_match(ANA, desk, match.name, state="confirmed")
    (listed,) = own_decisions(ANA, stores)
    decide_match(BAI, desk, match.name, state="dismissed", reason="引用")
    with pytest.raises(DecisionConflict):
        withdraw_decisions(ANA, desk, listed.stretches)
    assert stores.matches.get(match.name).review == "dismissed"
    assert "match-reopened" not in [kind for kind, _, _ in audit(stores)]


def test_decisions_of_a_user_are_listed_after_many_newer(desk, look, stores):
    decide_match(ANA, desk, look("p1").name, state="confirmed")
    (own,) = stores.decisions.listed()
    others = [replace(own, id=f"d{number}", by="bai", made=utc_now()) for number in range(2_100)]
    stores.decisions.save_many(others)
    assert [decision.newest.id for decision in own_decisions(ANA, stores)] == [own.id]


def test_marked_stretches_alone_are_dismissed_and_listed_by_their_reason(desk, look, stores):
    match = look("p1", TEXT[:400] + story(200, 9, alphabet="平皮朋票铺派") + TEXT[500:])
    first, second = sorted((span.passage_start, span.passage_end) for span in match.spans)
    with pytest.raises(NothingMarked):
        decide_match(ANA, desk, match.name, state="dismissed", reason="公版", marked=[(0, 0)])
    after, _ = decide_match(ANA, desk, match.name, state="dismissed", reason="公版", marked=[first])
    assert [(own.span.passage_start, own.because) for own in after.suppressed] == [(first[0], "公版")]
    assert (after.review, after.undecided) == ("", (second,))
    (dismissal,) = list_dismissals(ANA, stores, reason="公版").items
    assert (dismissal.decision.start, [own.id for own in dismissal.matches]) == (first[0], [match.id])
    assert list_dismissals(ANA, stores, reason="别的").items == ()
    assert recent_reasons(ANA, stores) == {"公版": 1}
    take_back_dismissal(ANA, desk, dismissal.decision.id)
    assert stores.matches.get(match.name).suppressed == ()
    with pytest.raises(NotPermitted):
        list_dismissals(HOLDER, stores)


def test_bulk_decision_on_a_site_covers_only_the_reviewed_versions(desk, look, stores):
    matches = [look(f"p{number}", TEXT[number:]) for number in range(3)]
    other = look("p9", OTHER)
    wanted = open_finds(ANA, stores, site="a.cn")
    assert (wanted.count, set(wanted.by_case), wanted.pages) == (4, {(1, "a.cn"), (2, "a.cn")}, 4)
    assert open_finds(ANA, stores, work=1).count == 3
    open_match(BAI, desk, other.name, window="w")
    results = [
        decide_matches(ANA, desk, seen, state="dismissed", reason="授权转载")
        for seen in wanted.by_case.values()
    ]
    assert [(result.count, result.refused) for result in results] == [(3, ()), (0, (other.name,))]
    assert {stores.matches.get(match.name).review for match in matches} == {"dismissed"}
    late = decide_matches(ANA, desk, wanted.by_case[1, "a.cn"], state="confirmed")
    assert (late.count, len(late.refused)) == (0, 3)
    ((kind, by, subject),) = audit(stores)
    assert (kind, by, subject[:6]) == ("match-dismissed", "ana", "case c")


def test_granted_licence_is_shown_with_the_waiting_match(desk, look, stores):
    match = look("p1")
    licence = SiteLicence(site="a.cn", attribution=True)
    assert grant_licence(ANA, desk, 1, licence, replace=False).permissions == (licence,)
    assert get_find(ANA, stores, match.name).licences == (licence,)
    with pytest.raises(LicenceExists):
        grant_licence(ANA, desk, 1, licence, replace=False)
    assert [row.kind for row in list_audit(ROOT, stores).items] == ["licence-granted"]


def test_review_needs_a_permission_and_hides_foreign_matches(desk, look, stores):
    match = look("p1")
    for act in (
        lambda: open_match(HOLDER, desk, match.name, window="w"),
        lambda: decide_match(HOLDER, desk, match.name, state="confirmed"),
        lambda: reopen_match(HOLDER, desk, match.name),
        lambda: decide_matches(HOLDER, desk, {match.id: ""}, state="confirmed"),
        lambda: open_finds(HOLDER, stores, site="a.cn"),
    ):
        with pytest.raises(NotPermitted):
            act()
    with pytest.raises(UnknownId):
        get_find(HOLDER, stores, match.name)
    assert standings_of(HOLDER, stores, [match.id]) == {}
