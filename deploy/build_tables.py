"""Write the tables of ``fingerprint/text``: sounds and forms of every Han character, common pairs.

A maintainer runs it when pypinyin, OpenCC or jieba has a new version (``make tables``).
Sources: the readings of pypinyin's single-character table (Unihan's kHanyuPinyin and kMandarin, corrected),
Unicode NFKC of this Python's ``unicodedata``, OpenCC's character conversions t2s and s2t, and the words of
jieba's dictionary with their frequencies.
"""

import base64
import sys
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from itertools import islice, pairwise
from pathlib import Path
from textwrap import wrap

import numpy as np
import opencc
import pypinyin.constants

from deploy.build_syllables import syllable_tables, variants

_FOLDER = Path(__file__).parent.parent / "fingerprint" / "text"
_PAIRED_CHARACTERS = 2_047  # with the one that stands for all others, a power of two
_PAIRS = 16_384
_TO_SIMPLIFIED = opencc.OpenCC("t2s")
_HEADER = '''"""Tables for every Han character, made by deploy/build_tables.py; do not edit.

LETTERS: one byte for each code point from 0: 1-26 for the initials a-z, 0 for none, 255 for an entry of
EXPANSIONS (NFKC turns the character into several). FOLD and UNFOLD: pairs of little-endian ``uint32`` code
points, all keys then all values. Packed by zlib and base85.
"""

'''
_SYLLABLES_HEADER = '''"""Readings of every Han character, made by deploy/build_tables.py; do not edit.

SYLLABLES: all of them, without tones. ROWS: the row of each code point in READINGS, little-endian ``uint16``.
READINGS: rows of MAX_READINGS, each 8 × the syllable's number from 1 + the tone, 5 for the neutral one, 0 for
none. VARIANTS: pairs of folded characters that are forms of one, all lesser ones then all greater ones, as
FOLD is. Packed by zlib and base85.
"""

'''
_MAX_READINGS = 6

_PAIRS_HEADER = '''"""Pairs of characters common in words, made by deploy/build_tables.py; do not edit.

CHARACTERS: the characters that most of them are made of, in simplified form, the commonest first. PAIRS:
little-endian ``uint32``, ascending, each the difference from the one before it: the number of the first
character, counted from 1, times 2,048, plus that of the second. Packed by zlib and base85.
"""

'''


def first_letter(character: str) -> int:
    """Return 1-26 for the first letter of the character's most common reading, 0 when it has none."""
    readings = pypinyin.constants.PINYIN_DICT.get(ord(character), "")
    plain = unicodedata.normalize("NFD", readings)[:1].lower()
    return ord(plain) - 96 if plain.isascii() and plain.isalpha() else 0


def letter_of(character: str) -> int:
    """Return the letter of the simplified form, so that both scripts agree, else the character's own."""
    own = first_letter(character)
    return own and (first_letter(_TO_SIMPLIFIED.convert(character)[:1]) or own)


def letter_table() -> tuple[bytes, dict[int, bytes]]:
    """Return the letters by code point and the expansions."""
    letters = bytearray(sys.maxunicode + 1)
    expansions: dict[int, bytes] = {}
    for code in range(sys.maxunicode + 1):
        normal = unicodedata.normalize("NFKC", chr(code))
        initials = bytes(filter(None, map(letter_of, normal)))
        if len(normal) == 1 or len(initials) == 1:
            letters[code] = initials[0] if initials else 0
        elif initials:
            letters[code] = 255
            expansions[code] = initials
    return bytes(letters).rstrip(b"\0"), expansions


def han_characters() -> Iterable[str]:
    """Yield every character that has a reading."""
    return map(chr, sorted(pypinyin.constants.PINYIN_DICT))


def folding() -> dict[str, str]:
    """Return the characters that NFKC or traditional → simplified turns into one other character."""
    pairs = {}
    for code in range(sys.maxunicode + 1):
        normal = unicodedata.normalize("NFKC", chr(code))
        folded = _TO_SIMPLIFIED.convert(normal) if len(normal) == 1 and first_letter(normal) else normal
        if len(folded) == 1 and folded != chr(code):
            pairs[chr(code)] = folded
    return pairs


def unfolding() -> dict[str, str]:
    """Return simplified → most common traditional, one character to one."""
    to_traditional = opencc.OpenCC("s2t")
    pairs = {character: to_traditional.convert(character) for character in han_characters()}
    return {key: value for key, value in pairs.items() if len(value) == 1 and value != key}


