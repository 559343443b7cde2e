"""Removing works deletes all their data, even after interruptions; works can be restored."""

import dataclasses
from datetime import timedelta
from types import SimpleNamespace

import pytest
from support import rulings
from support.cases import live_cases
from support.compared import compare_page
from support.loading import CHAPTERS, raw, stored_corpus
from support.strategies import story

from storage.records import Page, utc_now
from storage.settings import Settings
from system.errors import UnknownRecord
from tracker import tasks
from tracker.comparison import Corpus
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.naming import AmbiguousTitle, WasRemoved, find_work
from tracker.corpus.removal import NameTaken, finish_removals, purge_removed, remove_work, restore_work
from tracker.indexing.guard import verify
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.runtime import passage_reader

pytestmark = pytest.mark.services


@pytest.fixture
def corpus(stores, redis_client):
    return stored_corpus(stores, redis_client)


class Breaking:
    """A store whose first call of one method is the crash of its process."""

    def __init__(self, real, method):
        self._real, self._method = real, method

    def __getattr__(self, name):
        if name == self._method:
            raise Crash
        return getattr(self._real, name)


class Crash(Exception):
    """The process ends here."""


STEPS = [
    ("versions", "raise_version"),
    ("fingerprints", "delete_many"),
    ("removed", "archive_findings"),
]


@pytest.fixture(params=STEPS, ids=[f"{store}.{method}" for store, method in STEPS])
def interruption(request, corpus, taken):
    """The work of :func:`raw` with a page that copies it, its removal broken off before one of its steps."""
    corpus.load(raw())
    corpus.load(raw(ChapterSection("", story(400, 50)), title="雾港来信"))
    corpus.index_all()
    page = _page_with(corpus, CHAPTERS[1].text, taken)
    store, method = request.param
    broken = dataclasses.replace(corpus.stores, **{store: Breaking(getattr(corpus.stores, store), method)})
    with pytest.raises(Crash):
        remove_work("青灯渡", broken, corpus.index)
    return corpus, page


def test_interrupted_removal_leaves_nothing_that_matches(interruption, redis_client):
    corpus, _ = interruption
    assert corpus.check(CHAPTERS[1].text).verdict == "clear"
    assert corpus.check(story(400, 50)).verdict == "copy"
    assert verify(corpus.stores, redis_client) == 0


def test_interrupted_removal_is_finished_by_the_next(interruption, redis_client):
    corpus, page = interruption
    (work,) = corpus.stores.works.removed()
    assert not work.removal.whole
    finish_removals(corpus.stores, corpus.index)
    assert corpus.stores.works.removed()[0].removal.whole
    assert [work.title for work in corpus.stores.works.all()] == ["雾港来信"]
    assert corpus.stores.matches.of_page(page.id) == live_cases(corpus.stores) == []
    assert corpus.stores.pages.stale.count(corpus_version=corpus.stores.versions.current()) == 1
    assert corpus.check(story(400, 50)).verdict == "copy"
    assert verify(corpus.stores, redis_client) == 0


def test_interrupted_removal_can_be_undone(interruption, redis_client):
    corpus, page = interruption
    restore_work("青灯渡", corpus.stores, corpus.index)
    corpus.index_all()
    assert [match.page_id for match in corpus.stores.matches.of_page(page.id)] == [page.id]
    assert len(live_cases(corpus.stores)) == 1
    assert corpus.check(CHAPTERS[1].text).verdict == "copy"
    assert verify(corpus.stores, redis_client) == 0


