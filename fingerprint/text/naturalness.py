"""Judge by pairs of neighbouring characters in which direction a text is natural.

A pair is common if frequent words of jieba's dictionary contain it (:mod:`._pairs`). In Chinese prose of any
age, five times as many pairs are common in reading order as in reverse order. Characters that are next to
each other by accident rarely form a common pair in either order. So each pair of neighbours gives evidence,
as a log-likelihood, for one of three directions: forwards, backwards, or neither. Characters outside the
table give no evidence.

Complexity: O(n) in NumPy, about 20 ns per character.
"""

import base64
import zlib
from array import array
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from fingerprint.text._pairs import CHARACTERS, PAIRS
from fingerprint.text._tables import FOLD

Direction = Literal["forwards", "backwards", "neither"]
Kinds = npt.NDArray[np.uint8]
Weights = npt.NDArray[np.float32]
_Scores = npt.NDArray[np.float64]

DIRECTIONS: tuple[Direction, ...] = ("forwards", "backwards", "neither")
COMMON = (1, 3)  # kinds of pairs that are common as written
_UNKNOWN = 4
_BLOCK = 16
_FEW = 16  # rows
_WIDTH = len(CHARACTERS) + 1
# One row for each direction: the shares of pairs that are common in no order, only as written, only reversed,
# and in both orders. They were measured on novels, because pairs in news give more evidence.
_SHARES = np.array(
    [
        [0.745, 0.193, 0.030, 0.032],
        [0.745, 0.030, 0.193, 0.032],
        [0.921, 0.034, 0.034, 0.011],
    ]
)
# Shape (3, 5), float32: log-likelihood ratio of each direction and kind of pair, relative to "forwards".
_WEIGHTS: Weights = np.pad(np.log(_SHARES / _SHARES[0]), ((0, 0), (0, 1))).astype(np.float32)
# The same for pairs of which a quarter is natural, relative to "neither", and for a text of which half of the
# pairs are next to each other by accident, relative to "forwards".
_MIXED = (_SHARES[0] + 3 * _SHARES[2]) / 4
_REGULAR: Weights = np.append(np.log(_MIXED / _SHARES[2]), 0).astype(np.float32)
_THINNED: Weights = np.append(np.log((_SHARES[0] + _SHARES[2]) / 2 / _SHARES[0]), 0).astype(np.float32)


