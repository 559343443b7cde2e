"""Views of any text: what each keeps and drops."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from support.strategies import SURROGATES, anything, prose

from fingerprint.text.variants import fold
from fingerprint.text.views import Views, bigrams

_VIEWS = ("normalised", "folded", "characters", "sentences", "words", "letters")


@pytest.mark.parametrize("view", _VIEWS)
def test_view_is_made_once(view):
    views = Views("雨夜渡口，青灯如豆。")
    assert getattr(views, view) is getattr(views, view)


def test_segmenter_runs_once_and_only_when_words_are_needed():
    calls = []

    def cut(text):
        calls.append(text)
        return list(text)

    views = Views("雨夜。渡口！", cut=cut)
    assert (views.sentences, calls) == (("雨夜", "渡口"), [])
    assert (views.words, views.words) == (tuple("雨夜渡口"), tuple("雨夜渡口"))
    assert len(calls) == 1


def test_sentences_end_at_marks_and_line_breaks_of_any_width():
    text = "一句。二句！三句?四句；五句…六句……七句\r\n八句\u2028九句：同句，同句.同句"
    assert Views(text).sentences == (
        "一句", "二句", "三句", "四句", "五句", "六句", "七句", "八句", "九句同句同句同句",
    )  # fmt: skip


def test_words_come_without_punctuation_and_lines_are_kept_apart():
    views = Views("甲，乙  丙\n丁（A-B）_", cut=lambda text: re.findall(r"\w-?\w?|\W", text))
    assert views.words == ("甲", "乙丙", "丁", "ab")


def test_traditional_full_width_and_upper_case_fold_to_plain_forms():
    plain, other = Views("abc青灯渡口，听见"), Views("ＡＢＣ青燈渡口,聽見")
    assert (other.characters, other.words) == (plain.characters, plain.words)


@given(prose)
def test_characters_are_the_sentences_in_a_row(text):
    views = Views(text)
    assert views.characters == "".join(views.sentences)


@given(anything)
@example("㍿…ﬁ")
@example(SURROGATES + "a\u0301")
def test_folded_is_as_good_as_normalising_all(text):
    folded = Views(text).folded
    assert folded == folded.lower()
    assert fold(unicodedata.normalize("NFKC", text)).lower() in {
        folded,
        # A folded character may compose with a mark that follows where the original did not.
        fold(unicodedata.normalize("NFKC", fold(text))).lower(),
    }


@given(anything)
def test_nothing_is_empty_and_nothing_is_punctuation(text):
    views = Views(text)
    for piece in (*views.sentences, *views.words):
        assert piece
        assert not re.search(r"[\W_]", piece)


@given(anything)
def test_bigrams_cover_every_stretch(text):
    stretches = [item for item in re.split(r"[\W_]+", text) if item]
    assert len(bigrams(text)) == sum(max(1, len(stretche) - 1) for stretche in stretches)
