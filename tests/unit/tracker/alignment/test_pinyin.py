"""Latin letters beside Han characters, read as pinyin; and the text that has them among the letters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import anything

from fingerprint.text.letters import to_letters
from tracker.alignment.pinyin import MAX_RUN, readings
from tracker.alignment.text import ComparedText


def read_stretches(text):
    return [(text[reading.start : reading.end], reading.letter) for reading in readings(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ta的手", [("ta", "t")]),
        ("他在zhongguo长大", [("zhong", "z"), ("guo", "g")]),
        ("Zhōngguó人", [("Zhōng", "z"), ("guó", "g")]),
        ("ＴＡ的手", [("ＴＡ", "t")]),
        ("他说xian在", [("xian", "x")]),
        ("nü人与lvse", [("nü", "n"), ("lv", "l"), ("se", "s")]),
        ("zf的人", [("z", "z"), ("f", "f")]),
        ("看NBA比赛", [("N", "n"), ("B", "b"), ("A", "a")]),
        ("a了", [("a", "a")]),
        ("https的", []),
        ("song women", []),
        ("的 ta 手", []),
        ("", []),
        ("的" + "ba" * 30, [("ba", "b")] * 30),
    ],
)
def test_what_stands_for_characters(text, expected):
    assert read_stretches(text) == expected


def test_an_endless_run_costs_nothing():
    assert read_stretches("的" + "an" * 200_000 + "的") == []  # a quadratic reading would take hours


def test_latin_takes_its_place_among_the_letters():
    seen = ComparedText("渡口ta的zhongguo灯")
    assert str(seen.letters) == "dktdzgd"
    assert seen.latin.tolist() == [False, False, True, False, True, True, False]
    assert [seen.text[a:b] for a, b in zip(seen.letters.offsets, seen.ends, strict=True)] == [
        "渡",
        "口",
        "ta",
        "的",
        "zhong",
        "guo",
        "灯",
    ]


@given(st.one_of(anything, st.text(alphabet="的灯abzhguoüＴ ", max_size=60)))
def test_any_text_has_a_view_whose_letters_stand_where_they_say(text):
    seen = ComparedText(text)
    plain = to_letters(text)
    assert len(seen.letters) == len(seen.ends) == len(seen.latin) == len(seen.raw) == len(seen.folded)
    assert (seen.letters.codes[~seen.latin] == plain.codes).all()
    assert (np.diff(seen.letters.offsets) >= 0).all()
    assert (seen.ends > seen.letters.offsets).all()
    assert (seen.ends <= len(text)).all()
    before, behind = seen.others
    assert (behind >= before).all()


def test_a_run_without_end_is_not_read():
    longest = "ma" * (MAX_RUN // 2)
    assert len(list(readings(f"的{longest}"))) == MAX_RUN // 2
    assert list(readings(f"的{longest}n")) == []
