"""Candidates: what hits on one diagonal or enough shingles propose, from hits made by hand and from texts."""

from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.strategies import story

from deploy.demo import disguises
from deploy.demo.samples import load_samples
from fingerprint.fingerprints import Fingerprints
from fingerprint.text.letters import to_letters
from storage.index.interface import POSTINGS_CAP, PassageFingerprints
from storage.index.memory import MemoryIndex
from tracker.comparison import ComparedText, Corpus, matching
from tracker.comparison.diagonals import (
    BAND,
    LETTERS_A_SHINGLE,
    MAX_LONE,
    MIN_ON_DIAGONAL,
    MIN_REACH,
    MIN_SHINGLES,
)
from tracker.comparison.matching import LONE_LETTERS, find_candidates, look_up
from tracker.comparison.passages import PassageReader
from tracker.corpus.memory import MemoryPassages, MemoryWorks
from tracker.indexing.params import DEFAULT_PARAMS

DNA, SHINGLE = DEFAULT_PARAMS.params_ids
SAMPLES = load_samples()
PROTECTED = sorted(ref for ref, sample in SAMPLES.items() if sample.protected)


def prints(rows):
    """Fingerprints of (hash, position) pairs."""
    rows = sorted(rows, key=lambda row: row[1])
    return Fingerprints(
        np.array([row[0] for row in rows], np.uint64), np.array([row[1] for row in rows], np.uint32)
    )


def candidates(page, passages, letters=3_000):
    """Look up a page in an index of passages, all given as {method: [(hash, position)]}."""
    index = MemoryIndex()
    for passage_id, own in passages.items():
        sets = {params: prints(own.get(name, [])) for params, name in DEFAULT_PARAMS.names.items()}
        index.add([PassageFingerprints(passage_id, sets)])
    asked = {params: prints(page.get(name, [])) for params, name in DEFAULT_PARAMS.names.items()}
    return find_candidates(asked, index, DEFAULT_PARAMS, letters=letters)


def ids(found):
    return [each.passage_id for each in found.ranked]


def test_two_hits_on_the_same_diagonal_propose_a_passage():
    page = {"dna": [(1, 10), (2, 50)]}
    assert ids(candidates(page, {7: {"dna": [(1, 110), (2, 150)]}})) == [7]
    assert ids(candidates(page, {7: {"dna": [(1, 110)]}})) == []


def test_two_hits_must_reach_over_more_than_a_phrase():
    size = DEFAULT_PARAMS.shingle.size
    for apart, found in ((MIN_REACH - size - 1, []), (MIN_REACH - size, [7])):
        page = {"shingle": [(1, 10), (2, 10 + apart)]}
        assert ids(candidates(page, {7: {"shingle": [(1, 110), (2, 110 + apart)]}})) == found


@pytest.mark.parametrize("method", ["dna", "shingle"])
def test_single_hit_is_enough_on_a_short_page(method):
    page, passages = {method: [(1, 10)]}, {7: {method: [(1, 110)]}}
    assert ids(candidates(page, passages, letters=LONE_LETTERS)) == []
    assert ids(candidates(page, passages, letters=LONE_LETTERS - 1)) == [7]


def test_single_hits_in_the_fewest_passages_are_kept():
    rows = [(number, 10 + 40 * number) for number in (1, 2)]
    common = {each: {"shingle": rows[:1]} for each in range(1, 2 * MAX_LONE)}
    rare, strong = {99: {"shingle": [(2, 900)]}}, {50: {"dna": [(5, 140), (6, 190)]}}
    page = {"shingle": rows, "dna": [(5, 40), (6, 90)]}
    found = ids(candidates(page, {**common, **rare, **strong}, letters=99))
    assert sorted(found) == [*range(1, MAX_LONE), 50, 99]
    assert found[0] == 50