@pytest.mark.parametrize("step", [("removed", "restore_findings"), ("passages", "get_many")])
def test_interrupted_return_is_a_removal_that_can_be_undone(corpus, taken, step):
    corpus.load(raw())
    corpus.index_all()
    page = _page_with(corpus, CHAPTERS[1].text, taken)
    matches = corpus.stores.matches.of_page(page.id)
    remove_work("青灯渡", corpus.stores, corpus.index)
    store, method = step
    broken = dataclasses.replace(corpus.stores, **{store: Breaking(getattr(corpus.stores, store), method)})
    with pytest.raises(Crash):
        restore_work("青灯渡", broken, corpus.index)
    finish_removals(corpus.stores, corpus.index)
    assert corpus.stores.matches.of_page(page.id) == live_cases(corpus.stores) == []
    restore_work("青灯渡", corpus.stores, corpus.index)
    assert corpus.stores.matches.of_page(page.id) == matches


def test_work_comes_back_whole_after_an_interrupted_removal(interruption, redis_client):
    """Its unchanged file must not count as stored: passages may be missing."""
    corpus, _ = interruption
    _, work = corpus.load(raw())
    assert len(work.passage_ids) == len(CHAPTERS)
    corpus.index_all()
    for chapter in CHAPTERS:
        assert corpus.check(chapter.text).verdict == "copy"
    assert verify(corpus.stores, redis_client) == 0


def test_passage_that_its_work_no_longer_names_never_matches(corpus):
    """A worker's index and the database still have the passage: an update was interrupted."""
    _, work = corpus.load(raw())
    corpus.index_all()
    kept = work.passage_ids[:2]
    corpus.stores.works.save(dataclasses.replace(work, passage_ids=kept, status="indexed"))
    assert corpus.index.missing(work.passage_ids) == []
    assert len(corpus.stores.passages.of_work(work.id)) == len(CHAPTERS)
    verdicts = [corpus.check(chapter.text).verdict for chapter in CHAPTERS]
    assert verdicts == ["copy", "copy", "clear", "clear", "clear"]


def test_removing_a_work_leaves_nothing_of_it(corpus, redis_client, taken):
    _, work = corpus.load(raw())
    _, other = corpus.load(raw(ChapterSection("", story(400, 50)), title="雾港来信"))
    corpus.index_all()
    page = _page_with(corpus, CHAPTERS[1].text, taken)
    assert corpus.stores.matches.of_work(work.id)
    version = corpus.stores.versions.current()
    removed = remove_work("青灯渡", corpus.stores, corpus.index)
    assert removed.id == work.id
    assert [work.id for work in corpus.stores.works.all()] == [other.id]
    assert corpus.stores.works.get_many([work.id]) == {}
    assert corpus.stores.matches.of_page(page.id) == live_cases(corpus.stores) == []
    assert corpus.index.missing(work.passage_ids) == list(work.passage_ids)
    assert corpus.stores.versions.current() > version
    assert corpus.check(CHAPTERS[1].text).matches == ()
    assert corpus.check(story(400, 50)).verdict == "copy"
    assert verify(corpus.stores, redis_client) == 0


def _page_with(corpus, text, taken):
    page = Page(id="p1", url="u", host="s", source="x", kind="article", text=text)
    corpus.stores.pages.see_many([page])
    assert compare_page(
        page,
        corpus.stores,
        Corpus(passage_reader(corpus.stores), corpus.index, DEFAULT_PARAMS),
        token=taken(page.id),
        lease_s=60,
    )
    work = corpus.stores.works.by_key("青灯渡")
    refresh_cases(corpus.stores, [(work.id, "s")])
    return page


