"""Selection of the candidates to align on a page with many: by the information of the letters that they hit.

A page of set wording, such as a regulation, hits a passage of every text with the same formulas. Each
alignment costs milliseconds and shows the same formulas again. So candidates are taken by the information of
their hits (:mod:`tracker.judgement.information`), the most first. A candidate that adds nothing to ``DEPTH``
others is left out and counted.

Complexity: O(c · n) for c candidates and n letters, and only for pages with more than ``MANY`` candidates.
"""

from dataclasses import replace

import numpy as np

from tracker.alignment.text import ComparedText
from tracker.comparison.matching import Candidates
from tracker.judgement.information import information

MANY = 12  # candidates that an ordinary page may have
FEW = 4  # candidates that are aligned in any case
DEPTH = 4  # texts that hit a letter: more neither take it nor show that it is common
MIN_BITS = 100.0  # that a candidate adds: about twenty ordinary characters


def informative(page: ComparedText, candidates: Candidates) -> Candidates:
    """Return the candidates to align, the most informative first; the others count as dropped.

    Args:
        page: the text that they were looked up with.
        candidates: all of them.
    """
    if len(candidates.ranked) <= MANY or candidates.places is None:
        return candidates
    offsets = page.letters.offsets
    bits = information(page.text)[offsets]
    hits = np.concatenate(list(candidates.places.values()), axis=1)
    row_of = {candidate.passage_id: row for row, candidate in enumerate(candidates.ranked)}
    rows = np.array([row_of.get(passage, -1) for passage in hits[0].tolist()], dtype=np.int64)
    steps = np.zeros((len(row_of), len(bits) + 1), dtype=np.int32)
    inside = (rows >= 0) & (hits[3] <= len(bits))
    np.add.at(steps, (rows[inside], hits[1, inside]), 1)
    np.add.at(steps, (rows[inside], hits[3, inside]), -1)
    covered = np.cumsum(steps[:, :-1], axis=1) > 0
    depth, chosen = np.zeros(len(bits), dtype=np.int32), list[int]()
    for row in np.argsort(-(covered @ bits), kind="stable").tolist():
        if len(chosen) < FEW or bits[covered[row] & (depth < DEPTH)].sum() >= MIN_BITS:
            chosen.append(row)
            depth += covered[row]
    left_out = len(candidates.ranked) - len(chosen)
    return replace(
        candidates,
        ranked=tuple(candidates.ranked[row] for row in chosen),
        dropped=candidates.dropped + left_out,
    )
