"""Works renamed, joined and parted: what was found, the index and what analysts said stay."""

import pytest
from support import rulings
from support.cases import live_cases
from support.compared import compare_page
from support.loading import CHAPTERS, raw, stored_corpus
from support.strategies import story

from storage.collections.works import WorkStore
from storage.records import Page, SiteLicence
from system.errors import ServiceDown
from tracker.comparison import Corpus
from tracker.corpus import regrouping
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.editions import link_edition
from tracker.corpus.naming import find_work
from tracker.corpus.regrouping import (
    NoSuchPassages,
    NothingLeft,
    TitleTaken,
    merge_works,
    rename_work,
    split_work,
)
from tracker.indexing.guard import verify
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.judgement.licences import grant
from tracker.runtime import passage_reader

pytestmark = pytest.mark.services

VOLUMES = [raw(chapter, title=f"{number:03}") for number, chapter in enumerate(CHAPTERS[:3], 1)]


@pytest.fixture
def corpus(stores, redis_client):
    return stored_corpus(stores, redis_client)


def scan(corpus, taken, text, number=1):
    page = Page(
        id=f"p{number}", url=f"http://c/{number}", host="c.example", source="x", kind="article", text=text
    )
    stores = corpus.stores
    stores.pages.see_many([page])
    mother = Corpus(passage_reader(stores), corpus.index, DEFAULT_PARAMS)
    assert compare_page(page, stores, mother, token=taken(page.id), lease_s=60)
    matches = stores.matches.of_page(page.id)
    refresh_cases(stores, {(match.work_id, match.site) for match in matches})
    return matches[0]


def load(corpus, *raws):
    works = [corpus.load(one)[1] for one in raws]
    corpus.index_all()
    return [corpus.stores.works.get_many([work.id])[work.id] for work in works]


def test_renamed_work_keeps_its_file_and_gets_its_new_title(corpus, taken):
    (work,) = load(corpus, raw(title="003"))
    match = scan(corpus, taken, CHAPTERS[0].text)
    rename_work(work, "镜花缘", corpus.stores)
    stores = corpus.stores
    assert find_work("鏡花緣", stores).id == work.id
    assert stores.matches.get(match.id).work_title == "镜花缘"
    assert [case.work_title for case in live_cases(stores)] == ["镜花缘"]
    outcome, again = corpus.load(raw(title="003"))
    assert (outcome, again.title) == ("unchanged", "镜花缘")
    outcome, moved = corpus.load(raw(title="镜花缘", origin="镜花缘.txt"))
    assert (outcome, moved.id) == ("unchanged", work.id)
    (other,) = load(corpus, raw(ChapterSection("", story(300, 9)), title="水浒传"))
    with pytest.raises(TitleTaken, match=f"Another work, id:{work.id}, already has the title"):
        rename_work(other, "镜花缘", stores)


def test_merged_volumes_keep_their_findings(corpus, redis_client, taken):
    """Files 001, 002 and 003 of one novel had become three works."""
    works = load(corpus, *VOLUMES)
    stores = corpus.stores
    licence = SiteLicence(site="book.example.cn")
    grant(works[2], licence, stores, replace=True)
    matches = [scan(corpus, taken, CHAPTERS[number].text, number) for number in (0, 2)]
    rulings.confirm(matches[1], stores)
    rulings.dismiss(matches[0], stores, reason="试读")
    current = [find_work(work.title, stores) for work in works]
    merged = merge_works([current[1], current[0], current[2]], "镜花缘", stores)
    assert merged.id == works[1].id
    assert [work.title for work in stores.works.all()] == ["镜花缘"]
    (work,) = stores.works.all()
    assert work.licences == (licence,)
    assert (work.status, work.characters) == ("indexed", sum(len(part.text) for part in CHAPTERS[:3]))
    assert [passage.title for passage in stores.passages.of_work(work.id)] == ["第2章", "第1章", "第3章"]
    assert [(found.id, found.work_title, found.review) for found in stores.matches.of_work(work.id)] == [
        (found.id, "镜花缘", found.review)
        for found in map(stores.matches.get, (matches[0].id, matches[1].id))
    ]
    assert {stores.matches.get(match.id).review for match in matches} == {"confirmed", "dismissed"}
    assert {decision.work_id for decision in stores.decisions.listed()} == {work.id}
    assert [(case.work_id, case.work_title) for case in live_cases(stores)] == [(work.id, "镜花缘")]
    assert verify(stores, redis_client) == 0
    assert [match.work.title for match in corpus.check(CHAPTERS[2].text).matches] == ["镜花缘"]


