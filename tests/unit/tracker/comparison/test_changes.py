"""A text that is read otherwise is looked up only where it changes, and leads where a whole look-up does."""

from random import Random

import numpy as np
import pytest
from pypinyin import lazy_pinyin
from support.corpora import corpus_of
from support.strategies import story

from fingerprint.text.orders import reading_orders
from storage.index.memory import MemoryIndex
from tracker.comparison import ComparedText
from tracker.comparison.changes import (
    MARGIN,
    changes_of,
    has_latin_near_changes,
    hits_at,
    near_changes,
    sources_in_order,
    sources_without_latin,
    unchanged_hits,
)
from tracker.comparison.matching import look_up_changed, look_up_letters
from tracker.indexing.params import DEFAULT_PARAMS

COPY, OTHER = story(600, 1), story(2_000, 2)


@pytest.fixture(scope="module")
def corpus():
    return corpus_of({"故事": [COPY]})


class Counting(MemoryIndex):
    """An index that counts the hashes that it is asked for."""

    def __init__(self):
        super().__init__()
        self.hashes = 0

    def lookup_many(self, pages):
        self.hashes += sum(len(hashes) for page in pages for hashes in page.values())
        return super().lookup_many(pages)


def twice(text):
    return "".join(text[at : at + 2] * 2 for at in range(0, len(text), 2))


def spelt(text, share):
    rng = Random(3)
    return "".join(lazy_pinyin(own)[0] if rng.random() < share else own for own in text)


DISGUISED = {
    "doubled words": twice(COPY[:200]),
    "doubled characters": "".join(own * 2 for own in COPY[:200]),
    "filler": "".join(f"{own}水" for own in COPY[:200]),
    "reversed": COPY[200::-1],
    "nothing": "",
    "other words twice": twice(OTHER[:200]),
}


@pytest.mark.parametrize("name", DISGUISED)
def test_partial_lookup_of_an_order_equals_a_full_lookup(corpus, name):
    page = ComparedText(f"{OTHER[400:1_400]}\n{DISGUISED[name]}\n{OTHER[1_400:]}")
    before = look_up_letters(page.han, corpus)
    assert before.ranked == ()
    for order in reading_orders(page.text):
        text = ComparedText(order.text)
        sources = sources_in_order(text.han, order, page.han)
        changed = look_up_changed(text.han, sources, before, corpus)
        assert changed.ranked == look_up_letters(text.han, corpus).ranked


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_partial_lookup_of_pinyin_equals_a_full_lookup(corpus, share):
    page = ComparedText(f"{OTHER[:900]}\n{spelt(COPY[:300], share)}\n{OTHER[900:]}")
    before = look_up_letters(page.han, corpus)
    changed = look_up_changed(page.letters, sources_without_latin(page.latin), before, corpus)
    assert changed.ranked == look_up_letters(page.letters, corpus).ranked
    assert changed.ranked


def test_only_letters_around_changes_are_looked_up(corpus):
    index = Counting()
    page = ComparedText(f"{OTHER}\n{twice(OTHER[:40])}\n{OTHER[:1_000]}")
    own = type(corpus)(corpus.passages, index, corpus.params)
    before = look_up_letters(page.han, own)
    whole = index.hashes
    (order, *_) = reading_orders(page.text)
    text = ComparedText(order.text)
    look_up_changed(text.han, sources_in_order(text.han, order, page.han), before, own)
    assert 0 < index.hashes - whole < whole / 3


def test_unchanged_letters_are_not_looked_up_again(corpus):
    index = Counting()
    page = ComparedText(f"{OTHER}\n{'x'.join(OTHER[:60])}")
    own = type(corpus)(corpus.passages, index, corpus.params)
    before = look_up_letters(page.han, own)
    index.hashes = 0
    (order, *_) = reading_orders(page.text)
    text = ComparedText(order.text)
    assert look_up_changed(text.han, sources_in_order(text.han, order, page.han), before, own).ranked == ()
    assert index.hashes == 0


def test_changes_are_where_letters_get_new_neighbours():
    assert changes_of(np.array([0, 1, 2, 5, 6, -1, 7, 8])).tolist() == [3, 5, 6]
    assert changes_of(np.array([3, 4, 5])).tolist() == []


def test_letters_near_a_change_are_those_within_the_margin():
    near = np.flatnonzero(near_changes(np.array([100]), 400))
    assert (near[0], near[-1]) == (100 - MARGIN, 100 + MARGIN - 1)
    assert near_changes(np.array([1]), 3).tolist() == [True, True, True]


def test_hits_of_windows_with_a_change_are_omitted():
    sources = np.array([0, 1, 2, 3, 6, 7, 8, 9])
    hits = np.array([[7, 7, 7, 7], [0, 1, 6, 4], [50, 50, 50, 50], [3, 5, 9, 7]])
    kept = unchanged_hits(hits, sources, changes_of(sources))
    assert kept.tolist() == [[7, 7], [0, 4], [50, 52], [3, 7]]


def test_hits_elsewhere_keep_their_places_in_the_passage():
    (moved,) = hits_at(np.array([[7], [10], [50], [17]]), np.array([4])).T.tolist()
    assert moved == [7, 4, 56, 11]


def test_latin_letters_count_where_an_order_changes_the_text():
    near = next(reading_orders(f"{OTHER}ABC下载{twice(OTHER[:60])}"))
    far = next(reading_orders(f"ABC下载{OTHER}{twice(OTHER[:60])}"))
    assert (has_latin_near_changes(near, 3), has_latin_near_changes(near, 4)) == (True, False)
    assert not has_latin_near_changes(far, 1)


def test_margin_covers_every_window_over_a_change():
    longest = max(DEFAULT_PARAMS.sizes.values())
    assert longest + DEFAULT_PARAMS.shingle.selection <= MARGIN
