"""From index hits to candidates: which passages may be in a page.

A hit says that a window of the page and a window of a passage look alike. Copies put many hits on one
diagonal (passage position − page position); chance scatters them. A passage is a candidate when two hits at
different places of the page agree on a diagonal within ``BAND`` letters, or when three distinct shingles of
the page occur in it anywhere, which is what shuffled sentences leave. Of a short page that was edited here
and there a single shingle may be left: its passage is a candidate too, as long as chance has not led to many.
A candidate claims nothing yet: :mod:`tracker.alignment.align` decides on the texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from fingerprint.fingerprints import Fingerprints
from fingerprint.text.letters import Letters
from storage.index.interface import FingerprintIndex, Hits
from tracker.alignment.text import ComparedText
from tracker.comparison.corpus import Corpus
from tracker.indexing.params import DENSE_LETTERS, SHORT_LETTERS, IndexParams

BAND = 32  # letters: inserted and deleted characters shift a diagonal by a few
MIN_ON_DIAGONAL = 2
MIN_SHINGLES = 3
MAX_SINGLE_SHINGLE_PASSAGES = 16  # aligned with a short page for a single shingle each
_BAND_BITS = 28  # a passage id takes the 32 bits above
_LOWEST_BAND = -(1 << (_BAND_BITS - 1))
MAX_CANDIDATES = 1_000  # passages aligned for one page, the strongest first
PAGES = (
    100  # looked up at once: more are hardly quicker, and their answers fill memory until they are compared
)
_SAME_HASH = 8  # places of a page at which one hash is looked up

_Ints = npt.NDArray[np.int64]
_NONE: _Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may be in the page.

    Attributes:
        passage_id: the passage.
        anchors: method name → number of distinct places of the page that hit the passage.
        first, last: page letters of the first and the last hit.
    """

    passage_id: int
    anchors: Mapping[str, int]
    first: int
    last: int

    @property
    def strength(self) -> int:
        """How many hits speak for it."""
        return sum(self.anchors.values())


@dataclass(frozen=True, slots=True)
class Candidates:
    """All candidates of a page, the strongest first.

    Attributes:
        dropped: candidates beyond the limit, not aligned.
        capped: looked-up hashes with more postings than the index returns.
    """

    found: tuple[Candidate, ...]
    dropped: int = 0
    capped: int = 0


def look_up(pages: Sequence[ComparedText], corpus: Corpus) -> list[Candidates]:
    """Return the candidates that the Han letters of each page lead to, asking the index once.

    Args:
        pages: their texts; ``PAGES`` at a time are best.
        corpus: what to look them up in. Read its version before: what is added later is overlooked.

    Raises:
        IndexUnusable: the index was dropped.
        ServiceDown: Redis does not answer.
    """
    return find_candidates_many(
        [corpus.params.of_page(page.han) for page in pages],
        corpus.index,
        corpus.params,
        letters=[len(page.han) for page in pages],
    )


def candidates_of(page: ComparedText, corpus: Corpus, *, candidates: Candidates | None = None) -> Candidates:
    """Return the passages that may be in a page.

    Passages are indexed by their Han characters, so a page is looked up by its own; one with Latin pinyin in
    it also with that read as letters.

    Args:
        page: the page.
        corpus: what to look it up in.
        candidates: those that its Han letters led to, from :func:`look_up`; None: they are looked up now.

    Raises:
        ServiceDown: the index does not answer.
    """
    by_han = candidates or _look_up_letters(page.han, corpus)
    if not page.has_latin:
        return by_han
    by_letters = _look_up_letters(page.letters, corpus)
    places = np.searchsorted(page.letters.offsets, page.han.offsets)
    moved = [replace(c, first=int(places[c.first]), last=int(places[c.last])) for c in by_han.found]
    best: dict[int, Candidate] = {}
    for candidate in (*by_letters.found, *moved):
        other = best.get(candidate.passage_id, candidate)
        stronger = max(candidate, other, key=lambda either: either.strength)
        first, last = min(candidate.first, other.first), max(candidate.last, other.last)
        best[candidate.passage_id] = replace(stronger, first=first, last=last)
    ranked = sorted(best.values(), key=_rank)
    return Candidates(
        tuple(ranked), max(by_letters.dropped, by_han.dropped), max(by_letters.capped, by_han.capped)
    )


def _look_up_letters(letters: Letters, corpus: Corpus) -> Candidates:
    sets = corpus.params.of_page(letters)
    return find_candidates(
        {params_id: without_repeats(prints) for params_id, prints in sets.items()},
        corpus.index,
        corpus.params,
        letters=len(letters),
    )


def without_repeats(prints: Fingerprints) -> Fingerprints:
    """Leave out what a page says again and again: it leads to the same passages each time."""
    order = np.argsort(prints.hashes, kind="stable")
    hashes = prints.hashes[order]
    again = np.zeros(len(hashes), dtype=bool)
    again[_SAME_HASH:] = hashes[_SAME_HASH:] == hashes[: max(0, len(hashes) - _SAME_HASH)]
    if not again.any():
        return prints
    left = np.sort(order[~again])
    return Fingerprints(prints.hashes[left], prints.positions[left])


def find_candidates(
    fingerprints: Mapping[str, Fingerprints],
    index: FingerprintIndex,
    params: IndexParams,
    *,
    letters: int,
) -> Candidates:
    """Look a page up and return the passages to align with it.

    Args:
        fingerprints: of the page, by parameter id.
        index: what to look them up in.
        params: what the parameter ids mean.
        letters: how many the page has; of a short one less can be asked.

    Raises:
        ServiceDown: the index does not answer.
    """
    return find_candidates_many([fingerprints], index, params, letters=[letters])[0]


