"""How far two characters agree: hand-written pairs, and the definition over pypinyin's readings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import reference

from fingerprint.text.letters import code_points
from fingerprint.text.syllables import readings_of_points
from tracker.alignment.align import align
from tracker.alignment.degrees import Degree, alike_in_sound, degrees_of
from tracker.alignment.text import ComparedText

CHARACTERS = "行重买卖着著长常量亮十四蓝南飞灰林凌云月的得他她了乐藏青清轻情水谁睡都会还差参降"


def degrees_between(page, passage):
    """How far each letter of the page agrees with the passage's at its place."""
    ours, theirs = ComparedText(page), ComparedText(passage)
    places = np.arange(len(ours.letters))
    return [Degree(degree) for degree in degrees_of(ours, theirs, places, places)]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("青青", Degree.SAME),
        ("灯燈", Degree.VARIANT),  # traditional
        ("峰峯", Degree.VARIANT),  # another shape
        ("着著", Degree.VARIANT),  # old
        ("作做", Degree.VARIANT),  # interchangeable
        ("象像", Degree.VARIANT),
        ("做作", Degree.VARIANT),
        ("清青", Degree.SAME_TONE),
        ("買埋", Degree.SYLLABLE),
        ("买卖", Degree.SYLLABLE),  # mǎi and mài
        ("他她", Degree.SAME_TONE),
        ("十四", Degree.NEAR),  # sh and s
        ("资知", Degree.NEAR),  # z and zh
        ("村春", Degree.NEAR),  # c and ch
        ("蓝南", Degree.NEAR),  # l and n
        ("灰飞", Degree.OTHER),
        ("黑飞", Degree.NEAR),  # h and f
        ("林凌", Degree.NEAR),  # -n and -ng
        ("云月", Degree.INITIAL),
        ("云山", Degree.OTHER),
    ],
)
def test_agreement_of_two_characters_has_degrees(pair, expected):
    assert degrees_between(*pair) == degrees_between(*pair[::-1]) == [expected]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("航行", Degree.SAME_TONE),  # háng, as in 银行
        ("型行", Degree.SAME_TONE),  # xíng, as in 行走
        ("虫重", Degree.SAME_TONE),  # chóng, as in 重庆
        ("众重", Degree.SAME_TONE),  # zhòng, as in 重量
        ("常长", Degree.SAME_TONE),
        ("掌长", Degree.SAME_TONE),
        ("约乐", Degree.SYLLABLE),  # yuè, as in 音乐
        ("和贺", Degree.SAME_TONE),  # hè, as in 附和
    ],
)
def test_every_reading_of_a_polyphone_counts(pair, expected):
    assert degrees_between(*pair) == [expected]


def test_latin_syllables_are_heard_and_initials_are_not():
    page = ComparedText("我qīng了qing了q了")
    passage = ComparedText("我青了请了青了")
    places = np.arange(7)
    assert degrees_of(page, passage, places, places).tolist() == [
        Degree.SAME,
        Degree.SAME_TONE,
        Degree.SAME,
        Degree.SYLLABLE,  # Latin without a tone
        Degree.SAME,
        Degree.INITIAL,
        Degree.SAME,
    ]


def test_unpaired_letter_agrees_with_nothing():
    text = ComparedText("青灯渡")
    ours, theirs = np.array([0, -1, 2]), np.array([0, 1, -1])
    assert degrees_of(text, text, ours, theirs).tolist() == [Degree.SAME, Degree.OTHER, Degree.OTHER]


def test_empty_columns_have_no_identity():
    none = np.zeros(0, dtype=np.int64)
    assert degrees_of(ComparedText(""), ComparedText("青"), none, none).tolist() == []


@given(st.text(alphabet=CHARACTERS + "aé，😀", max_size=20), st.text(alphabet=CHARACTERS, max_size=20))
def test_sounds_are_as_alike_as_pypinyin_says(one, other):
    length = min(len(one), len(other))
    ours, theirs = (readings_of_points(code_points(text[:length])) for text in (one, other))
    expected = [reference.degree(*pair) for pair in zip(one, other, strict=False)]
    assert alike_in_sound(ours, theirs).tolist() == expected


def test_identities_count_variants_as_characters_and_homophones_as_sounds():
    """Of 39 letters four are variants, four the same syllable, two near, and two share only the initial."""
    passage = "渡口的灯在雨里亮着，船夫把缆绳收好，作了记号，又像往常那样坐下来，听江水拍打石阶，天黑了"
    page = passage.replace("着", "著").replace("作", "做").replace("像", "象").replace("那", "哪")
    page = page.replace("灯", "登").replace("雨", "语").replace("江", "将").replace("石", "十")
    page = page.replace("绳", "神").replace("常", "残").replace("天", "他").replace("黑", "好")
    (aligned,) = align(ComparedText(page), ComparedText(passage))
    assert (aligned.columns, aligned.same_character, aligned.same_sound) == (39, 31, 37)
    assert aligned.span.char_identity == pytest.approx(31 / 39, abs=1e-4)
    assert aligned.span.sound_identity == pytest.approx(37 / 39, abs=1e-4)
