"""What is invisible is no part of the text, and nothing else is left out."""

import sys
import unicodedata

from hypothesis import given
from support.strategies import anything, story

from fingerprint.exact import content_hash
from fingerprint.registry import methods
from fingerprint.text.normal import normal_form, remove_invisible
from fingerprint.text.views import Views


def test_every_format_character_is_invisible():
    formats = [item for item in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(item) == "Cf"]
    assert len(formats) > 150
    assert remove_invisible("".join(formats)) == ""


def test_letters_marks_and_white_space_stay():
    gone = {item for item in map(chr, range(0x20000)) if not remove_invisible(item)}
    kinds = {unicodedata.category(item) for item in gone}
    assert kinds <= {"Cf", "Mn", "Lo", "Cn"}
    assert len(gone) < 200
    assert remove_invisible("青 灯\u3000渡\n口\u0301") == "青 灯\u3000渡\n口\u0301"


@given(anything)
def test_normalising_leaves_no_white_space_and_nothing_invisible(text):
    result = normal_form(text)
    assert remove_invisible(result) == result
    assert not any(item.isspace() for item in result)


def test_invisible_character_changes_no_hash():
    assert content_hash("青\ufe0f灯\u2066渡") == content_hash("青灯渡")


def test_no_method_is_affected_by_zero_width_characters():
    text = "。".join(story(40, seed) for seed in range(12))
    hidden = "\u200b".join(text[at : at + 3] for at in range(0, len(text), 3))
    for method in methods():
        ours, theirs = (method.fingerprint(Views(item)) for item in (text, hidden))
        assert abs(method.similarity(ours, theirs) - 1) < 1e-9, method.name
