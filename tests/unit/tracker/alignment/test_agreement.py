"""How far two characters agree: hand-written pairs, and the definition over pypinyin's readings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import reference

from fingerprint.text.letters import code_points
from fingerprint.text.syllables import readings_of_points
from tracker.alignment.agreement import Agreement, agreements, alike_in_sound
from tracker.alignment.align import align
from tracker.alignment.text import ComparedText

CHARACTERS = "行重买卖着著长常量亮十四蓝南飞灰林凌云月的得他她了乐藏青清轻情水谁睡都会还差参降"


def agreement_of(page, passage):
    """How far each letter of the page agrees with the passage's at its place."""
    ours, theirs = ComparedText(page), ComparedText(passage)
    places = np.arange(len(ours.letters))
    return [Agreement(level) for level in agreements(ours, theirs, places, places)]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("青青", Agreement.SAME),
        ("灯燈", Agreement.VARIANT),  # traditional
        ("峰峯", Agreement.VARIANT),  # another shape
        ("着著", Agreement.VARIANT),  # old
        ("作做", Agreement.VARIANT),  # interchangeable
        ("象像", Agreement.VARIANT),
        ("做作", Agreement.VARIANT),
        ("清青", Agreement.TONE),
        ("買埋", Agreement.SYLLABLE),
        ("买卖", Agreement.SYLLABLE),  # mǎi and mài
        ("他她", Agreement.TONE),
        ("十四", Agreement.NEAR),  # sh and s
        ("资知", Agreement.NEAR),  # z and zh
        ("村春", Agreement.NEAR),  # c and ch
        ("蓝南", Agreement.NEAR),  # l and n
        ("灰飞", Agreement.OTHER),
        ("黑飞", Agreement.NEAR),  # h and f
        ("林凌", Agreement.NEAR),  # -n and -ng
        ("云月", Agreement.INITIAL),
        ("云山", Agreement.OTHER),
    ],
)
def test_how_far_two_characters_agree(pair, expected):
    assert agreement_of(*pair) == agreement_of(*pair[::-1]) == [expected]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("航行", Agreement.TONE),  # háng, as in 银行
        ("型行", Agreement.TONE),  # xíng, as in 行走
        ("虫重", Agreement.TONE),  # chóng, as in 重庆
        ("众重", Agreement.TONE),  # zhòng, as in 重量
        ("常长", Agreement.TONE),
        ("掌长", Agreement.TONE),
        ("约乐", Agreement.SYLLABLE),  # yuè, as in 音乐
        ("和贺", Agreement.TONE),  # hè, as in 附和
    ],
)
def test_every_reading_of_a_polyphone_counts(pair, expected):
    assert agreement_of(*pair) == [expected]


def test_latin_syllables_are_heard_and_initials_are_not():
    page = ComparedText("我qīng了qing了q了")
    passage = ComparedText("我青了请了青了")
    places = np.arange(7)
    assert agreements(page, passage, places, places).tolist() == [
        Agreement.SAME,
        Agreement.TONE,
        Agreement.SAME,
        Agreement.SYLLABLE,  # Latin without a tone
        Agreement.SAME,
        Agreement.INITIAL,
        Agreement.SAME,
    ]


def test_a_letter_on_one_side_only_agrees_with_nothing():
    text = ComparedText("青灯渡")
    ours, theirs = np.array([0, -1, 2]), np.array([0, 1, -1])
    assert agreements(text, text, ours, theirs).tolist() == [Agreement.SAME, Agreement.OTHER, Agreement.OTHER]


def test_no_columns_agree_in_nothing():
    none = np.zeros(0, dtype=np.int64)
    assert agreements(ComparedText(""), ComparedText("青"), none, none).tolist() == []


@given(st.text(alphabet=CHARACTERS + "aé，😀", max_size=20), st.text(alphabet=CHARACTERS, max_size=20))
def test_sounds_are_as_alike_as_pypinyin_says(one, other):
    length = min(len(one), len(other))
    ours, theirs = (readings_of_points(code_points(text[:length])) for text in (one, other))
    expected = [reference.agreement(*pair) for pair in zip(one, other, strict=False)]
    assert alike_in_sound(ours, theirs).tolist() == expected


def test_identities_count_variants_as_characters_and_homophones_as_sounds():
    """Of 39 letters four are variants, four the same syllable, two near and two share the initial only."""
    passage = "渡口的灯在雨里亮着，船夫把缆绳收好，作了记号，又像往常那样坐下来，听江水拍打石阶，天黑了"
    page = passage.replace("着", "著").replace("作", "做").replace("像", "象").replace("那", "哪")
    page = page.replace("灯", "登").replace("雨", "语").replace("江", "将").replace("石", "十")
    page = page.replace("绳", "神").replace("常", "残").replace("天", "他").replace("黑", "好")
    (aligned,) = align(ComparedText(page), ComparedText(passage))
    assert (aligned.columns, aligned.same_character, aligned.same_sound) == (39, 31, 37)
    assert aligned.span.char_identity == pytest.approx(31 / 39, abs=1e-4)
    assert aligned.span.sound_identity == pytest.approx(37 / 39, abs=1e-4)