def find_candidates_many(
    pages: Sequence[Mapping[str, Fingerprints]],
    index: FingerprintIndex,
    params: IndexParams,
    *,
    letters: Sequence[int],
) -> list[Candidates]:
    """Look many pages up at once and return for each what :func:`find_candidates` does.

    Args:
        pages: the fingerprints of each, by parameter id.
        index: what to look them up in.
        params: what the parameter ids mean.
        letters: of each page.

    Raises:
        ServiceDown: the index does not answer.
    """
    asked = [{params_id: prints.hashes for params_id, prints in page.items()} for page in pages]
    answers = index.lookup_many(asked)
    return [
        _candidates(page, hits, params, _demand_of(own))
        for page, hits, own in zip(pages, answers, letters, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Demand:
    """What makes a passage a candidate of a page.

    Attributes:
        hits: on one diagonal.
        lone: a single shingle does, while these lead to few passages.
    """

    hits: int
    lone: bool


def _demand_of(letters: int) -> _Demand:
    """Return what a page of some length must show of a passage."""
    return _Demand(1 if letters < SHORT_LETTERS else MIN_ON_DIAGONAL, lone=letters < DENSE_LETTERS)


def _candidates(
    fingerprints: Mapping[str, Fingerprints],
    answers: Mapping[str, Hits],
    params: IndexParams,
    demand: _Demand,
) -> Candidates:
    """Return the passages that enough hits speak for."""
    capped = sum(hits.capped for hits in answers.values())
    names = params.names
    places = {names[params_id]: _places(fingerprints[params_id], hits) for params_id, hits in answers.items()}
    every = np.concatenate(list(places.values()), axis=1)
    lone = _lone(places["shingle"]) if demand.lone else _NONE
    if not len(lone) and not _may_hold_one(every[0], demand.hits):
        return Candidates((), capped=capped)
    several = np.union1d(_on_diagonals(every, demand.hits), _with_shingles(places["shingle"]))
    strong = np.union1d(several, lone)
    if len(strong) == 0:
        return Candidates((), capped=capped)
    ranked = sorted(_describe(strong, places), key=_rank)
    return Candidates(tuple(ranked[:MAX_CANDIDATES]), max(0, len(ranked) - MAX_CANDIDATES), capped)


def _rank(candidate: Candidate) -> tuple[int, int]:
    """Return what candidates are sorted by: the strongest first."""
    return -candidate.strength, candidate.passage_id


def _lone(shingles: _Ints) -> _Ints:
    """Return the passages that any shingle of the page occurs in, unless these are many."""
    passages = np.unique(shingles[0])
    return passages if len(passages) <= MAX_SINGLE_SHINGLE_PASSAGES else _NONE


def _may_hold_one(passages: _Ints, min_hits: int) -> bool:
    """Return whether any passage has enough hits: mostly none has, and the rest can be skipped."""
    fewest = min(min_hits, MIN_SHINGLES)
    ordered = np.sort(passages)
    return bool(np.any(ordered[fewest - 1 :] == ordered[: len(ordered) - fewest + 1]))


def _places(prints: Fingerprints, hits: Hits) -> _Ints:
    """Return passage, page position and diagonal of each hit: shape (3, n)."""
    page = prints.positions[hits.queries].astype(np.int64)
    return np.stack([hits.passages.astype(np.int64), page, hits.positions.astype(np.int64) - page])


def _on_diagonals(places: _Ints, min_hits: int) -> _Ints:
    """Return the passages with enough hits on one diagonal.

    Two sets of bands, half a band apart, so that a pair of near diagonals shares a band of one of them.
    """
    passages, pages, diagonals = places
    strong = []
    for shift in (0, BAND // 2):
        bands = (diagonals + shift) // BAND - _LOWEST_BAND
        groups, counts = _distinct_pages((passages << _BAND_BITS) + bands, pages)
        strong.append(groups[counts >= min_hits] >> _BAND_BITS)
    return np.unique(np.concatenate(strong))


def _with_shingles(places: _Ints) -> _Ints:
    """Return the passages that enough distinct shingles of the page occur in."""
    passages, counts = _distinct_pages(places[0], places[1])
    return passages[counts >= MIN_SHINGLES]


def _distinct_pages(groups: _Ints, pages: _Ints) -> tuple[_Ints, _Ints]:
    """Return each group of hits once, and at how many places of the page it has one."""
    order = np.lexsort((pages, groups))
    groups, pages = groups[order], pages[order]
    new = np.ones(len(groups), dtype=bool)
    new[1:] = (np.diff(groups) != 0) | (np.diff(pages) != 0)
    distinct, counts = np.unique(groups[new], return_counts=True)
    return distinct, counts.astype(np.int64)


def _describe(strong: _Ints, places: Mapping[str, _Ints]) -> list[Candidate]:
    """Return the candidates with what each method found and where in the page."""
    first = np.full(len(strong), np.iinfo(np.int64).max)
    last = np.zeros(len(strong), dtype=np.int64)
    anchors: dict[str, _Ints] = {}
    for name, hits in places.items():
        chosen = np.unique(hits[:2, np.isin(hits[0], strong)], axis=1)
        row = np.searchsorted(strong, chosen[0])
        anchors[name] = np.bincount(row, minlength=len(strong))
        np.minimum.at(first, row, chosen[1])
        np.maximum.at(last, row, chosen[1])
    return [
        Candidate(
            passage,
            {name: int(counts[row]) for name, counts in anchors.items()},
            int(first[row]),
            int(last[row]),
        )
        for row, passage in enumerate(strong.tolist())
    ]
