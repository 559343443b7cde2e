"""Reverse text that is written backwards: as a whole, or by lines, sentences or clauses.

Pairs of characters show that a text is written backwards, but not in which units. A page whose sentences are
each written backwards has the same pairs as a page that is written backwards as a whole, except across
sentence ends.

Complexity: O(n) in NumPy for each of the four units, for any number of stretches.
"""

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int32]
_Bools = npt.NDArray[np.bool_]
_Points = npt.NDArray[np.uint32]

_LINE_ENDS = "\n\r\u2028\u2029"
_SENTENCE_ENDS = _LINE_ENDS + "。！？!?…"
_CLAUSE_ENDS = _SENTENCE_ENDS + "，、；：,;:"


def _is_one_of(points: _Points, characters: str) -> _Bools:
    return np.isin(points, np.array([ord(character) for character in characters], dtype=np.uint32))


def is_sentence_end(points: _Points) -> _Bools:
    """Return which characters end a sentence or a line: shape (n,)."""
    return _is_one_of(points, _SENTENCE_ENDS)


def reversed_orders(points: _Points, stretches: _Ints) -> list[_Ints]:
    """Return the distinct orders that reverse a text's stretches, each as the positions of its characters.

    The first order reverses whole stretches, the others reverse lines, sentences and clauses. Punctuation at
    the end of a unit stays in place.

    Args:
        points: shape (n,), the text's code points.
        stretches: shape (n,): the number of each character's stretch, from 1; 0 for characters that stay in
            place.

    >>> text = np.frombuffer("清明，纷纷雨。人行".encode("utf-32-le"), dtype="<u4")
    >>> stretches = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1], dtype=np.int32)
    >>> ["".join(chr(point) for point in text[positions]) for positions in reversed_orders(text, stretches)]
    ['清明行人。雨纷纷，', '清明雨纷纷，。行人', '清明，雨纷纷。行人']
    """
    orders: list[_Ints] = []
    for ends in ("", _LINE_ENDS, _SENTENCE_ENDS, _CLAUSE_ENDS):
        positions = _reverse_runs(_is_one_of(points, ends) | (stretches == 0), stretches)
        if not any(np.array_equal(positions, other) for other in orders):
            orders.append(positions)
    return orders


def _reverse_runs(is_kept: _Bools, stretches: _Ints) -> _Ints:
    """Return the positions with each run of movable characters of the same stretch reversed."""
    positions = np.arange(len(is_kept), dtype=np.int32)
    is_run_start = np.ones(len(is_kept), dtype=bool)
    is_run_start[1:] = (is_kept[1:] != is_kept[:-1]) | (stretches[1:] != stretches[:-1])
    firsts = np.flatnonzero(is_run_start)
    lasts = np.append(firsts[1:], len(is_kept)) - 1
    end_sums = np.repeat(firsts + lasts, lasts - firsts + 1).astype(np.int32)
    return np.where(is_kept, positions, end_sums - positions)
