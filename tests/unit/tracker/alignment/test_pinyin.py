"""Latin letters beside Han characters, read as pinyin; and the text that has them among the letters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.strategies import anything

from fingerprint.text.letters import to_letters
from tracker.alignment.pinyin import MAX_RUN, latin_letters
from tracker.alignment.text import ComparedText


def read_stretches(text):
    latin = latin_letters(text, to_letters(text))
    return [
        (text[start:end], chr(code + 96))
        for start, end, code in zip(latin.starts, latin.ends, latin.codes, strict=True)
    ]


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
        ("qing ming shi jie yu fen fen", []),
        (
            "Qing ming shi jie, yu fen fen! Lu",
            [
                *(("Qing", "q"), ("ming", "m"), ("shi", "s"), ("jie", "j")),
                *(("yu", "y"), ("fen", "f"), ("fen", "f"), ("Lu", "l")),
            ],
        ),
        (
            "qi\u0304ngmi\u0301ng4shi2jie2 yu\u030cfe\u0304nfe\u0304n lu\u0308 Ā",
            [
                *(("qi\u0304ng", "q"), ("mi\u0301ng", "m"), ("shi", "s"), ("jie", "j"), ("yu\u030c", "y")),
                *(("fe\u0304n", "f"), ("fe\u0304n", "f"), ("lu\u0308", "l"), ("Ā", "a")),
            ],
        ),
        ("Nobody was there when the train stopped, and she waited for a man with a red fan", []),
        ("清qīng明míng时shí节jié雨yǔ纷fēn纷fēn", []),
        ("qīng清míng明shí时jié节yǔ雨fēn纷fēn纷", []),
        ("清(qīng)明(míng)时(shí)节(jié)雨(yǔ)纷(fēn)纷(fēn)路(lù)", []),
    ],
)
def test_pinyin_that_spells_characters_is_recognised(text, expected):
    assert read_stretches(text) == expected


def test_endless_run_is_read_in_linear_time():
    """A quadratic algorithm would take hours."""
    assert len(read_stretches("的" + "an" * 20_000 + "的")) == 20_000
    assert read_stretches("nga" * 100_000 + "q") == []


def test_latin_letters_keep_their_position():
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
def test_letters_of_any_text_point_to_their_positions(text):
    seen = ComparedText(text)
    plain = to_letters(text)
    assert len(seen.letters) == len(seen.ends) == len(seen.latin) == len(seen.raw) == len(seen.folded)
    assert (seen.letters.codes[~seen.latin] == plain.codes).all()
    assert (np.diff(seen.letters.offsets) >= 0).all()
    assert (seen.ends > seen.letters.offsets).all()
    assert (seen.ends <= len(text)).all()
    before, behind = seen.others
    assert (behind >= before).all()


def test_run_without_end_is_not_read():
    longest = "ma" * (MAX_RUN // 2)
    assert len(latin_letters(f"的{longest}", to_letters("的"))) == MAX_RUN // 2
    assert len(latin_letters(f"的{longest}n", to_letters("的"))) == 0
