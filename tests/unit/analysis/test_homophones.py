"""Homophones in words."""

from analysis.homophones import homophone_text, homophones_line
from analysis.i18n import translator
from storage.records import Homophone


def pair(times=1):
    return Homophone(
        page=1,
        passage=2,
        character="清",
        original="青",
        syllable="qīng",
        original_syllable="qīng",
        kind="same-tone",
        times=times,
    )


def test_a_pair_is_told_with_how_often_it_occurs():
    assert homophone_text(pair(), translator("en")) == "清 qīng for 青 qīng"
    assert homophone_text(pair(3), translator("en")) == "清 qīng for 青 qīng ×3"


def test_a_line_tells_the_first_five():
    line = homophones_line([pair()] * 6, translator("en"))
    assert line.startswith("Homophones: ")
    assert line.count("清") == 5
    assert line.endswith(", …")
    assert homophones_line([pair()] * 5, translator("en")).count("…") == 0
