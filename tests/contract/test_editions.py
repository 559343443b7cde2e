"""One book under two titles: facts that belong to the book; finding, linking and separating editions."""

import pytest
from support import rulings
from support.cases import live_cases
from support.compared import compare_page
from support.loading import CHAPTERS, raw, stored_corpus
from support.strategies import story

from deploy.cli.review.match_view import match_as_object, match_cells
from storage.records import Page, SiteLicence
from tracker.comparison import Corpus
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.editions import (
    link_edition,
    resemblances,
    separate_edition,
    similar_works,
    spread_licences,
)
from tracker.corpus.loading import Terms
from tracker.corpus.removal import remains_of, remove_work, restore_work
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.judgement.cases import refresh_cases
from tracker.judgement.licences import grant, revoke
from tracker.review import decisions
from tracker.runtime import passage_reader

pytestmark = pytest.mark.services

# The revision lacks one chapter, has one new chapter, and has an additional sentence in each other chapter.
REVISED = (
    *(ChapterSection(chapter.title, f"{chapter.text}\n增订本多此一句。") for chapter in CHAPTERS[:4]),
    ChapterSection("第六章", "第六章\n" + story(300, 6)),
)
LICENCE = SiteLicence(site="book.example.cn")


@pytest.fixture
def corpus(stores, redis_client):
    return stored_corpus(stores, redis_client)


@pytest.fixture
def editions(corpus):
    """镜花缘 and its revision, both indexed, not linked."""
    _, first = corpus.load(raw(title="镜花缘"))
    _, second = corpus.load(raw(*REVISED, title="镜花缘（修订版）", origin="修订.txt"))
    corpus.index_all()
    return first, second


def current(corpus, *works):
    stored = corpus.stores.works.get_many([work.id for work in works])
    return [stored[work.id] for work in works]


def scan(corpus, taken, text, number=1, *, site="copy.example"):
    """Compare a page as a scan does, and return its matches."""
    stores = corpus.stores
    page = Page(
        id=f"p{number}",
        url=f"http://{site}/{number}",
        host=site,
        source="x",
        kind="article",
        text=text,
    )
    stores.pages.see_many([page])
    mother = Corpus(passage_reader(stores), corpus.index, DEFAULT_PARAMS)
    assert compare_page(page, stores, mother, token=taken(page.id), lease_s=60)
    matches = stores.matches.of_page(page.id)
    refresh_cases(stores, {(match.work_id, match.site) for match in matches})
    return matches


def found(corpus, *works):
    return list(resemblances(works, corpus.stores, corpus.index, DEFAULT_PARAMS))


def test_new_work_that_mostly_equals_another_is_noticed(corpus, editions):
    first, second = current(corpus, *editions)
    (alike,) = found(corpus, first, second)
    assert (alike.work.id, alike.other.id) == (second.id, first.id)
    assert 0.7 < alike.share < 0.95
    assert not alike.is_contradicted
    link_edition(second, first, corpus.stores)
    assert found(corpus, *current(corpus, first, second)) == []


def test_work_that_quotes_another_is_not_its_edition(corpus):
    corpus.load(raw(title="镜花缘"))
    sections = CHAPTERS[0], *(ChapterSection("", story(300, seed)) for seed in (70, 71))
    _, other = corpus.load(raw(*sections, title="读镜花缘", origin="读.txt"))
    corpus.index_all()
    assert found(corpus, *current(corpus, other)) == []


def test_different_holder_contradicts_an_edition(corpus):
    corpus.load(raw(title="镜花缘", author="李汝珍"))
    _, other = corpus.load(raw(title="抄镜花缘", author="某人", origin="抄.txt"))
    corpus.index_all()
    (alike,) = found(corpus, other)
    assert alike.is_contradicted


def test_licence_of_an_edition_covers_the_whole_book(corpus, editions):
    """A licence of 镜花缘 did not apply to a hit in 镜花缘（修订版）."""
    first, second = editions
    stores = corpus.stores
    grant(first, LICENCE, stores, replace=True)
    assert corpus.check(REVISED[0].text, site="book.example.cn").verdict != "licensed"
    link_edition(second, *current(corpus, first), stores)
    for text in (REVISED[0].text, REVISED[4].text, CHAPTERS[4].text):
        assert corpus.check(text, site="book.example.cn").verdict == "licensed"
    (second,) = current(corpus, second)
    later = SiteLicence(site="other.example.cn")
    grant(second, later, stores, replace=True)
    assert [work.licences for work in current(corpus, *editions)] == [(LICENCE, later)] * 2
    revoke(second, "book.example.cn", stores)
    assert [work.licences for work in current(corpus, *editions)] == [(later,)] * 2


def test_licence_added_with_a_file_covers_the_book(corpus, editions):
    first, second = editions
    link_edition(second, first, corpus.stores)
    corpus.load(raw(*REVISED, title=second.title, origin="修订.txt"), Terms(sites=("a.example",)))
    spread_licences(*current(corpus, second), corpus.stores)
    assert [work.licensed_sites for work in current(corpus, first, second)] == [("a.example",)] * 2


def test_hit_in_two_editions_is_a_single_match_and_case_of_the_book(corpus, editions, taken):
    first, second = editions
    link_edition(second, first, corpus.stores)
    (match,) = scan(corpus, taken, REVISED[1].text)
    assert (match.work_id, match.work_title, match.edition) == (first.id, "镜花缘", "镜花缘（修订版）")
    (own,) = scan(corpus, taken, CHAPTERS[4].text, 2)
    assert (own.work_id, own.edition) == (first.id, "")
    assert match_as_object(match, None)["edition"] == "镜花缘（修订版）"
    assert [match_cells(one, None)[5] for one in (match, own)] == [
        ("镜花缘", "镜花缘（修订版）", "第2章"),
        ("镜花缘", "第5章"),
    ]
    assert len({match.id, own.id}) == len(corpus.stores.matches.of_case(first.id, "copy.example")) == 2
    assert corpus.stores.matches.of_work(second.id) == []


