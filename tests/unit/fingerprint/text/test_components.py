"""Characters that are split into their parts: put together where they are many, left alone in prose."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.changed.components import COMPONENTS as SPLIT
from support.strategies import anything, prose

from deploy.demo.samples import load_samples
from fingerprint.text.components import fold_components
from fingerprint.text.letters import code_points, text_of

TEXTS = [sample.text for sample in load_samples().values()]
PLAIN = "我们说好的话，谁听到了？江上的雨和河边的灯，明天都好。"
PARTED = "我亻门讠兑女子白勺讠舌，讠隹口斤至刂了？氵工上白勺雨和氵可边白勺灯，日月天都女子。"


def together(text):
    folded = fold_components(code_points(text))
    return None if folded is None else text_of(folded[0])


def test_split_characters_are_put_together():
    assert together(PARTED) == PLAIN


def test_every_character_has_its_position():
    points, starts, ends = fold_components(code_points(PARTED))
    stands = [PARTED[start:end] for start, end in zip(starts, ends, strict=True)]
    assert stands[:6] == ["我", "亻门", "讠兑", "女子", "白勺", "讠舌"]
    assert "".join(stands) == PARTED
    assert len(points) == len(stands)


def test_radical_may_be_written_in_full():
    assert together(PARTED.replace("亻", "人").replace("氵", "水").replace("讠", "言"))[:3] == "我们说"


@pytest.mark.parametrize("text", [PLAIN, "女子心中有日月，", "", "女", "女子", "𠀀𠀁" * 30, "女子" * 2])
def test_ordinary_text_is_unchanged(text):
    assert together(text) is None


def test_no_sample_is_mistaken_for_split_text():
    assert [text[:20] for text in TEXTS if together(text) is not None] == []


@pytest.mark.parametrize(("count", "expected"), [(5, False), (6, True)])
def test_short_text_needs_six_pairs(count, expected):
    assert (together("女子来" * count + "他") is not None) == expected


@pytest.mark.parametrize(("count", "expected"), [(12, False), (13, True)])
def test_long_text_needs_thirteen_pairs_within_a_window(count, expected):
    around = "他来过几回" * 60
    text = around + "女子他来过" * count + around
    assert (together(text) is not None) == expected


def test_pairs_far_from_split_text_stay():
    around = "他来过几回" * 60
    text = "有女子" + around + "女子他来过" * 14 + around + "女子"
    put = together(text)
    assert put.startswith("有女子")
    assert put.endswith("女子")
    assert put.count("好") == 14


def test_first_of_overlapping_pairs_is_joined():
    """日月日 could be 明日 or 日 and a character: reading goes on from the left."""
    assert together("日月日来，" * 8) == "明日来，" * 8


@pytest.mark.parametrize("seed", range(3))
def test_most_of_a_text_with_half_of_its_characters_split_comes_back(seed):
    rng = Random(seed)
    text = TEXTS[seed]
    pieces = [SPLIT[char] if char in SPLIT and rng.random() < 0.9 else char for char in text]
    put = together("".join(pieces))
    assert np.isclose(len(put), len(text), rtol=0.06)


@given(st.one_of(anything, prose))
def test_any_text_is_folded_consistently_or_not_at_all(text):
    folded = fold_components(code_points(text))
    if folded is not None:
        points, starts, ends = folded
        assert len(points) == len(starts) == len(ends)
        assert starts[0] == 0
        assert (starts[1:] == ends[:-1]).all()
        assert ends[-1] == len(text)


def test_pair_repeated_a_million_times_is_folded():
    assert together("女子" * 500_000) == "好" * 500_000
