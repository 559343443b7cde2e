"""Map traditional and variant characters to their simplified forms, character by character.

:func:`fold` never changes the length of a text, so offsets stay valid. It applies NFKC where the result is
one character, then OpenCC's t2s. :func:`unfold` maps back to the most common traditional form.
:func:`are_variants` also knows regional, old and interchangeable forms of a character. This relation is not
transitive: 著 is a form of 着, but not of the other forms of 着.
"""

import base64
import zlib
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from fingerprint.text._syllables import VARIANTS
from fingerprint.text._tables import FOLD, UNFOLD
from fingerprint.text.letters import code_points, text_of


def _lookup_table(packed: str) -> npt.NDArray[np.uint32]:
    pairs = np.frombuffer(zlib.decompress(base64.b85decode(packed)), dtype="<u4").reshape(2, -1)
    table = np.arange(int(pairs[0].max()) + 2, dtype=np.uint32)
    table[pairs[0]] = pairs[1]
    return table


_FOLD = _lookup_table(FOLD)
_UNFOLD = _lookup_table(UNFOLD)


def _pair_keys(first: npt.NDArray[np.uint32], second: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """Return a number for each pair of code points, independent of their order."""
    smaller, larger = np.minimum(first, second), np.maximum(first, second)
    return smaller.astype(np.uint64) << np.uint64(32) | larger


_VARIANTS = np.sort(
    _pair_keys(*np.frombuffer(zlib.decompress(base64.b85decode(VARIANTS)), dtype="<u4").reshape(2, -1))
)


def _map_points(table: npt.NDArray[np.uint32], points: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    if points.max(initial=0) < len(table):  # true for most texts
        return table[points]
    return np.where(points < len(table), table[np.minimum(points, len(table) - 1)], points)


def fold_points(points: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return folded code points; same shape and dtype (``uint32``).

    >>> fold_points(code_points("燈a")).tolist() == code_points("灯a").tolist()
    True
    """
    return _map_points(_FOLD, points)


def fold(text: str) -> str:
    """Return the text in simplified characters; its length stays the same.

    >>> fold("ＡＢ青燈")
    'AB青灯'
    """
    return text_of(fold_points(code_points(text)))


def fold_lines(lines: Sequence[str]) -> list[str]:
    """Fold several texts in one call, because one NumPy call takes as long as folding a long line.

    >>> fold_lines(["燈", "", "門a"])
    ['灯', '', '门a']
    """
    folded = fold("".join(lines))
    ends = accumulate(map(len, lines))
    return [folded[end - len(line) : end] for line, end in zip(lines, ends, strict=True)]


def unfold(text: str) -> str:
    """Return the text in traditional characters; its length stays the same.

    >>> unfold("青灯渡")
    '青燈渡'
    """
    return text_of(_map_points(_UNFOLD, code_points(text)))


def are_variants(first: npt.NDArray[np.uint32], second: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return at which positions two different folded characters are forms of the same character.

    Args:
        first: folded code points.
        second: folded code points, of the same shape.

    >>> are_variants(code_points("著作他"), code_points("着做她")).tolist()
    [True, True, False]
    """
    keys = _pair_keys(first, second)
    rows = np.minimum(np.searchsorted(_VARIANTS, keys), len(_VARIANTS) - 1)
    return np.asarray(_VARIANTS[rows] == keys)