def test_removed_work_comes_back_as_it_was(corpus, redis_client, taken):
    """Decisions of analysts and licences are restored too."""
    _, work = corpus.load(raw(author="沈砚秋"))
    corpus.index_all()
    page = _page_with(corpus, CHAPTERS[1].text, taken)
    (match,) = corpus.stores.matches.of_page(page.id)
    rulings.confirm(match, corpus.stores)
    confirmed = corpus.stores.matches.get(match.id)  # as seen by a reviewer who changes their mind
    dismissed = rulings.dismiss(confirmed, corpus.stores, reason="试读")
    before = corpus.stores.works.get_many([work.id])[work.id], corpus.stores.matches.get(match.id)
    remove_work("青灯渡", corpus.stores, corpus.index)
    assert [*corpus.stores.decisions.listed()] == []
    with pytest.raises(WasRemoved, match=rf"Restore it with `pindna corpus restore id:{work.id}`"):
        find_work("青灯渡", corpus.stores)
    restore_work("《青燈渡》", corpus.stores, corpus.index)
    corpus.index_all()
    assert corpus.stores.matches.get(match.id) == before[1]
    assert [*corpus.stores.decisions.listed()] == dismissed
    (back,) = corpus.stores.works.all()
    assert dataclasses.replace(back, updated=before[0].updated, indexed_version=0) == dataclasses.replace(
        before[0], indexed_version=0
    )
    assert corpus.check(CHAPTERS[1].text).verdict == "copy"
    assert verify(corpus.stores, redis_client) == 0
    assert corpus.load(raw(author="沈砚秋"))[0] == "unchanged"


def test_removed_work_cannot_reclaim_a_title_in_use(corpus):
    _, first = corpus.load(raw())
    remove_work("青灯渡", corpus.stores, corpus.index)
    _, second = corpus.load(raw())
    with pytest.raises(NameTaken, match=f"Another work, id:{second.id}, now has the title"):
        restore_work(f"id:{first.id}", corpus.stores, corpus.index)
    remove_work("青灯渡", corpus.stores, corpus.index)
    with pytest.raises(AmbiguousTitle):
        restore_work("青灯渡", corpus.stores, corpus.index)
    assert restore_work(f"id:{first.id}", corpus.stores, corpus.index).id == first.id


def pages_of_removed(corpus):
    rows = corpus.stores.database["removed"].find({"kind": "matches"})
    return [row["document"]["page_id"] for row in rows]


def test_removed_work_is_forgotten_when_its_time_is_up(corpus, taken):
    _, work = corpus.load(raw())
    corpus.index_all()
    page = _page_with(corpus, CHAPTERS[1].text, taken)
    remove_work("青灯渡", corpus.stores, corpus.index)
    removed = corpus.stores.works.removed()[0].removal.at
    assert purge_removed(corpus.stores, corpus.index, before=removed) == 0
    assert pages_of_removed(corpus) == [page.id]
    assert purge_removed(corpus.stores, corpus.index, before=removed + timedelta(seconds=1)) == 1
    assert corpus.stores.works.removed() == corpus.stores.passages.of_work(work.id) == []
    assert pages_of_removed(corpus) == []
    with pytest.raises(UnknownRecord, match="no removed work called 青灯渡"):
        restore_work("青灯渡", corpus.stores, corpus.index)


@pytest.mark.parametrize(("days", "left"), [(29, ["青灯渡"]), (31, [])])
def test_daily_scan_erases_works_removed_a_month_ago(corpus, monkeypatch, days, left):
    _, work = corpus.load(raw())
    remove_work("青灯渡", corpus.stores, corpus.index)
    corpus.stores.database["works"].update_one(
        {"_id": work.id}, {"$set": {"removal.at": utc_now() - timedelta(days=days)}}
    )
    guard = SimpleNamespace(live=lambda: corpus.index)
    here = SimpleNamespace(stores=corpus.stores, guard=guard, settings=Settings())
    monkeypatch.setattr(tasks, "worker_runtime", lambda: here)
    assert tasks.daily_scan.run() == {}  # there are no sources to crawl
    assert [gone.title for gone in corpus.stores.works.removed()] == left


def test_removed_work_may_be_added_again(corpus):
    _, first = corpus.load(raw())
    corpus.index_all()
    remove_work("青灯渡", corpus.stores, corpus.index)
    outcome, work = corpus.load(raw())
    corpus.index_all()
    assert outcome == "new"
    assert not set(work.passage_ids) & set(first.passage_ids)
    (match,) = corpus.check(CHAPTERS[0].text).matches
    assert match.passage.id == work.passage_ids[0]