def compressed_literal(data: bytes) -> str:
    """Return a Python literal of the compressed data."""
    text = base64.b85encode(zlib.compress(data, 9)).decode()
    lines = "\n".join(f'    "{text[start : start + 100]}"' for start in range(0, len(text), 100))
    return f"(\n{lines}\n)"


def _literal(data: bytes) -> str:
    """Return a bytes literal in double quotes."""
    return 'b"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def pairs_bytes(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Return all first characters, then all second ones, as ``uint32``."""
    return np.array([[ord(one) for one in pair] for pair in pairs], dtype="<u4").T.tobytes()


def common_pairs() -> tuple[str, "np.ndarray[tuple[int], np.dtype[np.uint32]]"]:
    """Return the characters and the numbers of the pairs that occur most often within words, ascending.

    The dictionary is read as a file: importing the package would warn, and is not needed.
    """
    package = find_spec("jieba")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("jieba is not installed: pip install jieba")
    pairs: Counter[tuple[str, str]] = Counter()
    for line in (Path(package.origin).parent / "dict.txt").read_text(encoding="utf-8").splitlines():
        word, frequency, *_ = line.split()
        for pair in pairwise(_TO_SIMPLIFIED.convert(word)):
            pairs[pair] += int(frequency)
    occurrences: Counter[str] = Counter()
    for pair, count in pairs.items():
        for character in filter(first_letter, pair):
            occurrences[character] += count
    characters = [character for character, _ in occurrences.most_common(_PAIRED_CHARACTERS)]
    numbers = {character: number for number, character in enumerate(characters, 1)}
    known = (pair for pair, _ in pairs.most_common() if numbers.keys() >= set(pair))
    width = _PAIRED_CHARACTERS + 1
    chosen = sorted(numbers[first] * width + numbers[second] for first, second in islice(known, _PAIRS))
    return "".join(characters), np.array(chosen, dtype="<u4")


def write_pairs() -> int:
    """Write the module of common pairs and return how many there are."""
    characters, pairs = common_pairs()
    lines = "\n".join(f'    "{characters[start : start + 50]}"' for start in range(0, len(characters), 50))
    steps = np.diff(pairs, prepend=np.uint32(0))
    body = f"CHARACTERS = (\n{lines}\n)\nPAIRS = {compressed_literal(steps.astype('<u4').tobytes())}\n"
    (_FOLDER / "_pairs.py").write_text(_PAIRS_HEADER + body, encoding="utf-8")
    return len(pairs)


def main() -> None:
    """Write the modules."""
    _write_tables()
    _write_syllables()
    print(f"{write_pairs()} pairs")


def _write_tables() -> None:
    letters, expansions = letter_table()
    fold, unfold = folding(), unfolding()
    rows = "\n".join(f"    {code:#X}: {_literal(initials)}," for code, initials in sorted(expansions.items()))
    body = (
        f"LETTERS = {compressed_literal(letters)}\n"
        f"EXPANSIONS = {{\n{rows}\n}}\n"
        f"FOLD = {compressed_literal(pairs_bytes(fold.items()))}\n"
        f"UNFOLD = {compressed_literal(pairs_bytes(unfold.items()))}\n"
    )
    (_FOLDER / "_tables.py").write_text(_HEADER + body, encoding="utf-8")
    count = sum(map(bool, letters))
    print(f"{count} letters, {len(expansions)} expansions, {len(fold)} folded, {len(unfold)} unfolded")


def _write_syllables() -> None:
    syllables, rows, readings = syllable_tables(_MAX_READINGS)
    pairs = variants()
    body = (
        f"MAX_READINGS = {_MAX_READINGS}\n"
        f"SYLLABLES = (\n{_wrapped(syllables)}\n)\n"
        f"ROWS = {compressed_literal(rows)}\n"
        f"READINGS = {compressed_literal(readings)}\n"
        f"VARIANTS = {compressed_literal(pairs_bytes(pairs))}\n"
    )
    (_FOLDER / "_syllables.py").write_text(_SYLLABLES_HEADER + body, encoding="utf-8")
    print(f"{len(syllables)} syllables, {len(readings) // 2 // _MAX_READINGS} rows, {len(pairs)} variants")


def _wrapped(words: Sequence[str]) -> str:
    """Return lines of a string literal that holds the words, blanks between them."""
    lines = wrap(" ".join(words), 98)
    return "\n".join([f'    "{line} "' for line in lines[:-1]] + [f'    "{lines[-1]}"'])


if __name__ == "__main__":
    main()
