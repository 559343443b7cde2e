"""Seeds of an alignment: maximal runs of letters that two texts share, and their chains.

Theory of operation. Every run of ``SEED`` letters that occurs in both texts is a seed. Seeds on one diagonal
that touch merge into exact runs. Dense edits leave no such runs, so short pages use shorter seeds; runs below
``SEED`` letters must then also agree in their characters (:func:`significant_runs`), because letters agree by
chance too often. A seed that a text repeats more than ``MAX_REPEATS`` times is a refrain. Only the first
occurrences of a refrain on the page start runs; a refrain of the passage starts no run. Runs are lengthened
over refrains on their diagonal. A chain is a sequence of runs that go forward in both texts with short gaps
of similar length, found by dynamic programming as in minimap2 (Li, 2018): the score of a run is its length
plus the best predecessor's score minus the difference of the two gaps.

Cost: the page's seeds are sorted once, O(n log n). Each passage of m letters then costs O(m log n) in NumPy,
and each run looks back at ``_LOOK_BACK`` runs. At most ``MAX_REPEATS`` runs begin at a position of the
passage, and the budget limits the runs of all passages of a page (:mod:`tracker.alignment.budget`).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes
from fingerprint.shingle import packed_shingles
from fingerprint.text.letters import Codes
from storage.index.interface import capped_ranges
from tracker.alignment.budget import Budget, budget_of

SEED = 8
_SHORT_PAGES = ((1_000, 5), (5_000, 6))  # (maximum letters of the page, length of its seeds)
MIN_EQUAL = 4  # minimum number of equal characters in a run that is shorter than ``SEED``
MAX_GAP = 200  # maximum number of letters between two runs of a chain, in either text
MAX_REPEATS = 16
MIN_REFRAIN = 8  # minimum number of different seeds in a refrain that starts runs: 哈哈哈 has one
_LOOK_BACK = 48
_STEP = 64  # number of letters that are compared at once when a run is lengthened

_Bools = npt.NDArray[np.bool_]
_Ints = npt.NDArray[np.int64]
Points = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class SeedRun:
    """``length`` equal letters at ``page`` and ``passage``."""

    page: int
    passage: int
    length: int


@dataclass(frozen=True, slots=True, eq=False)
class SeedTable:
    """The seeds of a page.

    Attributes:
        codes: the page's letters.
        length: letters of a seed.
        seeds: shape (n,): ascending.
        places: shape (n,): their positions on the page, ascending among equal seeds.
    """

    codes: Codes
    length: int
    seeds: Hashes
    places: _Ints


def seed_length(letters: int) -> int:
    """Return how long the seeds of a page with so many letters are."""
    return next((length for most, length in _SHORT_PAGES if letters <= most), SEED)


def seed_table(codes: Codes, *, length: int | None = None) -> SeedTable:
    """Return the seeds of a page, sorted.

    Args:
        codes: the page's letters.
        length: letters of a seed; None: what suits the page's length.
    """
    length = length or seed_length(len(codes))
    seeds = packed_shingles(codes, length)
    places = np.argsort(seeds, kind="stable")
    return SeedTable(codes, length, seeds[places], places)


def exact_runs(
    page: SeedTable,
    passage: Codes,
    *,
    first: int = 0,
    last: int | None = None,
    budget: Budget | None = None,
) -> list[SeedRun]:
    """Return the maximal runs of at least a seed's length that both texts share, by page position.

    Args:
        page: the page's seeds.
        passage: the passage's letters.
        first: ignore seeds that begin before this position of the page.
        last: ignore seeds that begin after this position of the page.
        budget: limits the runs, the longest first; None: the budget for a page of that length.
    """
    passage_shingles = packed_shingles(passage, page.length)
    if len(passage_shingles) == 0 or len(page.seeds) == 0:
        return []
    starts = np.searchsorted(page.seeds, passage_shingles, side="left")
    held = np.flatnonzero(page.seeds[np.minimum(starts, len(page.seeds) - 1)] == passage_shingles)
    if len(held) == 0:
        return []
    starts = starts[held]
    counts = np.searchsorted(page.seeds, passage_shingles[held], side="right") - starts
    refrains = _repeats(passage_shingles[held]) > MAX_REPEATS
    silent = (
        _beyond_repeats(passage_shingles[held])
        if _is_refrain_only(passage_shingles[held], refrains)
        else refrains
    )
    lengths = np.where(silent, 0, np.minimum(counts, MAX_REPEATS))
    queries, rows, _ = capped_ranges(starts, lengths)
    ours, theirs = page.places[rows], held[queries.astype(np.int64)]
    inside = (ours >= first) & (ours <= (len(page.codes) if last is None else last))
    runs = _merge(ours[inside], theirs[inside], page.length, budget or budget_of(len(page.codes)))
    if refrains.any() or (counts > MAX_REPEATS).any():
        runs = [_lengthen(run, page.codes, passage) for run in runs]
    return sorted(set(runs), key=lambda run: (run.page, run.passage))


def repeats_itself(page: SeedTable) -> bool:
    """Return whether the page repeats something more than ``MAX_REPEATS`` times."""
    ahead = page.seeds[MAX_REPEATS:]
    return bool((ahead == page.seeds[: len(ahead)]).any())


def significant_runs(runs: list[SeedRun], page: Points, passage: Points) -> list[SeedRun]:
    """Return the runs that are long or have equal characters.

    Short runs in which only the letters are
    equal occur by chance.

    Args:
        runs: of letters.
        page: shape (letters of the page,): the character of each letter.
        passage: likewise.
    """
    short = np.array(
        [(run.page, run.passage, run.length) for run in runs if run.length < SEED], dtype=np.int64
    ).reshape(-1, 3)
    if len(short) == 0:
        return runs
    steps = np.arange(SEED - 1)
    inside = steps < short[:, 2:]
    ours = page[np.minimum(short[:, :1] + steps, len(page) - 1)]
    theirs = passage[np.minimum(short[:, 1:2] + steps, len(passage) - 1)]
    equal = iter(((ours == theirs) & inside).sum(axis=1).tolist())
    return [run for run in runs if run.length >= SEED or next(equal) >= MIN_EQUAL]


def _repeats(shingles: Hashes) -> _Ints:
    """Return how often each shingle occurs among all of them."""
    _, which, counts = np.unique(shingles, return_inverse=True, return_counts=True)
    return counts[which]


def _is_refrain_only(seeds: Hashes, refrains: _Bools) -> bool:
    """Return whether a passage shares only text that it repeats, and this text has enough different seeds.

    In this case the first occurrences of the refrain start runs. Otherwise a copied text that consists of
    repetitions would be ``clear``.
    """
    return bool(refrains.all()) and len(np.unique(seeds)) >= MIN_REFRAIN


def _beyond_repeats(seeds: Hashes) -> _Bools:
    """Return the seeds that follow ``MAX_REPEATS`` equal ones."""
    order = np.argsort(seeds, kind="stable")
    beyond = np.zeros(len(seeds), dtype=bool)
    beyond[order[MAX_REPEATS:]] = seeds[order[MAX_REPEATS:]] == seeds[order[:-MAX_REPEATS]]
    return beyond


def _merge(page: _Ints, passage: _Ints, seed: int, budget: Budget) -> list[SeedRun]:
    """Join seeds that follow one another on a diagonal to runs, and return the longest of these."""
    if len(page) == 0:
        return []
    order = np.lexsort((page, passage - page))
    page, passage = page[order], passage[order]
    new = np.ones(len(page), dtype=bool)
    new[1:] = (np.diff(page) != 1) | (np.diff(passage) != 1)
    first = np.flatnonzero(new)
    lengths = np.diff(np.append(first, len(page))) + seed - 1
    taken = budget.take_runs(len(first))
    if taken < len(first):
        longest = np.sort(np.argsort(-lengths, kind="stable")[:taken])
        first, lengths = first[longest], lengths[longest]
    return list(map(SeedRun, page[first].tolist(), passage[first].tolist(), lengths.tolist()))


def _lengthen(run: SeedRun, page: Codes, passage: Codes) -> SeedRun:
    """Extend a run over the equal letters before and behind it."""
    before = _equal(page[: run.page][::-1], passage[: run.passage][::-1])
    behind = _equal(page[run.page + run.length :], passage[run.passage + run.length :])
    return SeedRun(run.page - before, run.passage - before, run.length + before + behind)


def _equal(ours: Codes, theirs: Codes) -> int:
    """Return the length of the common prefix of two texts."""
    length = min(len(ours), len(theirs))
    for start in range(0, length, _STEP):
        end = min(start + _STEP, length)
        differs = np.flatnonzero(ours[start:end] != theirs[start:end])
        if len(differs):
            return start + int(differs[0])
    return length


def chains(runs: list[SeedRun]) -> list[list[SeedRun]]:
    """Return disjoint chains of runs, the best first; runs are cut where they overlap in a chain."""
    scores, before = _best_scores(runs)
    taken = [False] * len(runs)
    disjoint = []
    for end in sorted(range(len(runs)), key=lambda run: -scores[run]):
        chain = []
        at: int | None = end
        while at is not None and not taken[at]:
            taken[at] = True
            chain.append(runs[at])
            at = before[at]
        if chain:
            disjoint.append(_without_overlaps(chain[::-1]))
    return disjoint


def _best_scores(runs: list[SeedRun]) -> tuple[list[float], list[int | None]]:
    """Return the best score of a chain that ends at each run, and the run before it."""
    scores: list[float] = []
    before: list[int | None] = []
    for index, run in enumerate(runs):
        best, best_before = float(run.length), None
        for earlier in range(max(0, index - _LOOK_BACK), index):
            score = _gain(runs[earlier], run)
            if score is not None and scores[earlier] + score > best:
                best, best_before = scores[earlier] + score, earlier
        scores.append(best)
        before.append(best_before)
    return scores, before


def _gain(earlier: SeedRun, run: SeedRun) -> float | None:
    """Return the score that a run adds to a chain that ends with ``earlier``; None if they do not fit."""
    page_gap = run.page - earlier.page - earlier.length
    passage_gap = run.passage - earlier.passage - earlier.length
    overlap = max(0, -page_gap, -passage_gap)
    if overlap >= run.length or max(page_gap, passage_gap) > MAX_GAP:
        return None
    return run.length - overlap - abs(page_gap - passage_gap) * 0.5


def _without_overlaps(chain: list[SeedRun]) -> list[SeedRun]:
    """Cut the start of each run that reaches into the run before it."""
    cut = [chain[0]]
    for run in chain[1:]:
        last = cut[-1]
        overlap = max(0, last.page + last.length - run.page, last.passage + last.length - run.passage)
        cut.append(SeedRun(run.page + overlap, run.passage + overlap, run.length - overlap))
    return cut
