"""Remove noise between the characters of a text: 中x国x人x民, 中ア国イ人ウ民.

Three kinds of noise are removed, each only where it is frequent:

* Letters of other scripts are removed where three of ten gaps between Han characters contain letters.
* Rare Han characters are removed where more than a fifth of the Han characters are rare. A character is rare
  if its simplified form is not one of the 3,755 common characters of GB 2312 (level 1). Radicals and
  compatibility forms are rare, too.
* The most frequent Han character is removed where it makes up more than a fifth of the Han characters.

In classical novels two of a hundred characters are rare, and letters of other scripts occur as words.

A text in which some characters are replaced by their pinyin (青灯d口) looks like a text with noise. So the
text without letters is only one possible reading, and the index chooses among the readings. Of 880 pages of
classical novels, 0.8 % get a reading without their rare characters.

Complexity: O(n) in NumPy, about 20 ns per character of ordinary text.
"""

from functools import cache

import numpy as np

from fingerprint.text.folding import Bools, Folded, Ints, Points, in_dense_windows, remove_characters
from fingerprint.text.han import FIRST_SUPPLEMENTARY
from fingerprint.text.letters import code_points
from fingerprint.text.variants import fold_points

_GAPS = 24  # gaps between Han characters in a window
_MIN_GAPS = 7  # minimum number of gaps with letters in a window with noise
_HAN = 64  # Han characters in a window
_MIN_HAN = 14  # minimum number of rare characters, or of copies of one character, in a window with noise
# First and last code points of letters of scripts other than Han: Latin, all scripts to the end of Greek
# Extended, Coptic to Cyrillic, kana and Hangul letters, Yi to private use, forms of Arabic, full-width and
# half-width letters, and the first supplementary plane.
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


def remove_foreign_letters(points: Points, han: Ints) -> Folded | None:
    """Return a text without letters of other scripts between its Han characters; None if these are few.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    >>> points = np.frombuffer("中x国x人x民x在x自x己x的x土x地x上x建x设x".encode("utf-32-le"), "<u4")
    >>> folded = remove_foreign_letters(points, np.arange(0, 26, 2, dtype=np.int32))
    >>> folded[0].tobytes().decode("utf-32-le")
    '中国人民在自己的土地上建设x'
    """
    is_other = np.ones(len(points), dtype=bool)
    is_other[han] = False
    positions = np.flatnonzero(is_other)
    letters = positions[np.searchsorted(_BOUNDS, points[positions], side="right") % 2 == 1]
    if len(letters) < _MIN_GAPS or len(han) <= _GAPS // 2:
        return None
    following = np.searchsorted(han, letters)  # a letter in gap i is before the Han character i + 1
    inner = (following > 0) & (following < len(han))
    letters, gaps = letters[inner], following[inner] - 1
    has_letters = np.zeros(len(han) - 1, dtype=bool)
    has_letters[gaps] = True
    return remove_characters(points, letters[in_dense_windows(has_letters, _GAPS, _MIN_GAPS)[gaps]])


def remove_rare_characters(points: Points, han: Ints) -> Folded | None:
    """Return a text without its rare Han characters where they are frequent; None if they never are.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    >>> text = "中龘国龘人龘民龘在龘自龘己龘的龘土龘地龘上龘建龘设龘国龘家龘科龘学龘"
    >>> points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    >>> folded = remove_rare_characters(points, np.arange(34, dtype=np.int32))
    >>> folded[0].tobytes().decode("utf-32-le")
    '中国人民在自己的土地上建设国家科学'
    """
    # ``han`` lacks these characters if they have no pinyin initials.
    beyond = np.flatnonzero(points >= ord(FIRST_SUPPLEMENTARY))
    positions = np.union1d(han, beyond) if len(beyond) else han
    return _remove_frequent(points, positions, _rare_table().take(points[positions], mode="clip"))


def remove_filler(points: Points, han: Ints) -> Folded | None:
    """Return a text without its most frequent Han character if that separates the others, else None.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    >>> text = "中的国的人的民的在的自的己的土的地的上的建的设的国的家的科的学的技的"
    >>> points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    >>> folded = remove_filler(points, np.arange(34, dtype=np.int32))
    >>> folded[0].tobytes().decode("utf-32-le")
    '中国人民在自己土地上建设国家科学技'
    """
    han_points = points[han]
    is_filler = han_points == np.bincount(han_points, minlength=1).argmax()
    is_filler[:-1] &= ~(is_filler[1:] & (np.diff(han) == 1))  # a run of one character separates nothing
    return _remove_frequent(points, han, is_filler)


def _remove_frequent(points: Points, positions: Ints, flags: Bools) -> Folded | None:
    """Return a text without the flagged ones of some characters, where they are frequent; None if nowhere."""
    if np.count_nonzero(flags) < _MIN_HAN // 2:
        return None
    return remove_characters(points, positions[flags & in_dense_windows(flags, _HAN, _MIN_HAN)])


@cache
def _rare_table() -> Bools:
    """Return which code points are rare Han characters; the last entry is for all points beyond U+FFFF."""
    rows = (bytes(byte for cell in range(0xA1, 0xFF) for byte in (row, cell)) for row in _COMMON_ROWS)
    rare = np.ones(_BEYOND + 1, dtype=bool)
    rare[code_points(b"".join(rows).decode("gb2312", "ignore"))] = False
    rare = rare[np.minimum(fold_points(np.arange(_BEYOND + 1, dtype=np.uint32)), _BEYOND)]
    for block in (_RADICALS, _COMPATIBLE):
        rare[block.start : block.stop] = True
    return rare
