"""Words of Chinese text: jieba's dictionary and algorithm, loaded once a process.

The dictionary is that of the package ``jieba``, a dependency. The segmenter is rjieba, the Python binding of
jieba-rs, which has that very dictionary built in: a test holds every word with its frequency, and the cuts of
both, together (they part only within Latin words and numbers: jieba keeps R-17 whole). It is ten to twenty
times as fast as jieba itself, whose code is never run (see :mod:`system.word_frequencies`).
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from system.errors import PindnaError
from system.local_files import read_file

# The dictionary and the algorithm behind stored hashes of words; golden tests pin what it cuts.
WORDS_ID = "jieba1"


class UnreadableDictionary(PindnaError):
    """A user's dictionary cannot be read. Data: ``path``, ``problem``."""

    template = "Dictionary {path} cannot be read ({problem}). Give a text file in UTF-8."


class BadDictionaryLine(PindnaError):
    """A line of a user's dictionary is not what jieba takes. Data: ``path``, ``line``."""

    template = "Line {line} of dictionary {path} is not “word [frequency] [tag]”. Correct it."


@dataclass(frozen=True, slots=True)
class Segmenter:
    """A word segmenter and its name.

    Attributes:
        words_id: names the dictionary; part of the parameter ids of methods on words.
        cut: text → its words in their order, all characters included.
    """

    words_id: str
    cut: Callable[[str], list[str]]


@lru_cache(maxsize=4)
def segmenter(user_dictionary: Path | None = None) -> Segmenter:
    """Return the segmenter; the same dictionary is loaded once a process.

    Args:
        user_dictionary: words to add, in jieba's format: a line has a word, optionally its frequency,
            optionally a tag, separated by spaces; empty lines are skipped. Without a frequency the word
            gets one that is just high enough for it to be cut as one.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        UnreadableDictionary: it is not UTF-8.
        BadDictionaryLine: a line has another form.
    """
    from rjieba import Jieba  # noqa: PLC0415 - it takes a third of a second, and few crawls cut words

    jieba = Jieba()
    if user_dictionary is None:
        return Segmenter(WORDS_ID, jieba.cut)
    content = _read_dictionary(user_dictionary)
    for word, frequency, tag in _entries(user_dictionary, content):
        jieba.add_word(word, frequency, tag)
    digest = hashlib.sha256(content.encode()).hexdigest()[:8]
    return Segmenter(f"{WORDS_ID}+{digest}", jieba.cut)


def _read_dictionary(path: Path) -> str:
    """Return the dictionary's text.

    Raises:
        MissingFile, IsFolder, NotRegular, UnreadableFile, FileTooLarge: what is wrong with the file.
        UnreadableDictionary: it is not UTF-8.
    """
    try:
        return read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableDictionary(path=path, problem="not UTF-8") from error


def _entries(path: Path, content: str) -> Iterator[tuple[str, int | None, str | None]]:
    """Yield word, frequency and tag of each line.

    Raises:
        BadDictionaryLine: a line has another form.
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
