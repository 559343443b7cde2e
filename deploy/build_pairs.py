"""The pairs of characters that are common in words: what :mod:`deploy.build_tables` writes to ``_pairs.py``.

Source: the words of jieba's dictionary with their frequencies, in simplified form.
"""

from collections import Counter
from itertools import islice, pairwise

import numpy as np
import numpy.typing as npt
import opencc
import pypinyin.constants

from system.word_frequencies import read_jieba_file

CHARACTERS = 2_047  # with the one for all other characters, a power of two
PAIRS = 16_384

_TO_SIMPLIFIED = opencc.OpenCC("t2s")


def common_pairs() -> tuple[str, npt.NDArray[np.uint32]]:
    """Return the characters that most pairs are made of, and the numbers of the commonest pairs, ascending.

    A pair's number is that of its first character, counted from 1, times ``CHARACTERS`` + 1, plus that of its
    second one.

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
    """Return whether a character is one that pypinyin reads: a Han character."""
    return ord(character) in pypinyin.constants.PINYIN_DICT
