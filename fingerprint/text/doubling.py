"""Fold text in which every character or word is repeated: 清清明明, 清清清明明明, 清明清明时节时节.

A text is split into runs of equal characters, ignoring white space. If nearly all runs have an even length,
each run is halved. Three- and fourfold repetition is folded in the same way. In ordinary text only one run in
fifty has an even length. Repeated words of up to ``_MAX_WORD`` characters are kept once if most of the text
consists of repeated words.

Complexity: O(n) in NumPy, about 10 ns per character of ordinary text.
"""

import numpy as np

from fingerprint.text.folding import Bools, Folded, Ints, Points, in_dense_windows, remove_characters
from fingerprint.text.normal import is_blank

_MAX_TIMES = 4  # more repetitions are laughter or a refrain
_MAX_WORD = 4
_WINDOW = 16  # runs
_MIN_REPEATED = 12  # minimum number of runs with a multiple length in a window with repeated characters
_WORD_WINDOW = 32  # characters
_MIN_SECOND = 12  # minimum number of characters in a window that belong to the repetition of a word
_BLOCK = 16  # pairs of Han characters
_MIN_EQUAL = 5  # minimum number of equal pairs in at least one block of a text with repetitions


def fold_doubled(points: Points, han: Ints) -> Folded | None:
    """Return a text with repeated characters kept once; None if no characters are repeated.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    >>> text = "清清明明时时节节雨雨纷纷路路上上行行"
    >>> points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    >>> once, starts, ends = fold_doubled(points, np.arange(len(text), dtype=np.int32))
    >>> once.tobytes().decode("utf-32-le"), starts[:3].tolist(), ends[:3].tolist()
    ('清明时节雨纷路上行', [0, 2, 4], [2, 4, 6])
    """
    if not _may_repeat(points[han], 1):
        return None
    visible = np.flatnonzero(~is_blank(points))
    return remove_characters(points, visible[_repeated_characters(points[visible])])


def fold_doubled_words(points: Points, han: Ints) -> Folded | None:
    """Return a text with repeated words kept once; None if no words are repeated.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    >>> text = "清明清明时节时节雨雨落下落下路上路上行人行人欲欲断魂断魂"
    >>> points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    >>> once, _, _ = fold_doubled_words(points, np.arange(len(text), dtype=np.int32))
    >>> once.tobytes().decode("utf-32-le")
    '清明时节雨落下路上行人欲断魂'
    """
    han_points = points[han]
    if not any(_may_repeat(han_points, length) for length in range(2, _MAX_WORD + 1)):
        return None
    visible = np.flatnonzero(~is_blank(points))
    return remove_characters(points, visible[_repeated_words(points[visible])])


def _may_repeat(han: Points, step: int) -> bool:
    """Return whether many characters equal the character ``step`` positions later; a cheap first test."""
    if len(han) < _WINDOW:
        return False
    equal = (han[step:] == han[:-step]).astype(np.uint8)
    return bool(np.add.reduceat(equal, np.arange(0, len(equal), _BLOCK)).max() >= _MIN_EQUAL)


def _repeated_characters(points: Points) -> Bools:
    """Return which characters repeat the one before them, where nearly all characters are repeated."""
    firsts = np.flatnonzero(np.diff(points, prepend=~points[:1]))
    lengths = np.diff(firsts, append=len(points))
    times = np.ones(len(firsts), dtype=np.int64)
    for number in range(2, _MAX_TIMES + 1):
        is_multiple = lengths % number == 0
        times[is_multiple & in_dense_windows(is_multiple, _WINDOW, _MIN_REPEATED)] = number
    offsets_in_run = np.arange(len(points)) - np.repeat(firsts, lengths)
    return np.asarray(offsets_in_run % np.repeat(times, lengths) > 0)


def _repeated_words(points: Points) -> Bools:
    """Return which characters belong to the repetition of a word, where most words are repeated."""
    repeated = np.zeros(len(points), dtype=bool)
    for length in range(_MAX_WORD, 0, -1):
        equal = np.concatenate([[False], points[length:] == points[:-length], [False]])
        starts, ends = np.flatnonzero(np.diff(equal)).reshape(-1, 2).T
        times = (ends - starts) // length
        chosen = (times > 0) & (times < _MAX_TIMES)
        seconds = starts[chosen] + length
        steps = np.zeros(len(points) + 1, dtype=np.int32)
        np.add.at(steps, seconds, 1)
        np.subtract.at(steps, seconds + times[chosen] * length, 1)
        repeated |= np.cumsum(steps[:-1]) > 0
    return repeated & in_dense_windows(repeated, _WORD_WINDOW, _MIN_SECOND)
