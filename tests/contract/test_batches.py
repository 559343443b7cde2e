"""Pages that were compared together are stored together, and each is as if it had been alone."""

from dataclasses import replace
from datetime import timedelta

import pytest
from support.matches import match_with
from support.strategies import story

from storage.collections.documents import Unstorable
from storage.collections.matches import MatchStore
from storage.collections.pages import PageStore, page_id
from storage.records import FREE, Page, PageResult, utc_now
from tracker import tasks
from tracker.comparison import ComparedText, Corpus
from tracker.indexing.adding import index_works
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import passage_reader
from tracker.scans.pages import PageLookup, compare_stored, store_compared

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
def compare(stores, guard, save_work):
    """A function that compares pages with a work that holds ``TEXT``."""
    assert index_works([save_work(1, {1: TEXT})], stores, guard.index())
    corpus = Corpus(passage_reader(stores), guard.index(), DEFAULT_PARAMS)

    def compare_all(pages):
        version = stores.versions.current_and_mark()
        lookups = [PageLookup(ComparedText(own.text), None, *version) for own in pages]
        return [compare_stored(own, lookup, corpus, None) for own, lookup in zip(pages, lookups, strict=True)]

    return compare_all


def test_each_page_of_a_batch_gets_its_own_result(stores, take, compare):
    token, pages = take(page(1), page(2, TEXT), page(3, "序。" + TEXT[:200]), page(4))
    compared = compare(pages)
    assert store_compared(compared, stores, token=token, lease_s=60) == compared
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
    assert store_compared(compared, stores, token=token, lease_s=60) == compared[1:]
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
    assert not stores.pages.mark_compared([(own, CLEAR) for own in pages], token=token, corpus_version=1)
    assert [row.get("unsettled", "") for row in stores.database["pages"].find({})] == ["", ""]


def test_one_of_several_versions_bears_a_mark_until_it_is_settled(stores, take):
    late = utc_now() + timedelta(hours=1)
    older, newer = page(1), replace(page(1, TEXT), first_seen=late, last_seen=late)
    token, pages = take(older, newer, page(2))
    urls = stores.pages.mark_compared([(own, CLEAR) for own in pages], token=token, corpus_version=1)
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
    urls = stores.pages.mark_compared([(older, CLEAR)], token=token, corpus_version=1)
    assert urls == {older.url}
    stores.pages.settle(urls)
    stored = stores.pages.get(older.id)
    assert (stored.state, stored.standing) == ("compared", "replaced" if is_compared else "last-text")
    assert (stores.matches.get(copy.id).replaced is None) is not is_compared
    assert stores.pages.get(newer.id).standing == "current"


def test_what_cannot_be_stored_costs_the_batch_nothing(stores, take, compare, monkeypatch):
    token, pages = take(page(1, TEXT), page(2, TEXT), page(3))
    compared = compare(pages)
    bad, store = compared[0].page.id, MatchStore.replace_for_pages

    def refuse(self, matches):
        if bad in matches:
            raise Unstorable(problem="too large")
        store(self, matches)

    monkeypatch.setattr(MatchStore, "replace_for_pages", refuse)
    stored = tasks._store(compared, stores=stores, token=token, lease_s=60)
    assert stored == compared[1:]
    assert (stores.pages.get(bad).state, stores.pages.get(bad).reason) == ("failed", "internal-error")
    assert {stores.pages.get(own.page.id).state for own in stored} == {"compared"}
