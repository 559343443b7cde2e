"""Information of copied stretches: how many bits a page took from a passage.

A stretch proves copying as far as its words are unusual (:mod:`fingerprint.information`).
"""

from collections.abc import Sequence

import numpy as np

from fingerprint.information import information
from tracker.alignment.align import Aligned

STRETCH_BITS = 20.0  # cost of the position of a stretch in both texts

_CONTEXT = 8  # number of characters before a stretch from which its first ones are predicted


def copied_bits(passage: str, stretches: Sequence[Aligned]) -> float:
    """Return the information of the characters that a page took from a passage, in bits.

    Each stretch costs ``STRETCH_BITS``, because many short ones agree by chance. Text that the page repeats
    counts once.

    Args:
        passage: the whole passage.
        stretches: with the offsets of the characters that agree.
    """
    is_copied = np.zeros(len(passage), dtype=bool)
    is_inside = np.zeros(len(passage) + 2, dtype=np.int8)
    for aligned in stretches:
        span = slice(aligned.span.passage_start, aligned.span.passage_end)
        is_inside[1:-1][span] = 1
        agreeing = aligned.agreeing
        is_copied[agreeing[(agreeing >= span.start) & (agreeing < span.stop)]] = True
    edges = np.flatnonzero(np.diff(is_inside)).reshape(-1, 2).tolist()
    pieces = [passage[max(0, start - _CONTEXT) : end] for start, end in edges]
    bits, first, total = information("".join(pieces)), 0, 0.0
    for piece, (start, end) in zip(pieces, edges, strict=True):
        first += len(piece)
        total += max(
            0.0, float(bits[first - (end - start) : first][is_copied[start:end]].sum()) - STRETCH_BITS
        )
    return total
