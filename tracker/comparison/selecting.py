"""Selection of the candidates to align on a page with many: by the information of the letters that they hit.

A page of set wording, such as a regulation, hits a passage of every text with the same formulas. Each
alignment costs milliseconds and shows the same formulas again. So candidates are taken by the information of
their hits (:mod:`fingerprint.information`), the most first. A candidate that adds nothing to ``DEPTH``
others is left out and counted. Background texts and earlier publications are always kept, because they show
that text does not belong to a work.

Complexity: O(c · n) for c candidates and n letters, and only for pages with more than ``MANY`` candidates.
"""

from dataclasses import replace

import numpy as np

from fingerprint.information import information
from tracker.alignment.text import ComparedText
from tracker.comparison.corpus import Corpus
from tracker.comparison.matching import Candidates

MANY = 12  # an ordinary page has at most this many candidates
FEW = 4  # this many candidates are always aligned
DEPTH = 4  # maximum number of texts per letter: further texts do not change the result
MAX_CELLS = 8_000_000  # candidates times letters; on larger pages the budget of alignment limits the work
MIN_BITS = 100.0  # minimum information that a candidate must add: about twenty ordinary characters


def informative(page: ComparedText, candidates: Candidates, corpus: Corpus) -> Candidates:
    """Return the candidates to align, the most informative first; the others count as dropped.

    Args:
        page: the text that they were looked up with.
        candidates: all of them.
        corpus: the corpus that they belong to.
    """
    cells = len(candidates.ranked) * len(page.letters)
    if len(candidates.ranked) <= MANY or candidates.places is None or cells > MAX_CELLS:
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
    covered = np.cumsum(steps, axis=1, out=steps)[:, :-1] > 0
    works = corpus.passages.works_of(row_of)
    are_prior = [passage_id in works and works[passage_id].role != "protected" for passage_id in row_of]
    depth, chosen = np.zeros(len(bits), dtype=np.int32), list[int]()
    for row in np.argsort(-(covered @ bits), kind="stable").tolist():
        if are_prior[row]:
            chosen.append(row)
        elif len(chosen) < FEW or bits[covered[row] & (depth < DEPTH)].sum() >= MIN_BITS:
            chosen.append(row)
            depth += covered[row]
    left_out = len(candidates.ranked) - len(chosen)
    return replace(
        candidates,
        ranked=tuple(candidates.ranked[row] for row in chosen),
        dropped=candidates.dropped + left_out,
    )
