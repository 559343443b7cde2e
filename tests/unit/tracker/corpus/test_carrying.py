"""Where the stretch of a decision stands in a new version of a text."""

import pytest

from tracker.corpus.carrying import MIN_PIECE, places_of

FIRST = "却说三人立在山门前，风雪愈紧，灯火渐远。"
SECOND = "老僧推门而出，问他们从哪里来，要往何处去。"
THIRD = "为首那人拱手道：“我等自南边来，错过了宿头。”"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FIRST + SECOND + THIRD, [FIRST + SECOND + THIRD]),
        ("序言。\n" + FIRST + SECOND + THIRD, [FIRST + SECOND + THIRD]),
        (FIRST + "又加了一句话。" + SECOND + THIRD, [FIRST, SECOND + THIRD]),
        (FIRST + SECOND.replace("老僧", "小僧") + THIRD, [FIRST, THIRD]),
        (SECOND + "全然不同的另一段文字，与前文无关。", [SECOND]),
        ("全然不同的另一段文字，与前文无关。", []),
        ("", []),
    ],
)
def test_carried_stretches_are_located_in_the_new_text(text, expected):
    places = places_of(FIRST + SECOND + THIRD, text)
    assert [text[start:end] for start, end in places] == expected


def test_short_sentence_is_no_piece_but_a_short_stretch_is_located():
    stretch = "下回分解。"
    assert len(stretch) < MIN_PIECE
    assert places_of(FIRST + stretch, "别的话。" + stretch) == []
    assert places_of(stretch, "别的话。" + stretch) == [(4, 9)]
