"""Longest sentences against the original's rules, and groups against a slow union."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import prose, story

from fingerprint.nshash import LongestSentences, MemoryGroups, longest_sentences
from fingerprint.sets import string_hashes
from fingerprint.text.views import Views

LONG = [story(length, length) for length in (80, 70, 60, 50, 40, 35)]
SHORT = ["他说好", "不去", "走吧"]
batches = st.lists(st.sets(st.integers(min_value=1, max_value=12), max_size=3), max_size=14)


def original(text, count):
    """The rules of the published program, on folded text."""
    pieces = re.split(r":|;|\?|。|!|】|\n", text)
    long = [piece for piece in pieces if len(piece) > 30] or pieces
    return sorted(long, key=len, reverse=True)[:count]


@given(prose, st.integers(min_value=1, max_value=6))
def test_longest_sentences_equal_the_reference(text, count):
    folded = Views(text).folded
    expected = [re.sub(r"[\W_]", "", item) for item in original(folded, count)]
    assert longest_sentences(folded, count) == [item for item in expected if item]


@given(st.permutations(LONG + SHORT))
def test_order_of_sentences_does_not_matter(sentences):
    result = LongestSentences().fingerprint(Views("。".join(sentences)))
    assert set(result.tolist()) == set(string_hashes(LONG[:5]).tolist())


def test_single_sentence_is_the_baidu_method():
    method = LongestSentences(count=1)
    assert method.fingerprint(Views("。".join(SHORT + LONG))).tolist() == string_hashes(LONG[:1]).tolist()
    assert method.threshold == 1


def test_edited_sentence_hides_a_copy_from_count_1_but_not_from_count_5():
    text = "。".join(LONG)
    edited = Views(text.replace(LONG[0], LONG[0][:40] + "船" + LONG[0][40:]))
    for count, expected in ((1, False), (5, True)):
        method = LongestSentences(count=count)
        alike = method.similarity(method.fingerprint(Views(text)), method.fingerprint(edited))
        assert (alike >= method.threshold) is expected


def test_texts_without_a_long_sentence_share_nothing_by_ending_alike():
    method = LongestSentences()
    ours, theirs = (method.fingerprint(Views(text)) for text in ("好。走吧。", "不去。好。"))
    assert len(ours) == len(theirs) == 0


def test_punctuation_and_script_within_a_sentence_do_not_count():
    method = LongestSentences()
    plain = method.fingerprint(Views("老船工坐在船头，听见对岸有人唤渡"))
    assert method.fingerprint(Views("老船工坐在船頭　聽見對岸有人喚渡")).tolist() == plain.tolist()


@pytest.mark.parametrize("wrong", [{"count": 0}, {"min_chars": 0}])
def test_impossible_parameters_of_nshash_are_refused(wrong):
    with pytest.raises(ValueError, match="at least 1"):
        LongestSentences(**wrong)


@given(batches)
def test_groups_are_the_connected_components(texts):
    groups = MemoryGroups()
    ids = groups.group([np.array(sorted(text), dtype=np.uint64) for text in texts])
    components = []
    for number, digests in enumerate(texts):
        linked = [component for component in components if digests & component[1]]
        components = [component for component in components if component not in linked]
        members = {number}.union(*(item[0] for item in linked))
        components.append((members, digests.union(*(item[1] for item in linked))))
    current = groups.current_ids(ids)
    together = {frozenset(a for a, b in enumerate(current) if b == item) for item in current}
    assert together == {frozenset(members) for members, _ in components}
    assert all(now <= then for now, then in zip(current, ids, strict=True))


@given(batches)
def test_grouping_singly_equals_grouping_at_once(texts):
    arrays = [np.array(sorted(text), dtype=np.uint64) for text in texts]
    at_once, single = MemoryGroups(), MemoryGroups()
    ids = at_once.group(arrays)
    assert ids == [single.group([array])[0] for array in arrays]
    assert at_once.current_ids(ids) == single.current_ids(ids)


def test_text_without_digests_is_alone():
    nothing = np.array([], dtype=np.uint64)
    assert MemoryGroups().group([nothing, nothing]) == [1, 2]
