"""Opening scans and comparing their pages: what waits for whom, and what a slow worker may store."""

from dataclasses import replace

import pytest

from storage.index.memory import MemoryIndex
from storage.records import Page
from storage.settings import TrackerSettings
from tests.strategies import story
from tracker.comparison import Corpus
from tracker.indexing import index_work
from tracker.methods import DEFAULT_METHODS
from tracker.pages import compare_page
from tracker.profiles import PROFILES, chosen_profiles
from tracker.retroactive import Screening
from tracker.scanning import NothingToCompareWith, close_if_complete, start_scan

pytestmark = pytest.mark.services
TEXT = story(400, 1)


@pytest.fixture
def scan(stores, guard, settings):
    """A function that opens a scan of no sources: of what is stored."""

    def start(**changes):
        tracker = settings.tracker.model_copy(update=changes)
        return start_scan(stores, guard, tracker, sources=[], trigger="hand")

    return start


@pytest.fixture
def indexed(stores, guard, save_work):
    """A function that stores and indexes one more work."""

    def index(work_id, text):
        assert index_work(save_work(work_id, {work_id: text}), stores, guard.index())

    return index


def add_page(stores, name, text=TEXT, **fields):
    page = Page(id=name, url=name, site="s", source="x", kind="article", text=text, **fields)
    stores.pages.see(page)
    return page


def corpus_of(stores, index):
    return Corpus(stores.works, stores.passages, index, DEFAULT_METHODS)


@pytest.mark.parametrize("status", [None, "stored", "failed"])
def test_a_scan_without_an_indexed_work_would_mean_nothing(stores, scan, save_work, status):
    if status:
        save_work(1, {1: TEXT}, status=status)
    add_page(stores, "p1")
    with pytest.raises(NothingToCompareWith, match="nothing to compare with"):
        scan()
    assert stores.scans.all() == []
    assert stores.pages.get("p1").scan_id == ""


def test_other_thresholds_judge_every_stored_page_again(stores, scan, indexed, guard, taken):
    """A page that no other work concerns waits again all the same, and only once for each change."""
    indexed(1, TEXT)
    page = add_page(stores, "p1", text=TEXT[:100] + story(400, 7))
    scan()

    def compare_again(profiles):
        corpus = replace(corpus_of(stores, guard.index()), profiles=profiles)
        screening = Screening(stores)
        assert compare_page(
            stores.pages.get("p1"), stores, corpus, token=taken("p1"), lease_s=60, screening=screening
        )
        return stores.pages.get("p1").verdict

    assert compare_again(PROFILES) == "quote"
    scan()
    assert stores.pages.get(page.id).state == "compared"
    strict = {
        "profiles": {"strict": {"base": "novel", "partial_chars": 80, "version": 1}},
        "novel_profile": "strict",
    }
    scan(**strict)
    assert stores.pages.get(page.id).state == "fetched"
    assert compare_again(chosen_profiles(TrackerSettings(**strict))) == "partial"
    scan(**strict)
    assert stores.pages.get(page.id).state == "compared"
    strict["profiles"]["strict"]["partial_chars"] = 120  # without a new version
    scan(**strict)
    assert stores.pages.get(page.id).state == "fetched"


def test_a_scan_takes_stale_pages_but_not_those_that_another_waits_for(stores, scan, indexed, guard, taken):
    indexed(1, TEXT)
    first = scan()
    pages = [add_page(stores, "of the first", scan_id=first.id), add_page(stores, "of none", scan_id="gone")]
    for page in pages:
        corpus = corpus_of(stores, guard.index())
        assert compare_page(page, stores, corpus, token=taken(page.id), lease_s=60)
    indexed(2, story(400, 2))
    second = scan()
    assert {each.id: each.scan_id for each in stores.pages.all()} == {
        "of the first": first.id,
        "of none": second.id,
    }
    assert not close_if_complete(first, stores)
    assert not close_if_complete(second, stores)
    corpus = corpus_of(stores, guard.index())
    for page in pages:
        assert compare_page(page, stores, corpus, token=taken(page.id), lease_s=60)
    assert close_if_complete(first, stores)
    assert close_if_complete(second, stores)
    assert stores.scans.get(first.id).counts["verdict:copy"] == 1


class Meanwhile:
    """An index during whose answer something else happens."""

    def __init__(self, real, happens):
        self._real, self._happens = real, happens

    def lookup_many(self, pages):
        self._happens()
        return self._real.lookup_many(pages)


def expire(stores):
    stores.database["pages"].update_many({}, {"$set": {"lease.until": stores.pages.get("p1").first_seen}})


@pytest.mark.parametrize("ends", [True, False], ids=["done", "under way"])
def test_a_worker_that_lost_its_page_stores_nothing(stores, indexed, guard, taken, ends):
    """The slow one found nothing in an index of long ago; the quick one's finding must stand."""
    indexed(1, TEXT)
    page = add_page(stores, "p1")
    slow = taken("p1")
    quick_corpus = corpus_of(stores, guard.index())
    tokens = []

    def overtake():
        expire(stores)
        tokens.append(taken("p1"))
        if ends:
            assert compare_page(page, stores, quick_corpus, token=tokens[0], lease_s=60)

    slow_corpus = corpus_of(stores, Meanwhile(MemoryIndex(), overtake))
    assert compare_page(page, stores, slow_corpus, token=slow, lease_s=60) is False
    if not ends:
        assert stores.pages.get("p1").state == "fetched"
        assert compare_page(page, stores, quick_corpus, token=tokens[0], lease_s=60)
    stored = stores.pages.get("p1")
    assert (stored.state, stored.verdict, stored.copied_chars) == ("compared", "copy", len(TEXT))
    assert [match.passage_id for match in stores.matches.of_page("p1")] == [1]


def test_a_work_that_is_indexed_during_a_comparison_makes_it_stale(stores, indexed, guard, taken):
    indexed(1, story(400, 2))
    page = add_page(stores, "p1")
    corpus = corpus_of(stores, Meanwhile(guard.index(), lambda: indexed(2, TEXT)))
    before = stores.works.corpus_version()
    assert compare_page(page, stores, corpus, token=taken("p1"), lease_s=60)
    assert stores.pages.get("p1").corpus_version == before
    assert stores.pages.count_stale(corpus_version=stores.works.corpus_version()) == 1
