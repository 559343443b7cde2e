"""Configure the methods from options and settings: words, their weights (IDF), the reference of DNA."""

from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.words.i18n import gettext as _
from fingerprint.idf import Idf
from fingerprint.method import Method
from fingerprint.registry import methods
from storage.settings import load_settings
from system.segmentation import Segmenter, segmenter
from system.word_frequencies import jieba_idf
from tracker.indexing.params import params_of
from tracker.similarity.measurements import read_words

Dictionary = Annotated[
    Path | None, typer.Option(help=_("File of your own words, one per line: word, frequency, tag."))
]
Weights = Annotated[
    Path | None,
    typer.Option(help=_("File of word weights from `pindna measure words`; default: the table of jieba.")),
]


def words_of(dictionary: Path | None, idf: Path | None) -> tuple[Segmenter, Idf]:
    """Return the segmenter and the word weights from the options; the default is jieba's table.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with a file.
        UnreadableDictionary, BadDictionaryLine: what is wrong with the dictionary.
        UnreadableMeasurement, OtherDictionary: what is wrong with the weights.
    """
    words = segmenter(dictionary)
    return words, read_words(idf, words.words_id) if idf else jieba_idf()


def chosen_methods(words: Segmenter, idf: Idf) -> tuple[Method[Any], ...]:
    """Return every method with the user's words and weights; DNA also gets the setting ``tracker.reference``.

    Raises:
        BadSettings: the settings are wrong.
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        UnreadableMeasurement: it is no reference.
    """
    dna = params_of(load_settings().tracker).dna
    return methods(dna=dna, idf=idf, words_id=words.words_id)
