"""Pages that were compared together are stored together, and each is as if it had been alone."""

from dataclasses import replace
from datetime import timedelta

import pytest
from support.matches import match_with
from support.standing import reopen_all
from support.strategies import story

from storage.collections.documents import StorageFailed, Unstorable
from storage.collections.matches import MatchStore
from storage.collections.pages import Closing, PageStore, page_id
from storage.records import FREE, Page, PageResult, utc_now
from tracker.comparison import ComparedText, Corpus
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.review.decisions import dismiss
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
        return stores.pages.take_many(ids, token=token, lease_s=60)

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


def test_each_page_of_a_batch_gets_its_own_result(stores, take, compare):
    token, pages = take(page(1), page(2, TEXT), page(3, "序。" + TEXT[:200]), page(4))
    compared = compare(pages)
    assert store_compared(compared, stores, token=token, lease_s=60) == (compared, set())
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


def test_only_those_whose_lease_is_held_are_stored(stores, take, compare):
    token, pages = take(page(1, TEXT), page(2, TEXT))
    compared = compare(pages)
    lost = pages[0].id
    stores.database["pages"].update_one({"_id": lost}, {"$set": {"lease.token": "another's"}})
    assert store_compared(compared, stores, token=token, lease_s=60).pages == compared[1:]
    assert stores.pages.get(lost).state == "fetched"
    assert stores.matches.of_page(lost) == []
    assert stores.pages.get(pages[1].id).verdict == "copy"


def test_a_batch_that_was_broken_off_after_its_matches_is_stored_again(stores, take, compare, monkeypatch):
    token, pages = take(page(1, TEXT), page(2, TEXT))
    compared = compare(pages)
    with monkeypatch.context() as patch:
        patch.setattr(PageStore, "mark_compared", kill)
        with pytest.raises(KeyboardInterrupt):
            store_compared(compared, stores, token=token, lease_s=60)
    before = {match.id: match.number for own in pages for match in stores.matches.of_page(own.id)}
    assert len(before) == 2
    assert stores.pages.get(pages[0].id).state == "fetched"
    store_compared(compared, stores, token=token, lease_s=60)
    assert {match.id: match.number for own in pages for match in stores.matches.of_page(own.id)} == before
    assert {stores.pages.get(own.id).state for own in pages} == {"compared"}


def kill(*_args, **_options):
    raise KeyboardInterrupt


def test_the_only_version_of_an_address_bears_no_mark(stores, take):
    token, pages = take(page(1), page(2))
    results = [(own, CLEAR) for own in pages]
    assert stores.pages.mark_compared(results, token=token, corpus_version=1) == (set(), set())
    assert [row.get("unsettled", "") for row in stores.database["pages"].find({})] == ["", ""]


def test_one_of_several_versions_bears_a_mark_until_it_is_settled(stores, take):
    late = utc_now() + timedelta(hours=1)
    older, newer = page(1), replace(page(1, TEXT), first_seen=late, last_seen=late)
    token, pages = take(older, newer, page(2))
    urls, _ = stores.pages.mark_compared([(own, CLEAR) for own in pages], token=token, corpus_version=1)
    assert urls == {older.url}
    marked = {row["_id"] for row in stores.database["pages"].find({"unsettled": {"$gt": ""}})}
    assert marked == {older.id, newer.id}
    stores.pages.settle(urls)
    assert stores.pages.get(older.id).standing == "replaced"
    assert stores.pages.get(newer.id).standing == "current"