def test_earlier_findings_move_to_the_book_and_back(corpus, editions, taken):
    first, second = editions
    stores = corpus.stores
    (match,) = scan(corpus, taken, REVISED[4].text)
    rulings.dismiss(match, stores, reason="试读")
    decisions.reopen(stores.matches.get(match.id), stores)
    rulings.dismiss(stores.matches.get(match.id), stores, reason="试读")
    (other,) = scan(corpus, taken, CHAPTERS[4].text, 2)
    rulings.confirm(other, stores)
    link_edition(second, first, stores)
    assert {found.work_id for found in stores.matches.reviewed()} == {first.id}
    assert {decision.work_id for decision in stores.decisions.listed()} == {first.id}
    assert [(case.work_id, case.work_title, case.pages) for case in live_cases(stores)] == [
        (first.id, "镜花缘", 1)
    ]
    separate_edition(*current(corpus, second), stores)
    assert stores.matches.get(match.id).work_id == second.id
    assert stores.matches.get(other.id).work_id == first.id
    assert [work.edition_of for work in current(corpus, *editions)] == [None, None]


def test_removing_the_first_edition_leaves_the_book_to_the_other(corpus, editions, taken):
    first, second = editions
    stores = corpus.stores
    link_edition(second, first, stores)
    (kept,) = scan(corpus, taken, REVISED[4].text)
    (gone,) = scan(corpus, taken, CHAPTERS[4].text, 2)
    remove_work(f"id:{first.id}", stores, corpus.index)
    assert [match.id for match in stores.matches.of_work(second.id)] == [kept.id]
    assert [(case.work_id, case.pages) for case in live_cases(stores)] == [(second.id, 1)]
    restore_work(f"id:{first.id}", stores, corpus.index)
    assert {match.id for match in stores.matches.of_work(second.id)} == {kept.id, gone.id}
    assert [work.book_id for work in current(corpus, first, second)] == [second.id] * 2
    assert {match.id: match.edition for match in stores.matches.of_work(second.id)} == {
        kept.id: "",
        gone.id: first.title,
    }


def numbers(stores):
    return {(case.work_title, case.site): case.name for case in live_cases(stores)}


def test_two_editions_swap_with_all_their_findings(corpus, editions, taken):
    """`corpus edition A --of B`, where B was an edition of A, reported success and did nothing."""
    first, second = editions
    stores = corpus.stores
    link_edition(second, first, stores)
    (own,) = scan(corpus, taken, CHAPTERS[4].text)
    (other,) = scan(corpus, taken, REVISED[4].text, 2)
    rulings.dismiss(own, stores, reason="试读")
    grant(first, LICENCE, stores, replace=True)
    before = numbers(stores)
    link_edition(*current(corpus, first, second), stores)
    first, second = current(corpus, first, second)
    assert (first.edition_of, second.edition_of) == (second.id, None)
    assert first.licences == second.licences == (LICENCE,)
    found = {match.id: (match.work_title, match.edition) for match in stores.matches.of_work(second.id)}
    assert found == {own.id: (second.title, first.title), other.id: (second.title, "")}
    assert {decision.work_id for decision in stores.decisions.listed()} == {second.id}
    assert before == {(first.title, "copy.example"): "c1"}
    assert numbers(stores) == {(second.title, "copy.example"): "c1"}
    link_edition(second, first, stores)
    assert numbers(stores) == before


def test_cases_keep_their_numbers_when_an_edition_leaves_and_returns(corpus, editions, taken):
    first, second = editions
    stores = corpus.stores
    link_edition(second, first, stores)
    scan(corpus, taken, CHAPTERS[4].text)
    scan(corpus, taken, REVISED[4].text, 2, site="other.example")
    before = {case.site: case.name for case in live_cases(stores)}
    assert before == {"copy.example": "c1", "other.example": "c2"}
    remains = remains_of(*current(corpus, first), stores)
    assert (remains.heir.id, remains.matches, remains.cases) == (second.id, 1, 1)
    remove_work(f"id:{first.id}", stores, corpus.index)
    assert numbers(stores) == {(second.title, "other.example"): "c2"}
    assert remains_of(*current(corpus, second), stores) is None
    restore_work(f"id:{first.id}", stores, corpus.index)
    assert {case.site: case.name for case in live_cases(stores)} == before
    assert {case.work_id for case in live_cases(stores)} == {second.id}


def test_separated_edition_takes_its_case_or_gets_a_new_case(corpus, editions, taken):
    first, second = editions
    stores = corpus.stores
    link_edition(second, first, stores)
    scan(corpus, taken, CHAPTERS[4].text)
    scan(corpus, taken, REVISED[4].text, 2)
    scan(corpus, taken, REVISED[4].text, 3, site="other.example")
    separate_edition(*current(corpus, second), stores)
    assert numbers(stores) == {
        (first.title, "copy.example"): "c1",
        (second.title, "copy.example"): "c3",
        (second.title, "other.example"): "c2",
    }


def test_waiting_text_is_recognised_among_many_of_its_size(corpus):
    for number in range(22):
        corpus.load(
            raw(ChapterSection("", story(300, 100 + number)), title=f"稿{number}", origin=f"{number}.txt")
        )
    again = raw(ChapterSection("", story(300, 121)), title="改题", origin="again.txt")
    found = similar_works([again], corpus.stores, corpus.index, DEFAULT_PARAMS, role="protected")
    assert [alike.other.title for alike in found.values()] == ["稿21"]
