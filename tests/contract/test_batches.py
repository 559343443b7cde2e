"""Pages that were compared together are stored together, with the same results as single pages."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from support.matches import match_with
from support.standing import reopen_all
from support.strategies import story

from storage.collections.documents import StorageFailed, Unstorable
from storage.collections.leases import Leases
from storage.collections.matches import MatchStore
from storage.collections.pages import PageStore, page_id
from storage.collections.standings import AS_A_WHOLE
from storage.records import FREE, Page, PageResult, utc_now
from system.errors import ServiceDown
from tracker.comparison import ComparedText, Corpus
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import passage_reader
from tracker.scans import comparing
from tracker.scans.pages import PageLookup, compare_stored, store_compared
from tracker.scans.screening import Screening

pytestmark = pytest.mark.services
TEXT, OTHER = story(400, 1), story(400, 2)
CLEAR = PageResult(verdict="clear", coverage=0.0, copied_chars=0, low_confidence=False, unaligned=0)


def page(number, text=OTHER, **fields):
    url = f"http://s.example/{number}"
    name = page_id(url, text)
    return Page(
        id=name, url=url, host="s.example", source="x", kind="article", text=text, content_hash=text, **fields
    )


@pytest.fixture
def take(stores):
    """A function that stores pages and takes all that wait; returns the token and the pages."""

    def take_all(*pages):
        stores.pages.see_many(pages)
        token, ids, _ = stores.pages.reserve_fetched(count=99, lease_s=60)
        return stores.pages.claim_many(ids, token=token, lease_s=60)

    return take_all


@pytest.fixture
def corpus(stores, guard, save_work):
    """A work that holds ``TEXT``."""
    assert index_works([save_work(1, {1: TEXT})], stores, guard.index())
    return Corpus(passage_reader(stores), guard.index(), DEFAULT_PARAMS)


@pytest.fixture
def compare(stores, corpus):
    """A function that compares pages with it."""

    def compare_all(pages):
        version = stores.versions.current_and_mark()
        lookups = [PageLookup(ComparedText(own.text), None, *version) for own in pages]
        return [compare_stored(own, lookup, corpus, None) for own, lookup in zip(pages, lookups, strict=True)]

    return compare_all


@pytest.fixture
def lost(monkeypatch):
    """How many leases of pages were counted as lost, each time."""
    counted = []
    monkeypatch.setattr(comparing, "count_lost", lambda kind, number: counted.append((kind, number)))
    return counted


def store_all(compared, stores, token):
    """Store the results of pages; returns the closed pages, and the addresses to settle."""
    stored = list(store_compared(compared, stores, token=token, lease_s=60))
    pages = [own for part in stored for own in part.pages]
    return sorted(pages, key=compared.index), {url for part in stored for url in part.unsettled}


def close(stores, results, token):
    """Close pages; returns addresses that are to be settled, and ids of lost pages."""
    closings = list(stores.pages.mark_compared(results, token=token, corpus_version=1))
    return {url for own in closings for url in own.unsettled}, {name for own in closings for name in own.lost}


def test_every_page_of_a_batch_gets_its_result(stores, take, compare):
    token, pages = take(page(1), page(2, TEXT), page(3, "序。" + TEXT[:200]), page(4))
    compared = compare(pages)
    assert store_all(compared, stores, token) == (compared, set())
    stored = {own.url[-1]: own for own in stores.pages.get_many([own.id for own in pages]).values()}
    assert {key: own.verdict for key, own in stored.items()} == {
        "1": "clear",
        "2": "copy",
        "3": "copy",
        "4": "clear",
    }
    assert {own.state for own in stored.values()} == {"compared"}
    assert {own.lease for own in stored.values()} == {FREE}
    assert stored["2"].copied_chars == len(TEXT)
    assert stored["3"].copied_chars == 200
    assert [len(stores.matches.of_page(own.id)) for own in stored.values() if own.verdict == "copy"] == [1, 1]


def test_only_pages_with_a_valid_lease_are_stored(stores, take, compare):
    token, pages = take(page(1, TEXT), page(2, TEXT))
    compared = compare(pages)
    lost = pages[0].id
    stores.database["pages"].update_one({"_id": lost}, {"$set": {"lease.token": "another's"}})
    assert store_all(compared, stores, token)[0] == compared[1:]
    assert stores.pages.get(lost).state == "fetched"
    assert stores.matches.of_page(lost) == []
    assert stores.pages.get(pages[1].id).verdict == "copy"


def test_batch_interrupted_after_its_matches_is_stored_again(stores, take, compare, monkeypatch):
    token, pages = take(page(1, TEXT), page(2, TEXT))
    compared = compare(pages)
    with monkeypatch.context() as patch:
        patch.setattr(PageStore, "mark_compared", kill)
        with pytest.raises(KeyboardInterrupt):
            store_all(compared, stores, token)
    before = {match.id: match.number for own in pages for match in stores.matches.of_page(own.id)}
    assert len(before) == 2
    assert stores.pages.get(pages[0].id).state == "fetched"
    store_all(compared, stores, token)
    assert {match.id: match.number for own in pages for match in stores.matches.of_page(own.id)} == before
    assert {stores.pages.get(own.id).state for own in pages} == {"compared"}


def kill(*_args, **_options):
    raise KeyboardInterrupt


def test_only_version_of_an_address_has_no_unsettled_mark(stores, take):
    token, pages = take(page(1), page(2))
    results = [(own, CLEAR) for own in pages]
    assert close(stores, results, token) == (set(), set())
    assert [row.get("unsettled", "") for row in stores.database["pages"].find({})] == ["", ""]


def test_several_versions_stay_marked_until_settled(stores, take):
    late = utc_now() + timedelta(hours=1)
    older, newer = page(1), replace(page(1, TEXT), first_seen=late, last_seen=late)
    token, pages = take(older, newer, page(2))
    urls, _ = close(stores, [(own, CLEAR) for own in pages], token)
    assert urls == {older.url}
    marked = {row["_id"] for row in stores.database["pages"].find({"unsettled": {"$gt": ""}})}
    assert marked == {older.id, newer.id}
    stores.pages.settle(urls)
    assert stores.pages.get(older.id).standing == "replaced"
    assert stores.pages.get(newer.id).standing == "current"


@pytest.mark.parametrize("is_compared", [False, True], ids=["waits", "compared"])
def test_version_that_arrives_while_another_closes_leaves_both_right(stores, take, monkeypatch, is_compared):
    """It arrives after the lookup of versions and is settled before the older version is closed."""
    late = utc_now() + timedelta(hours=1)
    newer = replace(page(1, TEXT), first_seen=late, last_seen=late)
    token, (older,) = take(page(1))
    copy = match_with(id=f"{older.id}:1:novel", page_id=older.id, url=older.url)
    stores.matches.replace_for_pages({older.id: [copy]})
    look = PageStore._with_several_versions

    def see_another(self, urls):
        several = look(self, urls)
        monkeypatch.setattr(PageStore, "_with_several_versions", look)
        other, (taken,) = take(newer)
        if is_compared:
            close(stores, [(taken, CLEAR)], other)
        stores.pages.settle([newer.url])
        return several

    monkeypatch.setattr(PageStore, "_with_several_versions", see_another)
    urls, lost = close(stores, [(older, CLEAR)], token)
    assert (urls, lost) == ({older.url}, set())
    stores.pages.settle(urls)
    stored = stores.pages.get(older.id)
    assert (stored.state, stored.standing) == ("compared", "replaced" if is_compared else "last-text")
    assert (stores.matches.get(copy.id).replaced is None) is not is_compared
    assert stores.pages.get(newer.id).standing == "current"


def test_unstorable_page_does_not_harm_its_batch(stores, take, compare, monkeypatch, lost):
    token, pages = take(page(1, TEXT), page(2, TEXT), page(3))
    compared = compare(pages)
    bad, store = compared[0].page.id, MatchStore.replace_for_pages

    def refuse(self, matches):
        if bad in matches:
            raise Unstorable(problem="too large")
        store(self, matches)

    monkeypatch.setattr(MatchStore, "replace_for_pages", refuse)
    stored = list(comparing._store_results(compared, stores=stores, token=token, lease_s=60))
    assert stored == compared[1:]
    assert (stores.pages.get(bad).state, stores.pages.get(bad).reason) == ("failed", "internal-error")
    assert {stores.pages.get(own.page.id).state for own in stored} == {"compared"}
    assert lost == []


def test_lost_lease_is_counted(stores, take, compare, lost):
    token, pages = take(page(1, TEXT), page(2), page(3))
    others = {"$set": {"lease.token": "another's"}}
    stores.database["pages"].update_many({"_id": {"$in": [own.id for own in pages[:2]]}}, others)
    assert len(list(comparing._store_results(compare(pages), stores=stores, token=token, lease_s=60))) == 1
    assert lost == [("page", 2)]


def test_failure_after_closing_leaves_pages_stored(stores, take, compare, lost, monkeypatch):
    def refuse(*_args):
        raise StorageFailed(problem="refused")

    token, pages = take(page(1, TEXT), page(2, TEXT))
    compared = compare(pages)
    monkeypatch.setattr(PageStore, "settle", refuse)
    assert list(comparing._store_results(compared, stores=stores, token=token, lease_s=60)) == compared
    assert {stores.pages.get(own.id).verdict for own in pages} == {"copy"}
    assert lost == []


def test_current_version_is_settled_once_both_versions_are_stored(stores, take, compare):
    late = utc_now() + timedelta(hours=1)
    older, newer = page(1), replace(page(1, TEXT), first_seen=late, last_seen=late)
    token, pages = take(older, newer)
    assert len(list(comparing._store_results(compare(pages), stores=stores, token=token, lease_s=60))) == 2
    assert stores.pages.get(older.id).standing == "replaced"
    assert stores.pages.get(newer.id).standing == "current"
    assert not stores.database["pages"].count_documents({"unsettled": {"$gt": ""}})


@pytest.fixture
def fail_second(monkeypatch):
    """A function that lets the close of the pages of a second result fail, once."""

    def let_fail(error):
        finish, calls = Leases.finish_groups, []

        def fail(self, groups, **options):
            groups = [group for group in groups if group[0]]
            calls.extend([groups] if groups else [])
            if len(calls) == 2:
                raise error
            return finish(self, groups, **options)

        monkeypatch.setattr(Leases, "finish_groups", fail)
        monkeypatch.setattr("storage.collections.pages._RESULTS_TOGETHER", 1)

    return let_fail


def test_pages_of_the_first_result_are_stored_once_if_the_next_fails(
    stores, take, compare, lost, fail_second
):
    """The pages of the first result are neither lost nor stored again; the rest is stored page by page."""
    token, pages = take(page(1), page(2), page(3, TEXT), page(4, TEXT[:200]))
    compared = compare(pages)
    fail_second(StorageFailed(problem="refused"))
    stored = list(comparing._store_results(compared, stores=stores, token=token, lease_s=60))
    assert sorted(stored, key=compared.index) == compared
    assert lost == []
    assert {stores.pages.get(own.id).state for own in pages} == {"compared"}


def test_lost_page_is_counted_once_when_other_pages_fail(stores, take, compare, lost, fail_second):
    token, pages = take(page(1), page(2), page(3, TEXT))
    stores.database["pages"].update_one({"_id": pages[0].id}, {"$set": {"lease.token": "another's"}})
    compared = compare(pages)
    fail_second(StorageFailed(problem="refused"))
    stored = list(comparing._store_results(compared, stores=stores, token=token, lease_s=60))
    assert sorted(stored, key=compared.index) == compared[1:]
    assert lost == [("page", 1)]


def test_pages_stored_before_a_service_failed_are_reported(stores, take, compare, lost, fail_second):
    token, pages = take(page(1), page(2), page(3, TEXT))
    stored, before = [], [own for own in compare(pages) if own.verdict == "clear"]
    fail_second(ServiceDown(service="MongoDB", problem="away"))
    with pytest.raises(ServiceDown):
        stored.extend(comparing._store_results(compare(pages), stores=stores, token=token, lease_s=60))
    assert [own.page for own in stored] == [own.page for own in before]
    assert lost == []


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "compared"])
def test_page_lost_while_closing_is_reported_as_lost(stores, take, compare, lost, monkeypatch, *, is_known):
    token, pages = take(page(1, TEXT), page(2))
    compared = [replace(own, comparison=None) if is_known else own for own in compare(pages)]
    renew = PageStore.renew

    def lose_one(self, ids, **lease):
        kept = renew(self, ids, **lease)
        stores.database["pages"].update_one({"_id": ids[0]}, {"$set": {"lease.token": "another's"}})
        return kept

    monkeypatch.setattr(PageStore, "renew", lose_one)
    assert list(comparing._store_results(compared, stores=stores, token=token, lease_s=60)) == compared[1:]
    assert lost == [("page", 1)]


@pytest.fixture
def another(stores, guard, save_work, take, compare):
    """A function with which another worker claims a page after its lease and compares it with a new work."""

    def compare_more(page_id):
        assert index_works([save_work(2, {2: OTHER})], stores, guard.index())
        stores.database["pages"].update_one({"_id": page_id}, {"$set": {"lease.until": FREE.until}})
        token, pages = take()
        return token, compare(pages)

    return compare_more


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "in-hand"])
def test_late_worker_leaves_no_page_without_its_matches(
    stores, take, compare, another, monkeypatch, *, is_closed
):
    """The worker is frozen before it stores; the other worker finds more and stores it last."""
    token, pages = take(page(1, OTHER), page(2))
    slow, store, late = compare(pages), MatchStore.replace_for_pages, page(1, OTHER).id

    def wake(self, matches):
        monkeypatch.setattr(MatchStore, "replace_for_pages", store)
        other, quick = another(late)
        with monkeypatch.context() as patch:
            if not is_closed:
                patch.setattr(PageStore, "mark_compared", lambda *_args, **_options: iter(()))
            store_all(quick, stores, other)
        assert len(stores.matches.of_page(late)) == 1
        store(self, matches)

    monkeypatch.setattr(MatchStore, "replace_for_pages", wake)
    stored, _ = store_all(slow, stores, token)
    assert [own.page.url for own in stored] == [page(2).url]
    assert reopen_all(stores, corpus_version=0) == is_closed
    token, (again,) = take()
    assert again.id == late
    store_all(compare([again]), stores, token)
    assert stores.pages.get(late).verdict == "copy"
    assert len(stores.matches.of_page(late)) == 1


def test_few_characters_are_looked_up_together(monkeypatch):
    monkeypatch.setattr(comparing, "_CHARACTERS", 800)
    texts = [OTHER, OTHER + "尾", TEXT, "尾"]
    pages = [page(number, text) for number, text in enumerate(texts)]
    known = page(9, "尾", verdict="clear", corpus_version=1)
    assert list(comparing._groups_to_look_up([known, *pages])) == [pages[0], pages[2]]


def test_pages_that_are_compared_as_a_whole_again_are_looked_up_together():
    pages = [page(1, TEXT, verdict="clear", corpus_version=AS_A_WHOLE), page(2, OTHER)]
    assert list(comparing._groups_to_look_up(pages)) == pages


def test_article_and_rest_count_together_for_the_lookup_limit(monkeypatch):
    monkeypatch.setattr(comparing, "_CHARACTERS", len(TEXT) + 10)
    pages = [page(1, TEXT, rest=OTHER), page(2, TEXT, rest=OTHER[:10])]
    assert list(comparing._groups_to_look_up(pages)) == pages[1:]


def test_long_page_is_looked_up_separately(stores, corpus, monkeypatch):
    pages = [page(1, TEXT[:300]), page(2, OTHER + TEXT), page(3, OTHER[:300])]
    together, look_up = [], comparing.look_up

    def note(texts, index):
        together.extend(len(text.text) for text in texts)
        return look_up(texts, index)

    monkeypatch.setattr(comparing, "look_up", note)
    monkeypatch.setattr(comparing, "_CHARACTERS", 799)
    stores.pages.see_many(pages)
    token, ids, _ = stores.pages.reserve_fetched(count=9, lease_s=60)
    lease = {"token": token, "lease_s": 60}
    compared = list(
        comparing.compare_reserved(ids, stores, corpus, Screening(stores), **lease, is_stopping=lambda: False)
    )
    assert together == [300, 300]
    assert {own.page.url[-1]: own.verdict for own in compared} == {"1": "copy", "2": "copy", "3": "clear"}


class Killed(BaseException):
    """The worker ends here."""


def test_page_that_kills_workers_is_compared_alone(stores, corpus, monkeypatch):
    """After two kills, a worker compares such a page alone."""
    poison, compare_one = page(3), comparing.compare_stored

    def killed_by_one(own, *args):
        if own.id == poison.id:
            raise Killed
        return compare_one(own, *args)

    monkeypatch.setattr(comparing, "compare_stored", killed_by_one)
    others = [page(number, TEXT) for number in (1, 2, 4, 5, 6)]
    stores.pages.see_many([poison, *others])
    for _ in range(30):
        token, ids, _ = stores.pages.reserve_fetched(count=99, lease_s=60)
        run = comparing.compare_reserved(
            ids, stores, corpus, Screening(stores), token=token, lease_s=60, is_stopping=lambda: False
        )
        with suppress(Killed):
            list(run)
        ended = {"$set": {"lease.until": FREE.until}}
        stores.database["pages"].update_many({"state": "fetched"}, ended)
    assert [stores.pages.get(own.id).verdict for own in others] == ["copy"] * 5
    (gone,) = stores.pages.get_many([poison.id]).values()
    assert (gone.state, gone.reason) == ("failed", "gave-up")