@pytest.mark.parametrize("is_compared", [False, True], ids=["waits", "compared"])
def test_a_version_that_is_seen_while_another_is_closed_leaves_both_right(
    stores, take, monkeypatch, is_compared
):
    """It comes after the versions were looked for, and is settled before the older one is closed."""
    late = utc_now() + timedelta(hours=1)
    newer = replace(page(1, TEXT), first_seen=late, last_seen=late)
    token, (older,) = take(page(1))
    copy = match_with(id=f"{older.id}:1:novel", page_id=older.id, url=older.url)
    stores.matches.replace_for_pages({older.id: [copy]})
    look = PageStore._of_several_versions

    def see_another(self, urls):
        several = look(self, urls)
        monkeypatch.setattr(PageStore, "_of_several_versions", look)
        other, (taken,) = take(newer)
        if is_compared:
            stores.pages.mark_compared([(taken, CLEAR)], token=other, corpus_version=1)
        stores.pages.settle([newer.url])
        return several

    monkeypatch.setattr(PageStore, "_of_several_versions", see_another)
    urls, lost = stores.pages.mark_compared([(older, CLEAR)], token=token, corpus_version=1)
    assert (urls, lost) == ({older.url}, set())
    stores.pages.settle(urls)
    stored = stores.pages.get(older.id)
    assert (stored.state, stored.standing) == ("compared", "replaced" if is_compared else "last-text")
    assert (stores.matches.get(copy.id).replaced is None) is not is_compared
    assert stores.pages.get(newer.id).standing == "current"


def test_what_cannot_be_stored_costs_the_batch_nothing(stores, take, compare, monkeypatch, lost):
    token, pages = take(page(1, TEXT), page(2, TEXT), page(3))
    compared = compare(pages)
    bad, store = compared[0].page.id, MatchStore.replace_for_pages

    def refuse(self, matches):
        if bad in matches:
            raise Unstorable(problem="too large")
        store(self, matches)

    monkeypatch.setattr(MatchStore, "replace_for_pages", refuse)
    stored = comparing._store(compared, stores=stores, token=token, lease_s=60)
    assert stored == compared[1:]
    assert (stores.pages.get(bad).state, stores.pages.get(bad).reason) == ("failed", "internal-error")
    assert {stores.pages.get(own.page.id).state for own in stored} == {"compared"}
    assert lost == []


def test_a_lost_lease_is_counted(stores, take, compare, lost):
    token, pages = take(page(1, TEXT), page(2), page(3))
    others = {"$set": {"lease.token": "another's"}}
    stores.database["pages"].update_many({"_id": {"$in": [own.id for own in pages[:2]]}}, others)
    assert len(comparing._store(compare(pages), stores=stores, token=token, lease_s=60)) == 1
    assert lost == [("page", 2)]


@pytest.fixture
def decided(stores, take, compare):
    """Pages that were compared before an analyst dismissed what they hold; with the token of their leases."""
    first, pages = take(page(0, TEXT))
    store_compared(compare(pages), stores, token=first, lease_s=60)
    token, pages = take(page(1, TEXT), page(2, TEXT))
    compared = compare(pages)
    (match,) = [match for match in stores.matches.listed() if match.url == page(0).url]
    dismiss(match, stores, because="授权转载")
    return compared, token


def standing(stores, compared):
    """State, verdict and coverage of each page, with the review of its match."""
    pages = [stores.pages.get(own.page.id) for own in compared]
    reviews = [[match.review for match in stores.matches.of_page(own.id)] for own in pages]
    return [(own.state, own.verdict, own.coverage, *found) for own, found in zip(pages, reviews, strict=True)]


HELD = ("compared", "clear", 0.0, "dismissed")


def test_what_fails_after_pages_are_closed_leaves_them_stored(stores, decided, lost, monkeypatch):
    compared, token = decided
    held = []

    def refuse(*_args):
        raise StorageFailed(problem="refused")

    def hold(own, _stores):
        held.append(own)
        refuse()

    monkeypatch.setattr(PageStore, "settle", refuse)
    monkeypatch.setattr(comparing, "hold_late_decisions", hold)
    assert comparing._store(compared, stores=stores, token=token, lease_s=60) == compared
    assert held == compared
    assert standing(stores, compared) == [HELD, HELD]
    assert lost == []


