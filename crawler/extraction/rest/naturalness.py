"""Lines that are not natural Chinese: a style reorders them, or a font shows other characters. Pure.

The bounds were measured on real pages: nearly all shuffled lines are detected, and hardly any line of honest
pages. Linear, in NumPy.
"""

from collections.abc import Sequence

import numpy as np

from fingerprint.text.letters import code_points
from fingerprint.text.naturalness import character_numbers, direction_evidence, pair_kinds

MIN_CHARS = 40  # minimum characters of a line that can be judged
_SURE_CHARS = 60  # minimum characters of a line for which the lower bound is used
# minimum mean evidence for a random order in a long and a short line, in nats per pair
_MIN_MEAN, _MIN_SHORT_MEAN = 0.02, 0.08
_UNKNOWN = 4  # the kind of a pair without information


def unnatural_lines(keys: Sequence[str]) -> list[int]:
    """Return the numbers of the lines that are not natural.

    Args:
        keys: the Chinese characters of each line.
    """
    numbers = [number for number, key in enumerate(keys) if len(key) >= MIN_CHARS]
    if not numbers:
        return []
    lengths = np.array([len(keys[number]) for number in numbers])
    characters = character_numbers(code_points("".join(keys[number] for number in numbers)))
    kinds = pair_kinds(characters[:-1], characters[1:])
    ends = np.cumsum(lengths)
    kinds[ends[:-1] - 1] = _UNKNOWN  # a pair across two lines gives no information
    starts = ends - lengths
    means = np.add.reduceat(direction_evidence(kinds, "neither"), starts) / lengths
    least = np.where(lengths >= _SURE_CHARS, _MIN_MEAN, _MIN_SHORT_MEAN)
    return [numbers[position] for position in np.flatnonzero(means > least).tolist()]


def is_natural(key: str) -> bool:
    """Return whether Chinese characters are in a natural order; too few characters always are."""
    return not unnatural_lines([key])
