"""Noise between the characters of a text: 中x国x人x民, 中ア国イ人ウ民.

Three kinds of noise are removed, each only where it is frequent:

* letters of other scripts, where three of ten gaps between Han characters contain letters;
* rare Han characters, where more than a fifth of the Han characters are rare. Rare means outside the 3,755
  common characters of GB 2312 (its level 1) in simplified form; radicals and compatibility forms count as
  rare;
* the most frequent Han character of the text, where it is more than a fifth of the Han characters.

In classical novels two of a hundred characters are rare, and letters of other scripts occur as words.

A text in which some characters are replaced by their pinyin (青灯d口) looks the same. So removing letters is
one possible reading, and the index chooses among the readings. Of 880 pages of classical novels, 0.8 % get a
reading without their rare characters.

Complexity: O(n) in NumPy, about 20 ns per character of ordinary text.
"""

from functools import cache

import numpy as np

from fingerprint.text.folding import Bools, Folded, Ints, Points, in_dense_windows, without
from fingerprint.text.han import FIRST_SUPPLEMENTARY
from fingerprint.text.letters import code_points
from fingerprint.text.variants import fold_points

_GAPS = 24  # gaps between Han characters in a window
_MIN_GAPS = 7  # gaps with letters in a window that count as noise
_HAN = 64  # Han characters in a window
_MIN_HAN = 14  # rare characters, or copies of one character, in a window that count as noise
# First and last code points of letters of scripts other than Han: Latin, all to the end of Greek Extended,
# Coptic to Cyrillic, kana and Hangul letters, Yi to private use, forms of Arabic, full- and half-width
# letters, and the supplementary planes without those of Han characters.
_LETTERS = (
    (0x41, 0x5A),
    (0x61, 0x7A),
    (0xC0, 0x1FFF),
    (0x2C80, 0x2DFF),
    (0x3041, 0x31BF),
    (0xA000, 0xF8FF),
    (0xFB00, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0xFF21, 0xFF3A),
    (0xFF41, 0xFF5A),
    (0xFF66, 0xFFDC),
    (0x10000, 0x1FFFF),
)
_COMMON_ROWS = range(0xB0, 0xD8)  # of GB 2312, in EUC
_BEYOND = 0x10000
_RADICALS, _COMPATIBLE = range(0x2E80, 0x2FE0), range(0xF900, 0xFB00)
_BOUNDS = np.array([bound for first, last in _LETTERS for bound in (first, last + 1)], dtype=np.uint32)


def without_foreign_letters(points: Points, han: Ints) -> Folded | None:
    """Return a text without letters of other scripts between its Han characters; None if it has few.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    >>> points = np.frombuffer("中x国x人x民x在x自x己x的x土x地x上x建x设x".encode("utf-32-le"), "<u4")
    >>> folded = without_foreign_letters(points, np.arange(0, 26, 2, dtype=np.int32))
    >>> folded[0].tobytes().decode("utf-32-le")
    '中国人民在自己的土地上建设x'
    """
    is_kept = np.ones(len(points), dtype=bool)
    is_kept[han] = False
    places = np.flatnonzero(is_kept)
    letters = places[np.searchsorted(_BOUNDS, points[places], side="right") % 2 == 1]
    if len(letters) < _MIN_GAPS or len(han) <= _GAPS // 2:
        return None
    behind = np.searchsorted(han, letters)  # a letter in gap i is before the Han character i + 1
    inner = (behind > 0) & (behind < len(han))
    letters, gaps = letters[inner], behind[inner] - 1
    has_letters = np.zeros(len(han) - 1, dtype=bool)
    has_letters[gaps] = True
    return without(points, letters[in_dense_windows(has_letters, _GAPS, _MIN_GAPS)[gaps]])


def without_rare_characters(points: Points, han: Ints) -> Folded | None:
    """Return a text without its rare Han characters where they are frequent; None if they nowhere are.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    >>> text = "中龘国龘人龘民龘在龘自龘己龘的龘土龘地龘上龘建龘设龘国龘家龘科龘学龘"
    >>> points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    >>> folded = without_rare_characters(points, np.arange(34, dtype=np.int32))
    >>> folded[0].tobytes().decode("utf-32-le")
    '中国人民在自己的土地上建设国家科学'
    """
    beyond = np.flatnonzero(points >= ord(FIRST_SUPPLEMENTARY))  # not all of them have pinyin initials
    places = np.union1d(han, beyond) if len(beyond) else han
    return _without_dense(points, places, _rare().take(points[places], mode="clip"))


def without_filler(points: Points, han: Ints) -> Folded | None:
    """Return a text without its most frequent Han character where it separates the others; None elsewhere.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    >>> text = "中的国的人的民的在的自的己的土的地的上的建的设的国的家的科的学的技的"
    >>> points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    >>> folded = without_filler(points, np.arange(34, dtype=np.int32))
    >>> folded[0].tobytes().decode("utf-32-le")
    '中国人民在自己土地上建设国家科学技'
    """
    han_points = points[han]
    fills = han_points == np.bincount(han_points, minlength=1).argmax()
    fills[:-1] &= ~(fills[1:] & (np.diff(han) == 1))  # a run of one character separates nothing
    return _without_dense(points, han, fills)


def _without_dense(points: Points, places: Ints, flags: Bools) -> Folded | None:
    """Return a text without the flagged characters among some positions, where they are frequent."""
    if np.count_nonzero(flags) < _MIN_HAN // 2:
        return None
    return without(points, places[flags & in_dense_windows(flags, _HAN, _MIN_HAN)])


@cache
def _rare() -> Bools:
    """Return which code points are rare Han characters; the last entry is for all outside the basic plane."""
    rows = (bytes(byte for cell in range(0xA1, 0xFF) for byte in (row, cell)) for row in _COMMON_ROWS)
    rare = np.ones(_BEYOND + 1, dtype=bool)
    rare[code_points(b"".join(rows).decode("gb2312", "ignore"))] = False
    rare = rare[np.minimum(fold_points(np.arange(_BEYOND + 1, dtype=np.uint32)), _BEYOND)]
    for block in (_RADICALS, _COMPATIBLE):
        rare[block.start : block.stop] = True
    return rare
