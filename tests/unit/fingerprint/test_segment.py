"""Segments: whole sentences, about equally long, and unmoved by edits elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import story

from fingerprint.segment import Segments, split_into_segments
from fingerprint.text.views import Views

sentences = st.lists(st.text(alphabet="青灯渡口雨夜船", min_size=1, max_size=20), max_size=30)
TEXT = [story(20 + seed % 13, seed) for seed in range(60)]


@given(sentences, st.integers(min_value=1, max_value=12))
def test_segments_are_the_text_in_order(pieces, count):
    result = split_into_segments(pieces, count)
    assert "".join(result) == "".join(pieces)
    assert all(result)
    assert len(result) <= count


@given(sentences, st.integers(min_value=1, max_value=12))
def test_boundaries_are_within_half_a_sentence_of_the_aim(pieces, count):
    ends, whole = {0}, 0
    for piece in pieces:
        whole += len(piece)
        ends.add(whole)
    bounds, position = {0}, 0
    for segment in split_into_segments(pieces, count):
        position += len(segment)
        bounds.add(position)
    assert bounds <= ends
    for index in range(count + 1):
        aim = whole * index / count
        assert min(abs(aim - bound) for bound in bounds) == pytest.approx(min(abs(aim - end) for end in ends))


def test_edit_inside_a_sentence_changes_a_single_segment():
    method = Segments()
    edited = [*TEXT[:30], TEXT[30] + "船", *TEXT[31:]]
    ours, theirs = (method.fingerprint(Views("。".join(item))) for item in (TEXT, edited))
    assert len(set(ours.tolist()) & set(theirs.tolist())) == 9
    assert method.similarity(ours, theirs) == 0.9


def test_m_of_n_is_the_threshold():
    method = Segments(count=10, min_equal=3)
    half = TEXT[:30] + [story(25, 900 + seed) for seed in range(30)]
    ours, theirs = (method.fingerprint(Views("。".join(item))) for item in (TEXT, half))
    assert method.threshold == 0.3 <= method.similarity(ours, theirs) < 1


@pytest.mark.parametrize(
    "wrong", [{"min_equal": 0}, {"count": 3, "min_equal": 4}, {"count": 0, "min_equal": 0}]
)
def test_impossible_parameters_of_segment_are_refused(wrong):
    with pytest.raises(ValueError, match="between 1 and count"):
        Segments(**wrong)
