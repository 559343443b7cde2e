"""One worker, batch after batch: no page is judged by an old copy of a work or of its passages."""

from dataclasses import replace

import pytest
from support.loading import CHAPTERS, raw, stored_corpus
from support.strategies import story

from storage.records import SiteLicence
from tracker.comparison import ComparedText, compare
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.regrouping import rename_work
from tracker.corpus.removal import remove_work, restore_work
from tracker.corpus.roles import set_role
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services

PAGE = CHAPTERS[1].text


@pytest.fixture
def mother(stores, redis_client):
    return stored_corpus(stores, redis_client)


@pytest.fixture
def work(mother):
    _, work = mother.load(raw())
    mother.index_all()
    return work


@pytest.fixture
def worker(settings, work):  # noqa: ARG001 - the index is made before
    """A worker that met the work already."""
    runtime = open_runtime(settings)
    assert matches(runtime)[0].verdict == "copy"
    yield runtime
    runtime.close()


def matches(worker, page=PAGE):
    """The matches of a page in a batch of its own."""
    return compare(ComparedText(page), worker.corpus(), site="a.cn").matches


def test_texts_are_read_once(worker, monkeypatch):
    def read(ids):
        assert list(ids) == [], "read again"
        return {}

    monkeypatch.setattr(worker.stores.passages, "get_many", read)
    assert matches(worker)[0].passage.text == PAGE


def test_changed_work_is_judged_by_its_new_text(worker, mother):
    new = ChapterSection("第2章", PAGE[:200] + story(200, 77))
    mother.load(raw(CHAPTERS[0], new, *CHAPTERS[2:]))
    assert matches(worker) == ()  # not in the index yet
    mother.index_all()
    (match,) = matches(worker)
    assert match.passage.text == new.text
    assert match.copied_chars < len(PAGE)


def test_removed_work_matches_no_more_until_it_is_back(worker, mother):
    remove_work("青灯渡", mother.stores, mother.index)
    assert matches(worker) == ()
    restore_work("青灯渡", mother.stores, mother.index)
    mother.index_all()
    assert matches(worker)[0].verdict == "copy"


def test_licence_holds_at_once(worker, mother, work):
    mother.stores.works.change_licences(work.id, lambda _: ([], [SiteLicence(site="a.cn")]))
    assert matches(worker)[0].verdict == "licensed"
    mother.stores.works.change_licences(work.id, lambda _: ([], []))
    assert matches(worker)[0].verdict == "copy"


def test_role_and_a_title_hold_at_once(worker, mother, work):
    rename_work(work, "渡口", mother.stores)
    assert matches(worker)[0].work.title == "渡口"
    set_role(mother.stores.works.get_many([work.id])[work.id], "background", mother.stores)
    assert matches(worker) == ()


def test_corpus_changes_are_visible_within_a_batch(worker, mother, work):
    corpus = worker.corpus()
    assert compare(ComparedText(PAGE), corpus, site="a.cn").verdict == "copy"
    mother.stores.works.change_licences(work.id, lambda _: (["a.cn"], []))
    assert compare(ComparedText(PAGE), corpus, site="a.cn").verdict == "licensed"
    remove_work("青灯渡", mother.stores, mother.index)
    assert compare(ComparedText(PAGE), corpus, site="a.cn").matches == ()


def test_batch_that_began_without_a_work_finds_it_when_it_is_back(worker, mother):
    """It records the version that it reads then, so the page would not be compared again."""
    remove_work("青灯渡", mother.stores, mother.index)
    corpus = worker.corpus()
    restore_work("青灯渡", mother.stores, mother.index)
    mother.index_all()
    assert compare(ComparedText(PAGE), corpus, site="a.cn").verdict == "copy"


def test_next_batch_reads_unversioned_changes_of_a_killed_command(worker, mother, work):
    stored = mother.stores.works.get_many([work.id])[work.id]
    mother.stores.works.save(replace(stored, passage_ids=stored.passage_ids[2:]))
    assert matches(worker) == ()


def test_restored_database_is_recognised_as_changed(worker, mother, work):
    """Same ids and version, other texts: neither identifies a text."""
    stores, other = mother.stores, story(300, 99)
    (passage, *_) = [own for own in stores.passages.of_work(work.id) if own.text == PAGE]
    stores.passages.save_many([replace(passage, text=other, sha256="another")])
    assert matches(worker) == ()
    stores.passages.save_many([passage])
    assert matches(worker)[0].passage.text == PAGE
