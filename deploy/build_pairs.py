"""The common pairs of characters in words; :mod:`deploy.build_tables` writes them to ``_pairs.py``.

Source: the words of jieba's dictionary with their frequencies, in simplified form.
"""

from collections import Counter
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt
import opencc
import pypinyin.constants

from system.word_frequencies import read_jieba_file

CHARACTERS = 2_047  # a power of two minus one: the last number is for all other characters
PAIRS = 16_384

_TO_SIMPLIFIED = opencc.OpenCC("t2s")


def common_pairs() -> tuple[str, npt.NDArray[np.uint32]]:
    """Return the characters that occur in most pairs, and the ascending numbers of the most common pairs.

    A character's number is its position among these characters, from 1. A pair's number is the first
    character's number times ``CHARACTERS`` + 1, plus the second character's number.

    Raises:
        ModuleNotFoundError: jieba is not installed.
    """
    pairs = _pairs_of_words()
    occurrences: Counter[str] = Counter()
    for pair, frequency in pairs.items():
        for character in pair:
            occurrences[character] += frequency
    characters = [character for character, _ in occurrences.most_common() if _is_read(character)][:CHARACTERS]
    numbers = {character: number for number, character in enumerate(characters, 1)}
    eligible = (pair for pair, _ in pairs.most_common() if numbers.keys() >= set(pair))
    chosen = (numbers[first] * (CHARACTERS + 1) + numbers[other] for first, other in islice(eligible, PAIRS))
    return "".join(characters), np.array(sorted(chosen), dtype=np.uint32)


def _pairs_of_words() -> Counter[tuple[str, str]]:
    pairs: Counter[tuple[str, str]] = Counter()
    for line in read_jieba_file("dict.txt").decode().splitlines():
        word, frequency, *_ = line.split()
        for pair in pairwise(_TO_SIMPLIFIED.convert(word)):
            pairs[pair] += int(frequency)
    return pairs


def _is_read(character: str) -> bool:
    """Return whether pypinyin knows a reading of a character, so that it is a Han character."""
    return ord(character) in pypinyin.constants.PINYIN_DICT