def _decompress(packed: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(zlib.decompress(base64.b85decode(packed)), dtype="<u4")


@cache
def _pair_tables() -> tuple[npt.NDArray[np.int32], Kinds]:
    """Return two tables: code point → character number, and pair of character numbers → kind of the pair."""
    points = np.frombuffer(CHARACTERS.encode("utf-32-le"), dtype="<u4")
    variants, forms = _decompress(FOLD).reshape(2, -1)
    numbers = np.zeros(int(max(points.max(), variants.max())) + 2, dtype=np.int32)
    numbers[points] = np.arange(1, _WIDTH)
    numbers[variants] = numbers[np.minimum(forms, len(numbers) - 1)]
    kinds = np.zeros(_WIDTH * _WIDTH, dtype=np.uint8)
    pairs = np.cumsum(_decompress(PAIRS), dtype=np.uint32)
    kinds[pairs] = 1
    kinds[pairs % _WIDTH * _WIDTH + pairs // _WIDTH] |= 2
    kinds[:_WIDTH] = kinds[::_WIDTH] = _UNKNOWN
    return numbers, kinds


def character_numbers(points: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
    """Return the number of each character in the pair table, 0 for unknown characters: shape (n,).

    >>> from fingerprint.text.letters import code_points
    >>> numbers = character_numbers(code_points("國国，"))
    >>> bool(numbers[0] == numbers[1] > 0), int(numbers[2])
    (True, 0)
    """
    return _pair_tables()[0].take(points, mode="clip")


def pair_kinds(first: npt.NDArray[np.int32], second: npt.NDArray[np.int32]) -> Kinds:
    """Return the kind of each pair of characters: shape (n,), ``uint8``.

    0: not common; 1: common as written; 2: common when reversed; 3: both; 4: a character is unknown.

    Args:
        first: shape (n,), from :func:`character_numbers`.
        second: shape (n,), from :func:`character_numbers`.

    >>> from fingerprint.text.letters import code_points
    >>> numbers = character_numbers(code_points("国家的"))
    >>> pair_kinds(numbers[:-1], numbers[1:]).tolist(), pair_kinds(numbers[1:], numbers[:-1]).tolist()
    ([1, 0], [2, 0])
    """
    return _pair_tables()[1].take(first * np.int32(_WIDTH) + second)


def kinds_at(numbers: npt.NDArray[np.int32], distance: int) -> Kinds:
    """Return the kinds of the pairs of characters at a distance; one for each pair in the text.

    Args:
        numbers: shape (n,), from :func:`character_numbers`.
        distance: from the first character of a pair to the second; negative in reversed text.
    """
    count = max(0, len(numbers) - abs(distance))
    ahead, behind = numbers[:count], numbers[len(numbers) - count :]
    return pair_kinds(ahead, behind) if distance > 0 else pair_kinds(behind, ahead)


def direction_evidence(kinds: Kinds, direction: Direction) -> Weights:
    """Return the evidence of each pair for a direction, relative to "forwards": shape (n,), in nats.

    >>> direction_evidence(np.array([0, 1, 2], dtype=np.uint8), "backwards").round().tolist()
    [0.0, -2.0, 2.0]
    """
    weights: Weights = _WEIGHTS[DIRECTIONS.index(direction)].take(kinds)
    return weights


def neighbour_evidence(numbers: npt.NDArray[np.int32], distance: int) -> npt.NDArray[np.float64]:
    """Return the evidence that characters at a distance are natural neighbours: shape (n,), in nats.

    The evidence of a pair is at its first character; it is 0 where there is no second one.

    Args:
        numbers: shape (n,), from :func:`character_numbers`.
        distance: as in :func:`kinds_at`.
    """
    kinds = kinds_at(numbers, distance)
    weights = np.zeros(len(numbers))
    at = 0 if distance > 0 else len(numbers) - len(kinds)
    weights[at : at + len(kinds)] = -direction_evidence(kinds, "neither")
    return weights


def thinned_evidence(kinds: Kinds) -> Weights:
    """Return the evidence of each pair that half of the pairs are accidental: shape (n,), in nats.

    >>> thinned_evidence(np.array([0, 1, 2], dtype=np.uint8)).round(1).tolist()
    [0.10000000149011612, -0.5, 0.10000000149011612]
    """
    return _THINNED.take(kinds)


def regular_evidence(kinds: Kinds) -> Weights:
    """Return the evidence of each pair that a quarter of the pairs are natural: shape (n,), in nats.

    >>> regular_evidence(np.array([0, 1, 2], dtype=np.uint8)).round(1).tolist()
    [-0.0, 0.800000011920929, -0.0]
    """
    return _REGULAR.take(kinds)


def strongest_evidence(weights: Weights) -> float:
    """Return the largest sum of any consecutive blocks of evidence, at least 0.

    >>> strongest_evidence(np.array([-1] * 32 + [2] * 16 + [-1] * 8, dtype=np.float32))
    32.0
    """
    if len(weights) == 0:
        return 0.0
    sums = np.cumsum(np.add.reduceat(weights, np.arange(0, len(weights), _BLOCK)), dtype=np.float64)
    before = np.minimum.accumulate(np.concatenate([[0.0], sums[:-1]]))
    return float((sums - before).max(initial=0))


def likeliest_rows(sums: Weights, costs: _Scores) -> npt.NDArray[np.uint16]:
    """Return the row of the likeliest explanation of each unit: shape (units,), by the Viterbi algorithm.

    Args:
        sums: the evidence for each explanation: shape (rows, units).
        costs: the cost of another row than before, for each unit: shape (units,), in nats.

    >>> likeliest_rows(np.array([[1, 1, 1], [0, 2, 9]], dtype=np.float32), np.full(3, 3.0)).tolist()
    [1, 1, 1]
    """
    table, switch_scores = (_few_rows if len(sums) <= _FEW else _many_rows)(sums, costs)
    is_unchanged = table[:-1] >= switch_scores[:, np.newaxis]
    best = table[:-1].argmax(axis=1).astype(np.uint16)
    before = np.where(is_unchanged, np.arange(len(sums), dtype=np.uint16), best[:, np.newaxis])
    directions = np.empty(len(table), dtype=np.uint16)
    directions[-1] = direction = int(table[-1].argmax())
    steps = memoryview(before.tobytes()).cast("H")
    for unit in range(len(table) - 2, -1, -1):
        directions[unit] = direction = steps[unit * len(sums) + direction]
    return directions


def _few_rows(sums: Weights, costs: _Scores) -> tuple[_Scores, _Scores]:
    """Return the best score of each row at each unit, and of a change of row at each unit but the first.

    Plain numbers are faster than arrays of a few.
    """
    best = sums[:, 0].tolist()
    scores, switch_scores = array("d", best), array("d")
    for gains, cost in zip(sums[:, 1:].T.tolist(), costs[1:].tolist(), strict=True):
        least = max(best) - cost
        best = [max(score, least) + gain for score, gain in zip(best, gains, strict=True)]
        scores.extend(best)
        switch_scores.append(least)
    return np.frombuffer(scores).reshape(-1, len(best)), np.frombuffer(switch_scores)


def _many_rows(sums: Weights, costs: _Scores) -> tuple[_Scores, _Scores]:
    """Return the same as :func:`_few_rows`."""
    table, switch_scores = sums.T.astype(np.float64), np.empty(max(0, sums.shape[1] - 1))
    for unit in range(1, len(table)):
        switch_scores[unit - 1] = least = table[unit - 1].max() - costs[unit]
        table[unit] += np.maximum(table[unit - 1], least)
    return table, switch_scores
