"""Homophones in words."""

from dataclasses import replace

from support.matches import PAIR

from analysis.words.homophones import homophone_text, homophones_line
from analysis.words.i18n import translator


def pair(times=1):
    return replace(PAIR, times=times)


def test_homophone_pair_is_shown_with_its_count():
    assert homophone_text(pair(), translator("en")) == "清 qīng for 青 qīng"
    assert homophone_text(pair(3), translator("en")) == "清 qīng for 青 qīng ×3"


def test_line_shows_the_first_five_pairs():
    line = homophones_line([pair()] * 6, translator("en"))
    assert line.startswith("Homophones: ")
    assert line.count("清") == 5
    assert line.endswith(", …")
    assert homophones_line([pair()] * 5, translator("en")).count("…") == 0
