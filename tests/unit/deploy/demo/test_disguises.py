"""The disguises keep what they promise."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypinyin import Style, lazy_pinyin
from rapidfuzz.distance import Levenshtein

from deploy.demo import disguises
from deploy.demo.homophones import HOMOPHONES
from fingerprint.text.letters import initial_of, to_letters
from fingerprint.text.variants import fold

ALPHABET = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年灯渡“”，。！？…ab9 \n"
)
texts = st.text(alphabet=ALPHABET, max_size=300)
rates = st.floats(min_value=0, max_value=1)
seeds = st.integers(min_value=0, max_value=2**32)
PARAGRAPHS = "雨停了。江上起雾！谁在那边？\n没有人答应。\n“灯呢？”她问。他说：“灭了……”"


def han(text):
    return [character for character in text if disguises.is_han(character)]


def others(text):
    return [character for character in text if not disguises.is_han(character)]


def test_homophone_groups_are_many_disjoint_and_keep_the_initial():
    assert len(HOMOPHONES) > 1_500
    for character, group in HOMOPHONES.items():
        assert group
        assert character not in group
        assert {initial_of(other) for other in group} == {initial_of(character)}
        assert all(character in HOMOPHONES[other] for other in group)


def test_homophone_groups_share_their_syllable():
    particles = set("的得地")
    for character, group in HOMOPHONES.items():
        if character not in particles:
            heard = {lazy_pinyin(other, style=Style.NORMAL)[0] for other in character + group}
            assert len(heard) == 1, (character, heard)


@given(texts, rates, seeds)
def test_edit_changes_the_requested_share_of_han_characters_only(text, rate, seed):
    edited = disguises.edit(text, rate, Random(seed))
    count = round(rate * len(han(text)))
    assert others(edited) == others(text)
    assert Levenshtein.distance(text, edited) <= count
    assert (edited == text) or count > 0


def test_edit_replaces_inserts_and_deletes():
    text = "".join(HOMOPHONES)
    edited = disguises.edit(text, 0.2, Random(1))
    operations = Counter(step.tag for step in Levenshtein.editops(text, edited))
    assert operations.total() > 300
    assert operations["replace"] > 150
    assert min(operations["insert"], operations["delete"]) > 40


@given(texts, rates, seeds)
def test_homophones_keep_length_letters_and_rate(text, rate, seed):
    swapped = disguises.homophones(text, rate, Random(seed))
    changed = sum(a != b for a, b in zip(text, swapped, strict=True))
    swappable = sum(character in HOMOPHONES for character in text)
    assert changed == min(round(rate * len(han(text))), swappable)
    assert str(to_letters(swapped)) == str(to_letters(text))


@given(texts)
def test_traditional_folds_back(text):
    disguised = disguises.traditional(text)
    assert len(disguised) == len(text)
    assert fold(disguised) == fold(text)


def test_traditional_changes_the_characters_of_a_story():
    assert disguises.traditional("灯灭了，门后没有人说话。") == "燈滅了，門後沒有人說話。"


@given(texts, seeds)
def test_shuffling_keeps_sentences_and_paragraphs(text, seed):
    shuffled = disguises.shuffle_sentences(text, Random(seed))
    assert Counter(shuffled) == Counter(text)
    assert shuffled.count("\n") == text.count("\n")


def test_shuffling_moves_whole_sentences():
    shuffled = disguises.shuffle_sentences(PARAGRAPHS, Random(3))
    before = Counter(sentence for line in PARAGRAPHS.split("\n") for sentence in disguises.sentences(line))
    after = Counter(sentence for line in shuffled.split("\n") for sentence in disguises.sentences(line))
    assert before == after
    assert shuffled != PARAGRAPHS


@given(texts)
def test_sentences_join_to_the_paragraph(text):
    for paragraph in text.split("\n"):
        assert "".join(disguises.sentences(paragraph)) == paragraph


@given(texts, seeds)
def test_adverts_are_separate_lines_and_leave_the_text_unchanged(text, seed):
    slogans = ("求收藏！！", "点击下载")
    lines = disguises.advertise(text, Random(seed), slogans).split("\n")
    assert any(line in slogans for line in lines)
    assert [line for line in lines if line not in slogans] == text.split("\n")


@given(seeds, st.integers(min_value=1, max_value=6))
def test_quotation_is_a_stretch_that_begins_a_sentence(seed, length):
    quotation = disguises.quote(PARAGRAPHS, length, Random(seed))
    stretch = quotation[1:-1]
    assert (quotation[0], quotation[-1], len(stretch)) == ("“", "”", length)
    starts = {
        sentence[0] for line in PARAGRAPHS.translate({0x201C: "‘", 0x201D: "’"}).split("\n")
        for sentence in disguises.sentences(line)
    }  # fmt: skip
    assert stretch in PARAGRAPHS.translate({0x201C: "‘", 0x201D: "’"})
    assert stretch[0] in starts


def test_quotation_longer_than_every_paragraph_is_refused():
    with pytest.raises(ValueError, match="40 characters"):
        disguises.quote(PARAGRAPHS, 40, Random(0))


@given(texts, seeds)
def test_embedded_quotation_is_there_once_and_the_host_is_whole(host, seed):
    embedded = disguises.embed("“被引用的话@”", host, "有人写道：", Random(seed))
    assert embedded.replace("有人写道：“被引用的话@”", "", 1) == host


def test_half_joins_half_of_two_texts():
    first = "\n".join(f"{number}甲" * 10 for number in range(10))
    second = "\n".join(f"{number}乙" * 10 for number in range(10))
    assert disguises.half(first, second).split("\n") == first.split("\n")[:5] + second.split("\n")[:5]


def test_same_seed_gives_the_same_disguise():
    text = PARAGRAPHS * 5
    for disguise in (disguises.edit, disguises.homophones):
        assert disguise(text, 0.4, Random(7)) == disguise(text, 0.4, Random(7))
        assert disguise(text, 0.4, Random(7)) != disguise(text, 0.4, Random(8))