def test_a_decision_during_a_comparison_holds_though_its_worker_is_killed(stores, decided, monkeypatch):
    compared, token = decided
    monkeypatch.setattr(comparing, "hold_late_decisions", kill)
    with pytest.raises(KeyboardInterrupt):
        comparing._store(compared, stores=stores, token=token, lease_s=60)
    assert standing(stores, compared) == [HELD, HELD]


def test_a_decision_while_pages_are_closed_holds(stores, take, compare, monkeypatch):
    token, pages = take(page(1, TEXT), page(2, TEXT))
    compared, close = compare(pages), PageStore.mark_compared

    def decide_first(self, *args, **options):
        dismiss(stores.matches.of_page(pages[0].id)[0], stores, because="授权转载")
        return close(self, *args, **options)

    monkeypatch.setattr(PageStore, "mark_compared", decide_first)
    comparing._store(compared, stores=stores, token=token, lease_s=60)
    assert standing(stores, compared) == [HELD, HELD]


@pytest.fixture
def another(stores, guard, save_work, take, compare):
    """A function that lets another worker take a page whose lease ends, and compare it with one more work."""

    def compare_more(page_id):
        assert index_works([save_work(2, {2: OTHER})], stores, guard.index())
        stores.database["pages"].update_one({"_id": page_id}, {"$set": {"lease.until": FREE.until}})
        token, pages = take()
        return token, compare(pages)

    return compare_more


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "in-hand"])
def test_a_worker_that_wakes_after_its_lease_leaves_no_page_without_its_matches(
    stores, take, compare, another, monkeypatch, *, is_closed
):
    """It is frozen before it stores; meanwhile the other finds more, and has stored it at least."""
    token, pages = take(page(1, OTHER), page(2))
    slow, store, late = compare(pages), MatchStore.replace_for_pages, page(1, OTHER).id

    def wake(self, matches):
        monkeypatch.setattr(MatchStore, "replace_for_pages", store)
        other, quick = another(late)
        with monkeypatch.context() as patch:
            if not is_closed:
                patch.setattr(PageStore, "mark_compared", lambda *_args, **_options: Closing(set(), set()))
            store_compared(quick, stores, token=other, lease_s=60)
        assert len(stores.matches.of_page(late)) == 1
        store(self, matches)

    monkeypatch.setattr(MatchStore, "replace_for_pages", wake)
    stored = store_compared(slow, stores, token=token, lease_s=60).pages
    assert [own.page.url for own in stored] == [page(2).url]
    assert reopen_all(stores, corpus_version=0) == is_closed
    token, (again,) = take()
    assert again.id == late
    store_compared(compare([again]), stores, token=token, lease_s=60)
    assert stores.pages.get(late).verdict == "copy"
    assert len(stores.matches.of_page(late)) == 1


def test_few_characters_are_looked_up_together(monkeypatch):
    monkeypatch.setattr(comparing, "_CHARACTERS", 800)
    texts = [OTHER, OTHER + "尾", TEXT, "尾"]
    pages = [page(number, text) for number, text in enumerate(texts)]
    known = page(9, "尾", verdict="clear")
    assert list(comparing._together([known, *pages])) == [pages[0], pages[2]]


def test_a_long_page_is_looked_up_in_its_turn(stores, corpus, monkeypatch):
    pages = [page(1, TEXT[:300]), page(2, OTHER + TEXT), page(3, OTHER[:300])]
    together, look_up = [], comparing.look_up

    def note(texts, index):
        together.extend(len(text.text) for text in texts)
        return look_up(texts, index)

    monkeypatch.setattr(comparing, "look_up", note)
    monkeypatch.setattr(comparing, "_CHARACTERS", 799)
    stores.pages.see_many(pages)
    token, ids, _ = stores.pages.reserve_fetched(count=9, lease_s=60)
    compared = comparing.compare_reserved(
        ids, stores, corpus, Screening(stores), token=token, lease_s=60, is_stopping=lambda: False
    )
    assert together == [300, 300]
    assert {own.page.url[-1]: own.verdict for own in compared} == {"1": "copy", "2": "copy", "3": "clear"}
