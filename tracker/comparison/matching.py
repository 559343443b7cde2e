"""From index hits to candidates: which passages may be in a page.

A passage is a candidate when enough hits speak for it (:mod:`tracker.comparison.diagonals`). Of a short page
that was edited here and there a single window may be left: the few passages with the rarest of these are
candidates too. A candidate claims nothing yet: :mod:`tracker.alignment.align` decides on the texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

import numpy as np

from fingerprint.fingerprints import Fingerprints
from fingerprint.text.letters import Letters
from storage.index.interface import FingerprintIndex, Hits
from tracker.alignment.text import ComparedText
from tracker.comparison.corpus import Corpus
from tracker.comparison.diagonals import Ints, lone, met_again, on_diagonals, places_of, with_shingles
from tracker.indexing.params import IndexParams

LONE_LETTERS = 250  # a page with fewer may be found by a single window
MAX_CANDIDATES = 1_000  # passages aligned for one page, the strongest first
PAGES = (
    100  # looked up at once: more are hardly quicker, and their answers fill memory until they are compared
)
MAX_TOGETHER = 100  # passages read for all pages of a batch: they fit into what a worker keeps
_LATIN_WINDOW, _LATIN_LETTERS = 32, 10  # letters, of which so many are Latin: written in pinyin on purpose
_SAME_HASH = 8  # places of a page at which one hash is looked up


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
        hits: of all candidates, by the letters that they are aligned by.
    """

    found: tuple[Candidate, ...]
    dropped: int = 0
    capped: int = 0
    hits: int = 0


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
        [_asked_of(page.han, corpus.params) for page in pages],
        corpus.index,
        corpus.params,
        letters=[len(page.han) for page in pages],
    )


def strongest(pages: Sequence[Candidates], count: int) -> list[int]:
    """Return the ids of the strongest candidates of some pages, the first of each page before any second."""
    ranks = zip_longest(*(candidates.found for candidates in pages))
    ids = (candidate.passage_id for rank in ranks for candidate in rank if candidate is not None)
    return list(islice(dict.fromkeys(ids), count))


def candidates_of(
    page: ComparedText, corpus: Corpus, *, candidates: Candidates | None = None, is_rest: bool = False
) -> Candidates:
    """Return the passages that may be in a page.

    Passages are indexed by their Han characters, so a page is looked up by its own; one with Latin pinyin in
    it also with that read as letters.

    Args:
        page: the page.
        corpus: what to look it up in.
        candidates: those that its Han letters led to, from :func:`look_up`; None: they are looked up now.
        is_rest: it is the rest of a page: menus have Latin words here and there, which are no pinyin, and
            only many of them at one place are read so.

    Raises:
        ServiceDown: the index does not answer.
    """
    by_han = candidates or _look_up_letters(page.han, corpus)
    if not page.has_latin or (is_rest and not _has_dense_latin(page)):
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
    dropped, capped = max(by_letters.dropped, by_han.dropped), max(by_letters.capped, by_han.capped)
    return Candidates(tuple(ranked), dropped, capped, by_letters.hits)


def _has_dense_latin(page: ComparedText) -> bool:
    """Return whether many letters at one place of a text are Latin; between few of them Han runs are left."""
    before = np.concatenate([[0], np.cumsum(page.latin)])
    window = min(_LATIN_WINDOW, len(page.latin))
    return int((before[window:] - before[: len(before) - window]).max()) >= _LATIN_LETTERS


def _look_up_letters(letters: Letters, corpus: Corpus) -> Candidates:
    asked = _asked_of(letters, corpus.params)
    return find_candidates(asked, corpus.index, corpus.params, letters=len(letters))


def _asked_of(letters: Letters, params: IndexParams) -> dict[str, Fingerprints]:
    """Return the fingerprints to look up for a page, each hash at few places."""
    return {params_id: without_repeats(prints) for params_id, prints in params.of_page(letters).items()}


def without_repeats(prints: Fingerprints) -> Fingerprints:
    """Leave out what a page says again and again, for it leads to the same passages each time.

    The first places of each hash stay, and its last one: a page is aligned from the first hit to the last.
    """
    order = np.argsort(prints.hashes, kind="stable")
    hashes = prints.hashes[order]
    again = np.zeros(len(hashes), dtype=bool)
    first = _SAME_HASH - 1
    again[first:-1] = (hashes[first:-1] == hashes[: max(0, len(hashes) - first - 1)]) & (
        hashes[first:-1] == hashes[first + 1 :]
    )
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
        letters: how many the page has; below ``LONE_LETTERS`` a single window is enough.

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
        _candidates(page, hits, params, own) for page, hits, own in zip(pages, answers, letters, strict=True)
    ]


def _candidates(
    fingerprints: Mapping[str, Fingerprints], answers: Mapping[str, Hits], params: IndexParams, letters: int
) -> Candidates:
    """Return the passages that enough hits speak for."""
    capped = sum(hits.capped for hits in answers.values())
    passages = np.concatenate([hits.passages for hits in answers.values()])
    if letters >= LONE_LETTERS and not met_again(passages).any():
        return Candidates((), capped=capped)  # most pages that copy nothing
    names = params.names
    places = {
        names[params_id]: places_of(fingerprints[params_id], hits, params.sizes[params_id])
        for params_id, hits in answers.items()
    }
    every = np.concatenate(list(places.values()), axis=1)
    strong = np.union1d(
        on_diagonals(every[:, met_again(every[0])]), with_shingles(places["shingle"], letters)
    )
    if letters < LONE_LETTERS:
        strong = np.union1d(strong, lone(answers.values(), strong))
    if len(strong) == 0:
        return Candidates((), capped=capped)
    ranked = sorted(_describe(strong, places), key=_rank)
    found = tuple(ranked[:MAX_CANDIDATES])
    hits = sum(candidate.strength for candidate in found)
    return Candidates(found, len(ranked) - len(found), capped, hits)


def _rank(candidate: Candidate) -> tuple[int, int]:
    """Return what candidates are sorted by: the strongest first."""
    return -candidate.strength, candidate.passage_id


def _describe(strong: Ints, places: Mapping[str, Ints]) -> list[Candidate]:
    """Return the candidates with what each method found and where in the page."""
    first = np.full(len(strong), np.iinfo(np.int64).max)
    last = np.zeros(len(strong), dtype=np.int64)
    anchors: dict[str, Ints] = {}
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
