"""What every index of fingerprints promises, in memory and in Redis."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support import reference

from fingerprint.fingerprints import Fingerprints
from storage.index.interface import POSTINGS_CAP, PassageFingerprints
from storage.index.records import MAX_POSITION

DNA, SHINGLE = "dna-test", "shingle-test"
# Hashes in the same bucket, hashes whose records store the same bits, and any other hashes.
BUCKET = [0x1234 | tag << 24 for tag in (0, 1, 2, 2**20 - 1)]
TAG = [7 << 24 | bucket for bucket in (0, 1, 2, 2**16 - 1)]
hashes = st.sampled_from([*BUCKET, *TAG, 0, 2**64 - 1, 2**43])
postings = st.lists(st.tuples(hashes, st.integers(min_value=0, max_value=MAX_POSITION)), max_size=8)
passages = st.dictionaries(
    st.sampled_from([1, 2, 7, 2**31, 2**32 - 1]), st.tuples(postings, postings), max_size=5
)
bounded = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def array(values):
    return np.array(values, dtype=np.uint64)


def prints(rows):
    ordered = sorted(rows, key=lambda row: row[1])
    return Fingerprints(array([row[0] for row in ordered]), np.array([row[1] for row in ordered], np.uint32))


def passage(passage_id, dna=(), shingle=()):
    return PassageFingerprints(passage_id, {DNA: prints(dna), SHINGLE: prints(shingle)})


def rows(hits):
    return sorted(zip(hits.queries.tolist(), hits.passages.tolist(), hits.positions.tolist(), strict=True))


def look_up(index, *hashes, params=DNA):
    return rows(index.lookup({params: array(hashes)})[params])


def test_added_hash_is_looked_up_at_its_position(new_index):
    index = new_index()
    index.add([passage(1, dna=[(10, 0), (11, 5)], shingle=[(10, 2)])])
    assert look_up(index, 11, 10) == [(0, 1, 5), (1, 1, 0)]
    assert look_up(index, 10, params=SHINGLE) == [(0, 1, 2)]
    assert look_up(index, 12) == []


@bounded
@given(passages, st.lists(hashes, max_size=12), st.integers(min_value=1, max_value=5))
@example({1: ([(5, 0)], []), 2: ([(5, 1), (5, 2)], [(5, 3)])}, [5, 6, 5], 1)
def test_lookups_agree_with_a_dictionary(new_index, held, wanted, batch):
    index = new_index()
    passages = [passage(passage_id, *both) for passage_id, both in held.items()]
    for start in range(0, len(passages), batch):
        index.add(passages[start : start + batch])
    answers = index.lookup({DNA: array(wanted), SHINGLE: array(wanted)})
    for side, params in enumerate((DNA, SHINGLE)):
        stored = {passage_id: both[side] for passage_id, both in held.items()}
        expected, capped = reference.postings(stored, wanted, POSTINGS_CAP)
        assert rows(answers[params]) == sorted(expected)
        assert answers[params].capped == capped
        assert answers[params].queries.tolist() == sorted(answers[params].queries.tolist())


@bounded
@given(passages, st.lists(st.lists(hashes, max_size=6), max_size=5))
@example({1: ([(5, 0)], [(6, 0)])}, [[], [5], [7, 5], []])
def test_lookup_of_many_pages_equals_separate_lookups(new_index, held, pages):
    index = new_index()
    index.add([passage(passage_id, *both) for passage_id, both in held.items()])
    requested = [{DNA: array(page_hashes), SHINGLE: array(page_hashes[:2])} for page_hashes in pages]
    answers = index.lookup_many(requested)
    assert len(answers) == len(pages)
    for page_hashes, answer in zip(requested, answers, strict=True):
        alone = index.lookup(page_hashes)
        for params in (DNA, SHINGLE):
            assert rows(answer[params]) == rows(alone[params])
            assert answer[params].capped == alone[params].capped


def test_every_page_gets_its_count_of_capped_hashes(new_index):
    index = new_index()
    index.add([passage(passage_id, dna=[(5, 0), (6, 1)]) for passage_id in range(1, POSTINGS_CAP + 2)])
    pages = [{DNA: array(hashes)} for hashes in ([5, 6], [7], [], [8, 5])]
    assert [hits[DNA].capped for hits in index.lookup_many(pages)] == [2, 0, 0, 1]
    assert index.lookup_many([]) == []


def test_page_without_fingerprints_of_a_method_gets_no_hits_of_it(new_index):
    index = new_index()
    index.add([passage(1, dna=[(5, 0)], shingle=[(5, 1)])])
    first, second = index.lookup_many([{DNA: array([5])}, {SHINGLE: array([5]), DNA: array([6])}])
    assert (list(first), set(second)) == ([DNA], {DNA, SHINGLE})
    assert (rows(first[DNA]), rows(second[SHINGLE]), rows(second[DNA])) == ([(0, 1, 0)], [(0, 1, 1)], [])


@bounded
@given(passages, st.lists(hashes, max_size=8))
def test_adding_again_changes_nothing(new_index, held, wanted):
    index = new_index()
    passages = [passage(passage_id, *both) for passage_id, both in held.items()]
    index.add(passages)
    before, statistics = look_up(index, *wanted), index.statistics()
    index.add(passages)
    index.add(passages[:1])
    assert look_up(index, *wanted) == before
    assert (index.statistics().postings, index.statistics().passages) == (
        statistics.postings,
        statistics.passages,
    )


@pytest.mark.parametrize("more", [0, 1, 200])
def test_postings_beyond_the_cap_are_reported_not_dropped_in_silence(new_index, more):
    index = new_index()
    index.add(
        [passage(passage_id, dna=[(5, passage_id)]) for passage_id in range(1, POSTINGS_CAP + more + 1)]
    )
    index.add([passage(9000, dna=[(6, 0)])])
    hits = index.lookup({DNA: array([5, 6, 7])})[DNA]
    counts = Counter(hits.queries.tolist())
    assert counts == {0: POSTINGS_CAP, 1: 1}
    assert hits.capped == (1 if more else 0)
    assert all(passage_id == position for _, passage_id, position in rows(hits) if passage_id != 9000)


def test_passage_may_have_a_hash_at_many_positions(new_index):
    index = new_index()
    index.add([passage(3, dna=[(5, position) for position in range(20)])])
    assert look_up(index, 5) == [(0, 3, position) for position in range(20)]


def test_shared_hash_hits_all_its_passages(new_index):
    index = new_index()
    index.add(
        [passage(passage_id, dna=[(5, 10 * passage_id), (100 + passage_id, 0)]) for passage_id in (1, 2, 3)]
    )
    index.add([passage(4, dna=[(5, 40)])])
    assert look_up(index, 5) == [(0, passage_id, 10 * passage_id) for passage_id in (1, 2, 3, 4)]
    assert look_up(index, 102, 5)[0] == (0, 2, 0)


def test_repeated_hash_is_answered_twice(new_index):
    index = new_index()
    index.add([passage(1, dna=[(5, 0)])])
    assert look_up(index, 5, 5) == [(0, 1, 0), (1, 1, 0)]


def test_empty_lookup_has_no_hits(new_index):
    index = new_index()
    index.add([passage(1, dna=[(5, 0)])])
    assert index.lookup({}) == {}
    answers = index.lookup({DNA: array([]), SHINGLE: array([5])})
    assert rows(answers[DNA]) == rows(answers[SHINGLE]) == []
    assert answers[DNA].capped == 0
    index.add([])
    assert index.statistics().passages == 1


def test_empty_index_has_no_hits(new_index):
    index = new_index()
    assert look_up(index, 0, 5, 2**64 - 1) == []
    assert (index.statistics().passages, index.statistics().postings) == (0, 0)


def test_passage_without_fingerprints_counts_as_added(new_index):
    index = new_index()
    index.add([passage(1), passage(2, dna=[(5, 0)])])
    assert index.statistics().passages == 2
    assert index.statistics().postings == 1


def test_removed_passage_is_not_counted_and_other_passages_stay(new_index):
    index = new_index()
    index.add([passage(1, dna=[(5, 0)]), passage(2, dna=[(5, 1), (6, 2)])])
    index.remove([1, 77])
    index.remove([])
    assert (index.statistics().passages, index.statistics().postings) == (1, 2)
    assert [row for row in look_up(index, 5, 6) if row[1] != 1] == [(0, 2, 1), (1, 2, 2)]


def test_removed_passage_that_comes_back_is_there_once(new_index):
    index = new_index()
    both = [passage(1, dna=[(5, 0), (6, 1)], shingle=[(5, 2)]), passage(2, dna=[(5, 3)])]
    index.add(both)
    for _ in range(2):
        index.remove([1])
        index.add(both)
    assert look_up(index, 5, 6) == [(0, 1, 0), (0, 2, 3), (1, 1, 1)]
    assert look_up(index, 5, params=SHINGLE) == [(0, 1, 2)]
    statistics = index.statistics()
    assert (statistics.passages, statistics.postings, statistics.dead) == (2, 4, 0)


def test_removed_passages_do_not_use_up_the_cap(new_index):
    index = new_index()
    index.add([passage(passage_id, dna=[(5, 0)]) for passage_id in range(1, POSTINGS_CAP + 2)])
    index.remove(range(1, POSTINGS_CAP + 1))
    hits = index.lookup({DNA: array([5])})[DNA]
    assert rows(hits) == [(0, POSTINGS_CAP + 1, 0)]
    assert hits.capped == 0


def test_lookup_arrays_have_the_documented_types(new_index):
    index = new_index()
    index.add([passage(1, dna=[(5, 0)])])
    for hashes in ([], [5], [9]):
        hits = index.lookup({DNA: array(hashes)})[DNA]
        assert {hits.queries.dtype, hits.passages.dtype, hits.positions.dtype} == {np.dtype(np.uint32)}