@pytest.mark.parametrize("step", ["spread_licences", "record_change"])
def test_merge_that_is_broken_off_is_repeated(corpus, taken, monkeypatch, step):
    works, stores = load(corpus, *VOLUMES[:2]), corpus.stores
    match = scan(corpus, taken, CHAPTERS[1].text)
    postings = sum(work.postings for work in works)

    def fail(*_):
        raise ServiceDown(service="MongoDB", address="a", problem="p")

    with monkeypatch.context() as patched:
        patched.setattr(regrouping if step == "spread_licences" else WorkStore, step, fail)
        with pytest.raises(ServiceDown):
            merge_works(works, "镜花缘", stores)
    again = list(stores.works.get_many([work.id for work in works]).values())
    merged = merge_works(sorted(again, key=lambda work: work.id), "镜花缘", stores)
    assert [(work.id, work.postings) for work in stores.works.all()] == [(works[0].id, postings)]
    assert [passage.title for passage in stores.passages.of_work(merged.id)] == ["第1章", "第2章"]
    assert stores.matches.get(match.id).work_id == merged.id


def test_split_passages_become_a_new_work(corpus, redis_client, taken):
    (work,) = load(corpus, raw(title="全集"))
    stores = corpus.stores
    kept, moved = (scan(corpus, taken, CHAPTERS[number].text, number) for number in (0, 3))
    new = split_work(work, "续集", [4, 5], stores)
    left = find_work("全集", stores)
    assert [passage.title for passage in stores.passages.of_work(new.id)] == ["第4章", "第5章"]
    assert [passage.ordinal for passage in stores.passages.of_work(new.id)] == [0, 1]
    assert [passage.title for passage in stores.passages.of_work(left.id)] == ["第1章", "第2章", "第3章"]
    assert left.characters + new.characters == work.characters
    assert stores.matches.get(kept.id).work_id == left.id
    gone = stores.matches.get(moved.id)
    assert (gone.work_id, gone.work_title) == (new.id, "续集")
    assert {(case.work_id, case.pages) for case in live_cases(stores)} == {(left.id, 1), (new.id, 1)}
    assert verify(stores, redis_client) == 0
    assert [match.work.title for match in corpus.check(CHAPTERS[4].text).matches] == ["续集"]


def test_impossible_split_is_refused(corpus):
    (work,) = load(corpus, raw(title="全集"))
    with pytest.raises(NoSuchPassages, match="has passages 1 to 5, but not 6, 7"):
        split_work(work, "续集", [5, 6, 7], corpus.stores)
    with pytest.raises(NothingLeft):
        split_work(work, "续集", [1, 2, 3, 4, 5], corpus.stores)
    with pytest.raises(TitleTaken):
        split_work(work, "全集", [1], corpus.stores)


def test_merged_edition_leaves_its_book_to_the_remaining_editions(corpus):
    first, second, third = load(
        corpus,
        raw(title="甲"),
        raw(title="乙", origin="乙"),
        raw(ChapterSection("", story(300, 8)), title="丙"),
    )
    link_edition(second, first, corpus.stores)
    merge_works([third, first], "丙", corpus.stores)
    titles = [(work.title, work.edition_of) for work in corpus.stores.works.all()]
    assert titles == [("乙", None), ("丙", None)]
