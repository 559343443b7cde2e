"""Seeds of an alignment: maximal runs of letters that two texts share, and their chains.

Theory of operation. Every run of ``SEED`` letters that occurs in both texts is a seed; seeds on one diagonal
that touch merge into exact runs. A chain is a sequence of runs that go forward in both texts with short gaps
of similar length, found by dynamic programming as in minimap2 (Li, 2018): the score of a run is its length
plus the best predecessor's score minus the difference of the two gaps. Cost: O(n log n) for the seeds in
NumPy, and a look back at ``_LOOK_BACK`` runs for each run.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fingerprint.letters import Codes
from fingerprint.mixing import Hashes
from fingerprint.shingle import packed_shingles
from storage.index.interface import capped_ranges

SEED = 8
MAX_GAP = 64  # letters between two runs of a chain, on either side
_MAX_REPEATS = 16  # a seed that occurs more often in either text is a refrain and anchors nothing
_LOOK_BACK = 48

_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Run:
    """``length`` equal letters at ``page`` and ``passage``."""

    page: int
    passage: int
    length: int


def exact_runs(page: Codes, passage: Codes) -> list[Run]:
    """Return the maximal runs of at least ``SEED`` letters that both share, by page position."""
    wanted, held = packed_shingles(page, SEED), packed_shingles(passage, SEED)
    order = np.argsort(held, kind="stable")
    starts = np.searchsorted(held, wanted, side="left", sorter=order)
    lengths = np.searchsorted(held, wanted, side="right", sorter=order) - starts
    lengths[(lengths > _MAX_REPEATS) | (_repeats(wanted) > _MAX_REPEATS)] = 0
    queries, rows, _ = capped_ranges(starts, lengths)
    return _merged(queries.astype(np.int64), order[rows])


def _repeats(shingles: Hashes) -> _Ints:
    """Return how often each shingle occurs among all of them."""
    _, which, counts = np.unique(shingles, return_inverse=True, return_counts=True)
    return counts[which]


def _merged(page: _Ints, passage: _Ints) -> list[Run]:
    """Join seeds that follow one another on a diagonal."""
    if len(page) == 0:
        return []
    order = np.lexsort((page, passage - page))
    page, passage = page[order], passage[order]
    new = np.ones(len(page), dtype=bool)
    new[1:] = (np.diff(page) != 1) | (np.diff(passage) != 1)
    first = np.flatnonzero(new)
    lengths = np.diff(np.append(first, len(page))) + SEED - 1
    runs = map(Run, page[first].tolist(), passage[first].tolist(), lengths.tolist())
    return sorted(runs, key=lambda run: (run.page, run.passage))


def chains(runs: list[Run]) -> list[list[Run]]:
    """Return disjoint chains of runs, the best first; runs are cut where they overlap in a chain."""
    scores, before = _scored(runs)
    taken = [False] * len(runs)
    found = []
    for end in sorted(range(len(runs)), key=lambda each: -scores[each]):
        chain = []
        at: int | None = end
        while at is not None and not taken[at]:
            taken[at] = True
            chain.append(runs[at])
            at = before[at]
        if chain:
            found.append(_without_overlaps(chain[::-1]))
    return found


def _scored(runs: list[Run]) -> tuple[list[float], list[int | None]]:
    """Return the best score of a chain that ends at each run, and the run before it."""
    scores: list[float] = []
    before: list[int | None] = []
    for index, run in enumerate(runs):
        best, best_before = float(run.length), None
        for earlier in range(max(0, index - _LOOK_BACK), index):
            score = _joined(runs[earlier], run)
            if score is not None and scores[earlier] + score > best:
                best, best_before = scores[earlier] + score, earlier
        scores.append(best)
        before.append(best_before)
    return scores, before


def _joined(earlier: Run, run: Run) -> float | None:
    """Return what a run adds to a chain that ends with ``earlier``; None when they do not fit."""
    page_gap = run.page - earlier.page - earlier.length
    passage_gap = run.passage - earlier.passage - earlier.length
    overlap = max(0, -page_gap, -passage_gap)
    if overlap >= run.length or max(page_gap, passage_gap) > MAX_GAP:
        return None
    return run.length - overlap - abs(page_gap - passage_gap) * 0.5


def _without_overlaps(chain: list[Run]) -> list[Run]:
    """Cut the start of each run that reaches into the run before it."""
    cut = [chain[0]]
    for run in chain[1:]:
        last = cut[-1]
        overlap = max(0, last.page + last.length - run.page, last.passage + last.length - run.passage)
        cut.append(Run(run.page + overlap, run.passage + overlap, run.length - overlap))
    return cut