def test_two_hits_on_distant_diagonals_propose_nothing():
    page = {"dna": [(1, 10), (2, 50)]}
    assert ids(candidates(page, {7: {"dna": [(1, 110), (2, 150 + BAND)]}})) == []


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(-BAND // 2, BAND // 2))
def test_shift_by_half_a_band_does_not_matter(page, passage, shift):
    """Insertions and deletions move a diagonal by a few letters, wherever the bands' borders are."""
    found = candidates(
        {"dna": [(1, page), (2, page + 300)]},
        {7: {"dna": [(1, passage), (2, passage + 300 + min(shift, BAND // 2 - 1))]}},
    )
    assert ids(found) == [7]


def test_hits_of_both_methods_are_added():
    found = candidates(
        {"dna": [(1, 10)], "shingle": [(2, 40)]}, {7: {"dna": [(1, 210)], "shingle": [(2, 240)]}}
    )
    assert ids(found) == [7]
    assert found.ranked[0].anchors == {"dna": 1, "shingle": 1}


def test_hits_of_both_methods_at_the_same_position_count_once():
    found = candidates(
        {"dna": [(1, 10)], "shingle": [(2, 10)]}, {7: {"dna": [(1, 10)], "shingle": [(2, 10)]}}
    )
    assert ids(found) == []


def test_position_of_the_page_that_hits_twice_is_not_enough():
    assert ids(candidates({"dna": [(1, 10)]}, {7: {"dna": [(1, 100), (1, 110), (1, 120)]}})) == []


def test_enough_shingles_anywhere_propose():
    page = {"shingle": [(number, 100 * number) for number in range(1, 4)]}
    scattered = {"shingle": [(3, 10), (2, 5000), (1, 9000)]}
    assert len(page["shingle"]) == MIN_SHINGLES
    assert ids(candidates(page, {7: scattered})) == [7]
    assert ids(candidates({"shingle": page["shingle"][:2]}, {7: scattered})) == []
    dna = {"dna": page["shingle"]}
    assert ids(candidates(dna, {7: {"dna": scattered["shingle"]}})) == []


def test_long_page_must_hold_more_shingles():
    page = {"shingle": [(number, 100 * number) for number in range(1, 5)]}
    scattered = {"shingle": [(4, 30), (3, 10), (2, 5000), (1, 9000)]}
    for letters, found in ((LETTERS_A_SHINGLE, [7]), (2 * LETTERS_A_SHINGLE, [])):
        assert ids(candidates(page, {7: scattered}, letters=letters)) == found


def test_strongest_come_first_with_where_they_hit():
    page = {"dna": [(number, 10 * number) for number in range(1, 9)]}
    passages = {
        3: {"dna": [(number, 10 * number) for number in (2, 3)]},
        5: {"dna": [(number, 10 * number + 500) for number in range(1, 8)]},
        4: {"dna": [(number, 10 * number) for number in (7, 8)]},
    }
    found = candidates(page, passages)
    assert ids(found) == [5, 3, 4]
    assert [(each.first, each.last, each.strength) for each in found.ranked] == [
        (10, 70, 7),
        (20, 30, 2),
        (70, 80, 2),
    ]
    assert MIN_ON_DIAGONAL == 2


def test_candidates_beyond_the_limit_are_counted(monkeypatch):
    monkeypatch.setattr(matching, "MAX_CANDIDATES", 2)
    rows = {"dna": [(1, 0), (2, 9), (3, 18)]}
    found = candidates(rows, {each: {"dna": rows["dna"][: 3 if each == 9 else 2]} for each in (6, 7, 8, 9)})
    assert (ids(found), found.dropped) == ([9, 6], 2)


class Counting(MemoryIndex):
    """An index that counts the hashes that it is asked for."""

    asked = 0

    def lookup_many(self, pages):
        self.asked += sum(len(hashes) for page in pages for hashes in page.values())
        return super().lookup_many(pages)


@pytest.mark.parametrize("times", [8, 9, 12, 500])
def test_repeated_phrase_of_a_page_is_looked_up_a_few_times(times):
    """Otherwise a phrase that many passages have would fill the memory with postings."""
    phrase = story(40, 1)
    index = Counting()
    for passage_id in (1, 2):
        index.add([PassageFingerprints(passage_id, DEFAULT_PARAMS.of_passage(to_letters(phrase)))])
    corpus = Corpus(PassageReader(MemoryWorks(), MemoryPassages()), index, DEFAULT_PARAMS)
    (proposed,) = look_up([ComparedText(phrase * times)], corpus)
    assert index.asked <= matching._SAME_HASH * 3 * len(phrase)
    assert ids(proposed) == [1, 2]
    for candidate in proposed.ranked:
        assert candidate.first < len(phrase)
        assert candidate.last >= (times - 1) * len(phrase) - len(phrase)


@given(st.lists(st.integers(0, 3), max_size=60))
@example([5] * 9)
@example([5, 6] * 20)
def test_first_and_last_positions_of_a_repeated_hash_remain(hashes):
    left = matching.without_repeats(prints([(value, place) for place, value in enumerate(hashes)]))
    places = {
        value: [place for place, own in enumerate(hashes) if own == value] for value in dict.fromkeys(hashes)
    }
    few = matching._SAME_HASH - 1
    expected = {place for own in places.values() for place in (*own[:few], own[-1])}
    assert left.positions.tolist() == sorted(expected)


def test_capped_hashes_are_reported():
    many = {each: {"dna": [(1, 0)], "shingle": [(1, 0)]} for each in range(POSTINGS_CAP + 1)}
    assert candidates({"dna": [(1, 0)], "shingle": [(1, 3), (2, 4)]}, many).capped == 2


@pytest.mark.parametrize("page", [{}, {"dna": [(99, 0)]}, {"shingle": [(99, 0)]}])
def test_empty_page_proposes_nothing(page):
    for passages in ({}, {7: {"dna": [(1, 0)], "shingle": [(1, 0)]}}):
        found = candidates(page, passages)
        assert (found.ranked, found.dropped, found.capped) == ((), 0, 0)


@pytest.fixture(scope="module")
def corpus():
    """Every protected sample text, indexed under its number."""
    index = MemoryIndex()
    index.add(
        [
            PassageFingerprints(number, DEFAULT_PARAMS.of_passage(to_letters(SAMPLES[ref].text)))
            for number, ref in enumerate(PROTECTED)
        ]
    )
    return index


def candidate_ids(text, corpus):
    letters = to_letters(text)
    found = find_candidates(DEFAULT_PARAMS.of_page(letters), corpus, DEFAULT_PARAMS, letters=len(letters))
    return [PROTECTED[each.passage_id] for each in found.ranked]


@pytest.mark.parametrize("ref", PROTECTED)
def test_every_sample_proposes_itself_first(corpus, ref):
    assert candidate_ids(SAMPLES[ref].text, corpus)[0] == ref


@pytest.mark.parametrize("ref", ["青灯渡:1", "雾港来信:2", "星槎纪事:3", "news:1", "news:8"])
@pytest.mark.parametrize(
    "disguise",
    [
        disguises.traditional,
        lambda text: disguises.homophones(text, 0.3, Random(1)),
        lambda text: disguises.edit(text, 0.1, Random(1)),
        lambda text: disguises.shuffle_sentences(text, Random(1)),
    ],
    ids=["traditional", "homophones", "edited", "shuffled"],
)
def test_disguised_copies_find_their_original_first(corpus, ref, disguise):
    assert candidate_ids(disguise(SAMPLES[ref].text), corpus)[0] == ref


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(PROTECTED), st.integers(min_value=0, max_value=300))
def test_hundred_copied_characters_are_enough(corpus, ref, start):
    copied = SAMPLES[ref].text[start : start + 100]
    assert ref in candidate_ids(SAMPLES["竹坞旧事:1"].text + copied + SAMPLES["other-news:1"].text, corpus)


@pytest.mark.parametrize("ref", sorted(ref for ref, sample in SAMPLES.items() if not sample.protected))
def test_unrelated_texts_propose_almost_nothing(corpus, ref):
    assert len(candidate_ids(SAMPLES[ref].text, corpus)) <= 2
