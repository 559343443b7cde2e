"""Works that come later meet the pages that are stored: nothing is overlooked, little is compared."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from unittest.mock import Mock

import pytest
from support.compared import compare_page
from support.standing import reopen_all
from support.strategies import story

from storage.collections.schema import bring_up_to_date
from storage.records import Page, SiteLicence, claim, utc_now
from system.sites import site_of
from tracker.comparison import ComparedText, Corpus
from tracker.corpus.editions import link_edition
from tracker.corpus.removal import remove_work
from tracker.corpus.roles import finish_roles
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.licences import grant, mark_licence_changes, revoke
from tracker.runtime import passage_reader
from tracker.scans.rejudging import count_unjudged, rejudge
from tracker.scans.screening import Screening

pytestmark = pytest.mark.services
TEXTS = {number: story(600, number) for number in range(1, 9)}


class Counting:
    """An index that counts how many pages were looked up in it."""

    def __init__(self, real):
        self.real, self.asked = real, 0

    def lookup_many(self, pages):
        self.asked += len(pages)
        return self.real.lookup_many(pages)


@pytest.fixture
def index_work(stores, guard, save_work):
    def index(work_id, texts, **fields):
        work = save_work(work_id, texts, **fields)
        assert index_works([work], stores, guard.index())
        return stores.works.get_many([work_id])[work_id]

    return index


@pytest.fixture
def look(stores, guard, taken):
    """A function that compares all stale pages and returns how many were compared as a whole."""

    def compare_all(*, screened=True):
        reopen_all(stores)
        index, compared = Counting(guard.index()), 0
        corpus = Corpus(passage_reader(stores), index, DEFAULT_PARAMS)
        screening = Screening(stores) if screened else None
        for page in list(stores.pages.all()):
            if page.state == "fetched":
                whole = stores.pages.get(page.id)
                token, before = taken(page.id), index.asked
                assert compare_page(whole, stores, corpus, token=token, lease_s=60, screening=screening)
                compared += index.asked > before  # once for each order that a page may be read in
        assert stores.pages.stale.count(corpus_version=stores.versions.current()) == 0
        return compared

    return compare_all


@pytest.fixture(autouse=True)
def pages(stores):
    """Six pages with a text each; the last one holds two."""
    texts = {f"p{number}": TEXTS[number] for number in range(1, 6)}
    texts["both"] = TEXTS[1] + TEXTS[6]
    for name, text in texts.items():
        stores.pages.see_many([Page(id=name, url=name, host="a.cn", source="x", kind="article", text=text)])
    return texts


def outcomes(stores):
    return {
        page.id: (page.verdict, page.copied_chars, sorted(m.work_id for m in stores.matches.of_page(page.id)))
        for page in stores.pages.all()
    }


def test_only_pages_that_may_hold_the_new_work_are_compared(stores, index_work, look, pages):
    index_work(1, {1: TEXTS[1]})
    assert look() == len(pages)
    index_work(2, {2: TEXTS[2], 6: TEXTS[6]})
    assert look() == 2
    screened = outcomes(stores)
    assert screened["p2"] == ("copy", 600, [2])
    assert screened["both"] == ("copy", 1200, [1, 2])
    assert screened["p3"] == ("clear", 0, [])
    stores.database["pages"].update_many({}, {"$set": {"corpus_version": -1}})
    assert look(screened=False) == len(pages)
    assert outcomes(stores) == screened


def test_stored_page_is_screened_against_every_new_work(stores, index_work, look):
    index_work(1, {1: TEXTS[1]})
    look()
    for number in (2, 3, 4):
        index_work(number, {number: TEXTS[number]})
    assert look() == 3
    assert [outcomes(stores)[f"p{n}"][0] for n in (2, 3, 4, 5)] == ["copy", "copy", "copy", "clear"]


def test_restored_database_is_not_screened_with_works_it_lost(stores, index_work, look):
    """A running worker meets the same version number with other works."""
    index_work(1, {1: TEXTS[1]})
    look()
    page, backup = stores.pages.get("p3"), stores.versions.current()
    screening, text = Screening(stores), ComparedText(page.text)
    index_work(2, {2: TEXTS[2]})
    number, mark = stores.versions.current_and_mark()
    assert screening.is_unaffected(page, text, mark=mark)
    stores.database["works"].delete_one({"_id": 2})
    stores.database["counters"].update_one({"_id": "corpus_version"}, {"$set": {"value": backup}})
    index_work(3, {3: TEXTS[3]})
    again, mark = stores.versions.current_and_mark()
    assert again == number
    assert not screening.is_unaffected(page, text, mark=mark)


def test_changed_work_is_compared_with_the_pages_that_had_it(stores, index_work, look):
    index_work(1, {1: TEXTS[1]})
    look()
    stores.passages.delete_many([1])
    index_work(1, {9: TEXTS[7]}, sha256="v2")
    assert look() == 2
    assert outcomes(stores)["p1"] == ("clear", 0, [])


def test_removed_work_concerns_every_page(stores, index_work, look, pages, guard):
    index_work(1, {1: TEXTS[1]})
    index_work(2, {2: TEXTS[2]})
    look()
    remove_work("id:1", stores, guard.index())
    assert look() == len(pages)
    assert outcomes(stores)["p1"] == ("clear", 0, [])


def test_licence_concerns_the_pages_that_hold_the_work(stores, index_work, look):
    work = index_work(1, {1: TEXTS[1]})
    look()
    grant(work, SiteLicence(site="a.cn"), stores, replace=True)
    assert look() == 2
    assert outcomes(stores)["p1"][0] == "licensed"


def test_change_of_a_licence_reopens_the_pages_of_the_site_without_a_scan(stores, index_work, look, taken):
    """One of the pages is being compared during the change, and is closed with the older version."""
    work = index_work(1, {1: TEXTS[1]})
    look()
    addresses = {"p1": "http://m.a.cn/1", "both": "http://b.cn/1"}
    for page_id, url in addresses.items():
        moved = {"site": site_of(url), "url": url}
        stores.database["matches"].update_many({"page_id": page_id}, {"$set": moved})
    before = stores.pages.get("both")
    grant(work, SiteLicence(site="*.b.cn"), stores, replace=False)
    assert (rejudge(stores), rejudge(stores), count_unjudged(1, stores)) == (1, 0, 1)
    token = taken("both")
    assert rejudge(stores) == 0
    stores.pages.mark_current(["both"], token=token, corpus_version=before.corpus_version)
    assert rejudge(stores) == 1
    token = taken("both")
    stores.pages.mark_current(["both"], token=token, corpus_version=stores.versions.current())
    assert (rejudge(stores), count_unjudged(1, stores)) == (0, 0)
    (request,) = stores.rejudgings.all()
    long_ago = utc_now() - timedelta(minutes=2)
    stores.database["rejudgings"].update_many({}, {"$set": {"at": long_ago}})
    assert (rejudge(stores), list(stores.rejudgings.all())) == (0, [])
    assert (request.work_id, request.site) == (1, "*.b.cn")


def test_licences_granted_at_the_same_time_are_all_stored(stores, index_work):
    work = index_work(1, {1: TEXTS[1]})
    sites = [f"s{number}.cn" for number in range(12)]
    with ThreadPoolExecutor(len(sites)) as users:
        list(users.map(lambda site: grant(work, SiteLicence(site=site), stores, replace=False), sites))
    (stored,) = stores.works.all()
    assert sorted(licence.site for licence in stored.licences) == sorted(sites)


def test_late_request_of_an_older_version_does_not_lower_the_newer(stores):
    for version in (6, 5):
        stores.rejudgings.request(1, "a.cn", version=version)
    assert [request.version for request in stores.rejudgings.all()] == [6]


def test_licence_that_an_edition_brings_is_judged_at_once(stores, index_work, look):
    book = index_work(1, {1: TEXTS[1]})
    edition = index_work(2, {2: TEXTS[8]})
    grant(edition, SiteLicence(site="a.cn"), stores, replace=False)
    look()
    link_edition(edition, book, stores)
    assert [(request.work_id, request.site) for request in stores.rejudgings.all()][-1] == (1, "a.cn")
    assert rejudge(stores) == 2


def test_pages_are_judged_again_in_limited_numbers(stores, index_work, look, monkeypatch):
    work = index_work(1, {1: TEXTS[1]})
    look()
    monkeypatch.setattr("tracker.scans.rejudging.AT_ONCE", 1)
    monkeypatch.setattr("tracker.scans.rejudging._BATCH", 1)
    grant(work, SiteLicence(site="a.cn"), stores, replace=True)
    assert [rejudge(stores) for _ in range(3)] == [1, 1, 0]


def test_licence_granted_while_indexing_reopens_its_pages(stores, index_work, monkeypatch):
    """The worker marks the work between the two version marks of the change."""
    work, before = index_work(1, {1: TEXTS[1]}), stores.versions.current()
    rise = stores.versions.raise_version

    def mark_and_rise(**options):
        assert stores.works.mark_indexed_many([(work, 1)], at=utc_now()) == 1
        return rise(**options)

    monkeypatch.setattr(stores.works, "_versions", Mock(current=lambda: before, raise_version=mark_and_rise))
    grant(work, SiteLicence(site="a.cn"), stores, replace=True)
    assert [changed.id for changed in stores.works.changed_since(before)] == [1]
    assert stores.works.changed_since(before + 1) == stores.works.unfinished() == []


def test_licence_that_ends_is_noticed(stores, index_work, look):
    work = index_work(1, {1: TEXTS[1]})
    now = utc_now()
    grant(work, SiteLicence(site="a.cn", until=now + timedelta(hours=1)), stores, replace=True)
    look()
    assert mark_licence_changes(stores, until=now) == 0
    assert mark_licence_changes(stores, until=now + timedelta(hours=2)) == 1
    assert mark_licence_changes(stores, until=now + timedelta(hours=2)) == 0
    stores.database["pages"].update_many({}, {"$set": {"last_seen": now + timedelta(hours=2)}})
    assert look() == 2
    assert outcomes(stores)["p1"][0] == "copy"


@pytest.mark.parametrize("end", ["since", "until"])
@pytest.mark.parametrize(("after_s", "expected"), [(1, 0), (0, 1), (-1, 1)])
def test_beginning_or_end_of_a_licence_is_recorded_once(stores, save_work, end, after_s, expected):
    """For a work stored with a licence and for a work licensed later."""
    until = utc_now() + timedelta(days=1)
    licence = SiteLicence(site="a.cn", **{end: until + timedelta(seconds=after_s)})
    save_work(1, {1: TEXTS[1]}, licences=(licence,))
    grant(save_work(2, {2: TEXTS[2]}), licence, stores, replace=True)
    save_work(3, {3: TEXTS[3]})
    assert mark_licence_changes(stores, until=until) == 2 * expected
    assert mark_licence_changes(stores, until=until) == 0
    assert mark_licence_changes(stores, until=until + timedelta(days=1)) == 2 - 2 * expected


def test_licence_changes_in_an_older_database_are_recorded(stores, save_work):
    until = utc_now() + timedelta(days=1)
    save_work(1, {1: TEXTS[1]}, licences=(SiteLicence(site="a.cn", until=until),))
    save_work(2, {2: TEXTS[2]})
    stores.database["works"].update_many({}, {"$unset": {"turns": ""}})
    assert mark_licence_changes(stores, until=until) == 0
    bring_up_to_date(stores.database, 4, new=False)
    assert mark_licence_changes(stores, until=until - timedelta(seconds=1)) == 0
    assert mark_licence_changes(stores, until=until) == 1


def test_file_description_of_a_work_restores_no_revoked_licence(stores, save_work):
    """A licence is revoked and another granted after `corpus add` read the work."""
    work = save_work(1, {1: TEXTS[1]}, licences=(SiteLicence(site="a.cn"),))
    revoke(work, "a.cn", stores)
    granted = SiteLicence(site="b.cn", until=utc_now() + timedelta(days=1))
    grant(work, granted, stores, replace=False)
    stores.works.describe(work, replace(work, author="某人"))
    (now,) = stores.works.all()
    assert (now.author, now.licences) == ("某人", (granted,))


def test_new_version_of_a_work_keeps_a_licence_granted_meanwhile(stores, save_work):
    """A licence is granted after `corpus add` read the work, and before it stores the new text."""
    work = save_work(1, {1: TEXTS[1]})
    granted = SiteLicence(site="b.cn", until=utc_now() + timedelta(days=1))
    grant(work, granted, stores, replace=False)
    version = replace(work, sha256="new", passage_ids=(1, 2), holder="某社", status="stored")
    stores.works.save_version(work, version)
    (now,) = stores.works.all()
    assert (now.licences, now.passage_ids, now.holder) == ((granted,), (1, 2), "某社")
    assert mark_licence_changes(stores, until=granted.until) == 1


def test_interrupted_change_of_a_licence_is_judged_by_the_next_scan(stores, index_work, look, monkeypatch):
    work = index_work(1, {1: TEXTS[1]})
    look()
    monkeypatch.setattr(stores.works, "record_changes", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        grant(work, SiteLicence(site="a.cn"), stores, replace=False)
    monkeypatch.undo()
    assert [unfinished.id for unfinished in stores.works.unfinished()] == [1]
    finish_roles(stores)
    assert look() == 2
    assert stores.works.unfinished() == []
    assert outcomes(stores)["p1"][0] == "licensed"


def test_interrupted_change_of_a_date_is_judged_by_the_next_scan(stores, index_work):
    work = index_work(1, {1: TEXTS[1]})
    stores.works.describe(work, replace(work, published=claim(utc_now(), "day")))
    assert [unfinished.id for unfinished in stores.works.unfinished()] == [1]


def test_repeated_description_of_a_work_changes_no_licence(stores, save_work):
    now = utc_now()
    licence = SiteLicence(site="a.cn", until=now - timedelta(days=1))
    work = save_work(1, {1: TEXTS[1]}, licences=(licence,))
    assert mark_licence_changes(stores, until=now) == 1
    stores.works.describe(work, replace(work, author="某人"))
    assert mark_licence_changes(stores, until=now) == 0


def test_work_that_is_being_indexed_is_not_overlooked(stores, index_work, look, save_work, guard):
    """Its passages are in the index and the version is new, but the work is not marked yet."""
    index_work(1, {1: TEXTS[1]})
    look()
    work = save_work(2, {2: TEXTS[2]})
    assert index_works([work], stores, guard.index())
    stores.database["works"].update_one({"_id": 2}, {"$set": {"status": "stored", "indexed_version": 0}})
    assert look() == 1
    assert outcomes(stores)["p2"][0] == "copy"


def test_screening_leaves_very_many_new_characters_to_the_index(stores, index_work, look, pages, monkeypatch):
    index_work(1, {1: TEXTS[1]})
    look()
    monkeypatch.setattr("tracker.scans.screening.MAX_CHARS", 100)
    index_work(2, {2: TEXTS[2]}, characters=600)
    assert look() == len(pages)
    assert outcomes(stores)["p2"][0] == "copy"


def test_screening_includes_passages_without_stored_fingerprints(stores, index_work, look):
    index_work(1, {1: TEXTS[1]})
    look()
    index_work(2, {2: TEXTS[2]})
    stores.fingerprints.delete_many([2], DEFAULT_PARAMS.params_ids)
    assert look() == 1
    assert outcomes(stores)["p2"][0] == "copy"
