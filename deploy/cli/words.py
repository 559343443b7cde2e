"""Options of commands on words: a dictionary of one's own, and what a corpus says of how rare words are."""

from pathlib import Path
from typing import Annotated

import typer

from analysis.i18n import gettext as _
from fingerprint.idf import FLAT, Idf
from tracker.learnt import read_words
from tracker.words import Segmenter, segmenter

Dictionary = Annotated[
    Path | None, typer.Option(help=_("Words of your own, a line each: word, frequency, tag."))
]
Weights = Annotated[
    Path | None, typer.Option(help=_("Weights of words, as `pindna measure words` writes them."))
]


def words_of(dictionary: Path | None, idf: Path | None) -> tuple[Segmenter, Idf]:
    """Return the segmenter and the weights that the options choose.

    Raises:
        UnreadableDictionary, BadDictionaryLine: what is wrong with the dictionary.
        UnreadableMeasurement, OtherDictionary: what is wrong with the weights.
    """
    words = segmenter(dictionary)
    return words, read_words(idf, words.words_id) if idf else FLAT
