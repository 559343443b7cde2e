"""Read clauses whose words are in reverse order: 学校去今天我，for 我今天去学校.

Each word still reads naturally, so pairs of characters hardly show the disguise. The ends of clauses do: 了
and 的 rarely begin clauses, 我 and 但 rarely end them. The Viterbi algorithm (1967) finds the clauses that
begin and end with such characters. Then dynamic programming cuts each of them into words of one to four
characters: neighbours in one word are mostly common pairs, neighbours in two words seldom
(:mod:`.naturalness`).

Complexity: O(n) in NumPy, about 5 ns per character of ordinary text; in reversed clauses about 10 µs.
"""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fingerprint.text.folding import Bools, Ints, Points
from fingerprint.text.naturalness import COMMON, character_numbers, kinds_at, likeliest_rows

# Characters that begin clauses at least twice as often with their words reversed as without, and the
# opposite; then the same for the ends of clauses. Learned from half of the novels and news of the benchmarks.
_FIRST = (
    "了之的说道表发下来曰时出去问上呢起增事机地合回认罢工矣么行过活报动信",
    "我这只你但在又那他就今年还并以把却也是有便将且当从即让因如日个要国可全与吾若正而乃对众都各该其随再见忽万同加由",
)
_LAST = (
    "是在我你这们但有又个国要以而年并见且他把就为于日也那带不将便对家然让却只得若如与能些从吾今即都还知其次可据该再才",
    "了道来的去示说路曰事展力作呢长题心之间言矣势法理看罢点息度式品话战案门系",
)
_NATS = 1.75  # evidence of such a character
_CHANGE = 8.0  # cost of a change of direction, in nats
_MIN_EVIDENCE = 14.0  # minimum evidence for a stretch of reversed clauses, in nats
_CLAUSE = 4  # Han characters; shorter clauses give no evidence
# Nats of a word of one to four characters, and of common and other neighbours in one word instead of in two.
_LENGTHS = (-0.8, -0.8, -2.6, -3.5)
_INSIDE, _ACROSS = 2.7, -1.3
_MOST = 200_000  # Han characters; of a longer text, only the clauses up to here are read

_Positions = npt.NDArray[np.int64]


def reversed_clauses(points: Points, han: Ints) -> tuple[Ints, Bools] | None:
    """Return a text with the words of reversed clauses in order; None if no clauses are reversed.

    Args:
        points: shape (n,), the text's code points.
        han: shape (m,), the positions of its Han characters.

    Returns:
        The positions of the characters in reading order, and which of them were moved; both have shape (n,).

    >>> text = "了学校去今天我，的漂亮很花开里那，了家回就后以完看我，说都人的学同有只这。" * 2
    >>> points = np.frombuffer(text.encode("utf-32-le"), "<u4")
    >>> han = np.array([at for at, sign in enumerate(text) if sign not in "，。"], dtype=np.int32)
    >>> positions, _ = reversed_clauses(points, han)
    >>> "".join(text[at] for at in positions)[:8]
    '我今天去学校了，'
    """
    if len(han) == 0:
        return None
    ends = np.append(np.flatnonzero(han[1:] - han[:-1] > 1) + 1, len(han))
    firsts = np.concatenate([[0], ends[:-1]])
    table_of_first, table_of_last = _end_tables()
    signs = np.add(
        table_of_first.take(points[han[firsts]], mode="clip"),
        table_of_last.take(points[han[ends - 1]], mode="clip"),
    )
    evidence = np.where(ends - firsts >= _CLAUSE, signs * _NATS, 0).astype(np.float32)
    sums = np.concatenate([[0], np.cumsum(evidence)])
    if (sums - np.minimum.accumulate(sums)).max() < _MIN_EVIDENCE:
        return None  # as in any ordinary text
    order = np.arange(len(han))
    numbers = character_numbers(points[han[:_MOST]])
    common = np.append(np.isin(kinds_at(numbers, 1), COMMON), False).tolist()
    for first, last in _reversed_runs(evidence):
        for start, end in zip(firsts[first:last].tolist(), ends[first:last].tolist(), strict=True):
            if end <= _MOST:
                order[start:end] = np.add(start, _words_in_order(common[start:end]))
    positions, is_moved = np.arange(len(points), dtype=np.int32), np.zeros(len(points), dtype=bool)
    positions[han] = han[order]
    is_moved[han] = order != np.arange(len(han))
    return positions, is_moved


@cache
def _end_tables() -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return for the first and the last character of a clause: code point → 1 for reversed, −1, or 0."""
    tables = []
    for characters in (_FIRST, _LAST):
        table = np.zeros(0x10000, dtype=np.int8)
        for value, signs in zip((1, -1), characters, strict=True):
            table[[ord(sign) for sign in signs]] = value
        tables.append(table)
    return tables[0], tables[1]


def _reversed_runs(evidence: npt.NDArray[np.float32]) -> list[tuple[int, int]]:
    """Return the stretches of reversed clauses: the first and the last + 1 clause of each."""
    sums = np.stack([np.zeros_like(evidence), evidence])
    rows = likeliest_rows(sums, np.full(len(evidence), _CHANGE))
    changes = np.flatnonzero(np.diff(rows)) + 1
    return [
        (first, last)
        for first, last in pairwise([0, *changes.tolist(), len(rows)])
        if rows[first] and evidence[first:last].sum() >= _MIN_EVIDENCE
    ]


def _words_in_order(common: Sequence[bool]) -> list[int]:
    """Return the characters of a clause with its words in reverse order, as offsets in the clause.

    Args:
        common: for each character, whether it and the next one form a common pair.
    """
    best, lengths = [0.0], [0]
    for end in range(1, len(common) + 1):
        score, inner, length = best[end - 1] + _LENGTHS[0], 0.0, 1
        for longer in range(2, min(len(_LENGTHS), end) + 1):
            inner += _INSIDE if common[end - longer] else _ACROSS
            if (other := best[end - longer] + _LENGTHS[longer - 1] + inner) > score:
                score, length = other, longer
        best.append(score)
        lengths.append(length)
    order, end = list[int](), len(common)
    while end:
        order += range(end - lengths[end], end)
        end -= lengths[end]
    return order
