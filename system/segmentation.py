"""Segment Chinese text into words, with the dictionary and the algorithm of jieba.

The segmenter is rjieba, the Python binding of jieba-rs, which contains jieba's dictionary. A test compares
all words and frequencies of both dictionaries, and the results of both segmenters. They differ only within
Latin words and numbers (jieba keeps R-17 whole). rjieba is ten to twenty times as fast as jieba, whose code
is never run (see :mod:`system.word_frequencies`). Both packages belong to the extra ``lab``.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from system.errors import PindnaError
from system.extras import importing_extra
from system.local_files import read_file

# Name of the dictionary and the algorithm, part of stored parameter ids. Golden tests check the results.
WORDS_ID = "jieba1"


class UnreadableDictionary(PindnaError):
    """A user's dictionary cannot be read.

    Attributes:
        path: the dictionary.
        problem: the reason.
    """

    template = "Cannot read dictionary {path} ({problem}). Use a text file in UTF-8."


class BadDictionaryLine(PindnaError):
    """A line of a user's dictionary is not in jieba's format.

    Attributes:
        path: the dictionary.
        line: the line's number, from 1.
    """

    template = "Line {line} of dictionary {path} is not “word [frequency] [tag]”. Correct it."


@dataclass(frozen=True, slots=True)
class Segmenter:
    """A word segmenter and its name.

    Attributes:
        words_id: name of the dictionary, part of the parameter ids of methods on words.
        cut: function that returns the words of a text in order; together they contain all its characters.
    """

    words_id: str
    cut: Callable[[str], list[str]]


@lru_cache(maxsize=4)
def segmenter(user_dictionary: Path | None = None) -> Segmenter:
    """Return the segmenter; each dictionary is loaded once per process.

    Args:
        user_dictionary: words to add, in jieba's format. Each line has a word, optionally its frequency, and
            optionally a tag, separated by spaces; empty lines are skipped. A word without a frequency gets
            the lowest frequency that keeps the word whole.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be used.
        UnreadableDictionary: the file is not UTF-8.
        BadDictionaryLine: a line is not in jieba's format.
        ExtraMissing: rjieba is not installed.
    """
    with importing_extra():
        from rjieba import Jieba  # noqa: PLC0415 - of an extra; loading takes a third of a second

    jieba = Jieba()
    if user_dictionary is None:
        return Segmenter(WORDS_ID, jieba.cut)
    content = _read_dictionary(user_dictionary)
    for word, frequency, tag in _parse_entries(user_dictionary, content):
        jieba.add_word(word, frequency, tag)
    digest = hashlib.sha256(content.encode()).hexdigest()[:8]
    return Segmenter(f"{WORDS_ID}+{digest}", jieba.cut)


def _read_dictionary(path: Path) -> str:
    """Return the dictionary's text.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: the file cannot be used.
        UnreadableDictionary: the file is not UTF-8.
    """
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableDictionary(path=path, problem="not UTF-8") from error


def _parse_entries(path: Path, content: str) -> Iterator[tuple[str, int | None, str | None]]:
    """Yield (word, frequency or None, tag or None) for each line that is not empty.

    Raises:
        BadDictionaryLine: a line is not in jieba's format.
    """
    for number, line in enumerate(content.splitlines(), start=1):
        match line.split():
            case []:
                continue
            case [word]:
                yield word, None, None
            case [word, frequency] if frequency.isdecimal():
                yield word, int(frequency), None
            case [word, tag] if tag.isascii():
                yield word, None, tag
            case [word, frequency, tag] if frequency.isdecimal():
                yield word, int(frequency), tag
            case _:
                raise BadDictionaryLine(path=path, line=number)
