"""What a site repeats and a mother work holds is never taken out of a text, whichever came first."""

import pytest
from support.strategies import story

from crawler.pages.learning import Learner, book_of
from crawler.protected_sentences import removable_sentences
from storage.collections.repeats import Repeat, repeat_id
from tracker.indexing.adding import index_works

pytestmark = pytest.mark.services
HOST = "x.example"
SLOGAN = "望江书屋的书友们都在这里等着您回来呢。"
FORMULA = "未知如何，下回分解。"
SLOGAN_ID, FORMULA_ID = 11, 12


@pytest.fixture
def repeating(stores):
    """A host that repeats a slogan of its own and the formula of a novel."""
    stores.repeats.learn(HOST, sample={}, repeats=repeats(SLOGAN_ID, FORMULA_ID))
    return stores


def repeats(*hashes):
    texts = {SLOGAN_ID: SLOGAN, FORMULA_ID: FORMULA}
    return [Repeat(id=repeat_id(key), hash=key, text=texts[key], texts=9) for key in hashes]


@pytest.fixture
def add_work(stores, save_work, guard):
    """A function that adds and indexes a work of one passage."""

    def add(work_id, text, **fields):
        work = save_work(work_id, {work_id: text}, characters=len(text), status="stored", **fields)
        stores.versions.raise_version(added=True)
        index_works([work], stores, guard.index())

    return add


def test_sentence_in_no_work_is_removable(repeating, add_work):
    assert removable_sentences(HOST, repeating) == {SLOGAN_ID, FORMULA_ID}
    add_work(1, story(300, 1))
    assert removable_sentences(HOST, repeating) == {SLOGAN_ID, FORMULA_ID}
    assert removable_sentences("y.example", repeating) == frozenset()
    repeating.repeats.set_kept(HOST, repeat_id(SLOGAN_ID))
    assert removable_sentences(HOST, repeating) == {FORMULA_ID}


def test_work_that_is_added_later_gets_its_text_back(repeating, add_work):
    assert FORMULA_ID in removable_sentences(HOST, repeating)
    add_work(1, f"{story(300, 1)}{FORMULA}")
    for _ in range(2):
        assert removable_sentences(HOST, repeating) == {SLOGAN_ID}
    known = {repeat.hash: repeat.is_protected for repeat in repeating.repeats.of_host(HOST).repeats}
    assert known == {SLOGAN_ID: False, FORMULA_ID: True}
    # Learning goes on, and changes nothing of it.
    repeating.repeats.learn(HOST, sample={}, repeats=repeats(SLOGAN_ID, FORMULA_ID))
    assert removable_sentences(HOST, repeating) == {SLOGAN_ID}
    assert repeating.repeats.of_host(HOST).removed == {SLOGAN_ID}


def test_sentence_of_a_background_text_is_removable_until_it_is_protected(repeating, add_work):
    """A notice below each page of a site is junk although the corpus has it as a background text."""
    add_work(1, f"{story(300, 1)}{FORMULA}", role="background")
    assert removable_sentences(HOST, repeating) == {SLOGAN_ID, FORMULA_ID}
    repeating.works.set_roles([1], "protected")
    assert removable_sentences(HOST, repeating) == {SLOGAN_ID}


def test_newly_learnt_sentence_is_looked_up_in_all_works(stores, add_work):
    add_work(1, f"{story(300, 1)}{FORMULA}")
    stores.repeats.learn(HOST, sample={}, repeats=repeats(SLOGAN_ID))
    assert removable_sentences(HOST, stores) == {SLOGAN_ID}
    stores.repeats.learn(HOST, sample={}, repeats=repeats(SLOGAN_ID, FORMULA_ID))
    assert removable_sentences(HOST, stores) == {SLOGAN_ID}


def test_every_work_is_read_once(repeating, add_work, monkeypatch):
    add_work(1, story(300, 1))
    removable_sentences(HOST, repeating)
    reads = []
    get_many = type(repeating.passages).get_many
    monkeypatch.setattr(
        type(repeating.passages), "get_many", lambda self, ids: reads.extend(ids) or get_many(self, reads)
    )
    removable_sentences(HOST, repeating)
    assert reads == []
    add_work(2, story(300, 2))
    reads.clear()
    removable_sentences(HOST, repeating)
    assert reads == [2]


def test_too_many_new_characters_leave_unchecked_sentences_in_the_text(repeating, add_work):
    add_work(1, story(300, 1))
    assert removable_sentences(HOST, repeating, max_chars=299) == frozenset()
    assert removable_sentences(HOST, repeating, max_chars=300) == {SLOGAN_ID, FORMULA_ID}
    assert removable_sentences(HOST, repeating, max_chars=0) == {SLOGAN_ID, FORMULA_ID}
    add_work(2, f"{story(300, 2)}{FORMULA}")
    assert removable_sentences(HOST, repeating, max_chars=9) == frozenset()
    assert removable_sentences(HOST, repeating, max_chars=None) == {SLOGAN_ID}
    assert removable_sentences(HOST, repeating, max_chars=9) == {SLOGAN_ID}


def test_work_that_is_not_indexed_yet_counts(repeating, save_work):
    save_work(1, {1: FORMULA}, characters=len(FORMULA))
    assert removable_sentences(HOST, repeating) == {SLOGAN_ID}


def learn(stores, urls, sentence, *, first=0):
    """Learn from texts that are numbered from the first one on; returns what is known to repeat then."""
    learner = Learner()
    for number, url in enumerate(urls, first):
        text = "\n".join(f"{story(20, 100 * number + line)}。" for line in range(9))
        learner.add(HOST, f"{text}\n{sentence}", book=book_of(url))
    learner.store(stores.repeats)
    return [repeat.text for repeat in stores.repeats.of_host(HOST).repeats]


def test_formula_of_a_single_novel_is_not_learnt_but_a_common_slogan_is(stores):
    chapters = [f"http://{HOST}/b/1/{number}.html" for number in range(20)]
    assert learn(stores, chapters, FORMULA) == []
    books = [f"http://{HOST}/b/{number % 4}/{number}.html" for number in range(20)]
    assert learn(stores, books, SLOGAN, first=20) == [SLOGAN]
    assert learn(stores, chapters, FORMULA) == [SLOGAN]


def test_books_of_the_sample_are_remembered(stores):
    chapters = [f"http://{HOST}/b/1/{number}.html" for number in range(20)]
    assert learn(stores, chapters, FORMULA) == []
    known = stores.repeats.of_host(HOST)
    assert known.books.keys() == known.sample.keys()
    assert len(set(known.books.values())) == 1
