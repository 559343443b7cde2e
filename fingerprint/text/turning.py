"""Text that stands backwards, turned round: as a whole, or by lines, sentences or clauses.

The pairs of characters say that it is backwards, not how far: a page whose sentences are written backwards
one by one has the same pairs as one that is written backwards as a whole, but for those across their ends.

Complexity: O(n) in NumPy for each of the four.
"""

from collections.abc import Iterator

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


def turned_round(points: _Points) -> Iterator[_Ints]:
    """Yield the places of a text's characters in each order that turns it round, no order twice.

    First the whole, then its lines, its sentences, and its clauses; marks at their ends stay where they are.

    >>> text = np.frombuffer("，纷纷雨。人行".encode("utf-32-le"), dtype="<u4")
    >>> ["".join(chr(point) for point in text[places]) for places in turned_round(text)]
    ['行人。雨纷纷，', '雨纷纷，。行人', '，雨纷纷。行人']
    """
    found = [np.arange(len(points) - 1, -1, -1, dtype=np.int32)]
    for ends in (_LINE_ENDS, _SENTENCE_ENDS, _CLAUSE_ENDS):
        places = _turn_between(_is_one_of(points, ends))
        if not any(np.array_equal(places, other) for other in found):
            found.append(places)
    yield from found


def _turn_between(is_end: _Bools) -> _Ints:
    """Return the places with each run of characters between ends turned round."""
    places = np.arange(len(is_end), dtype=np.int32)
    firsts = np.flatnonzero(np.diff(is_end, prepend=~is_end[:1]))
    lasts = np.append(firsts[1:], len(is_end)) - 1
    both = np.repeat(firsts + lasts, lasts - firsts + 1).astype(np.int32)
    return np.where(is_end, places, both - places)
