"""Candidates: the passages that may be in a page, found by index hits.

A passage is a candidate if enough hits support it (:mod:`tracker.comparison.diagonals`). A short page with
scattered edits may have a single unchanged window, so the few passages with the rarest single windows are
candidates too. A candidate proves nothing yet: :mod:`tracker.alignment.align` compares the texts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest

import numpy as np
import numpy.typing as npt

from fingerprint.fingerprints import Fingerprints
from fingerprint.text.letters import Letters
from storage.index.interface import FingerprintIndex, Hits
from tracker.alignment.text import ComparedText
from tracker.comparison.changes import (
    changes_of,
    hits_at,
    near_changes,
    sources_without_latin,
    unchanged_hits,
)
from tracker.comparison.corpus import Corpus
from tracker.comparison.diagonals import (
    Ints,
    in_repeated_passages,
    on_diagonals,
    places_of,
    rare_window_passages,
    with_shingles,
)
from tracker.indexing.params import IndexParams

LONE_LETTERS = 250  # a page with fewer letters may be found by a single window
MAX_CANDIDATES = 1_000  # maximum number of passages that are aligned with a page, the strongest first
PAGES = 100  # pages looked up at once: with more, results fill the memory without a gain in speed
MAX_TOGETHER = 100  # passages read in advance for a batch of pages: they fit into the worker's cache
_LATIN_WINDOW, LATIN_LETTERS = 32, 10  # a window of 32 letters with 10 Latin letters is deliberate pinyin
_MAX_PLACES = 20_000  # maximum number of stored hits per page, of some 32 bytes each
_SAME_HASH = 8  # maximum number of positions of one hash that are looked up


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may be in the page.

    Attributes:
        passage_id: the passage.
        anchors: method name → number of distinct positions of the page that hit the passage.
        first, last: page letters of the first and the last hit.
    """

    passage_id: int
    anchors: Mapping[str, int]
    first: int
    last: int

    @property
    def strength(self) -> int:
        """The number of hits that support it."""
        return sum(self.anchors.values())


@dataclass(frozen=True, slots=True)
class Candidates:
    """All candidates of a page.

    Attributes:
        ranked: the candidates, the strongest first.
        dropped: candidates beyond the limit, not aligned.
        capped: looked-up hashes with more postings than the index returns.
        hits: number of hits of all candidates, by the letters that they are aligned by.
        places: the hits of its windows by method, see :func:`tracker.comparison.diagonals.places_of`; None if
            there are too many to keep.
    """

    ranked: tuple[Candidate, ...]
    dropped: int = 0
    capped: int = 0
    hits: int = 0
    places: Mapping[str, Ints] | None = field(default=None, compare=False)


def look_up(pages: Sequence[ComparedText], corpus: Corpus) -> list[Candidates]:
    """Return the candidates of each page, by its Han letters, with one query to the index.

    Args:
        pages: their texts; groups of ``PAGES`` are fastest.
        corpus: the corpus to search. Read its version before the call: later additions may be missed.

    Raises:
        IndexUnusable: the index was dropped.
    """
    return find_candidates_many(
        [_query_of(page.han, corpus.params) for page in pages],
        corpus.index,
        corpus.params,
        letters=[len(page.han) for page in pages],
    )


def strongest(pages: Sequence[Candidates], count: int) -> list[int]:
    """Return the ids of the strongest candidates of several pages, one page after another for each rank."""
    ranks = zip_longest(*(candidates.ranked for candidates in pages))
    ids = (candidate.passage_id for rank in ranks for candidate in rank if candidate is not None)
    return list(islice(dict.fromkeys(ids), count))


def candidates_of(
    page: ComparedText, corpus: Corpus, *, candidates: Candidates | None = None, is_rest: bool = False
) -> Candidates:
    """Return the passages that may be in a page.

    Passages are indexed by Han characters, so a page is looked up by its Han characters first. A page that
    contains Latin pinyin is looked up again with the pinyin read as letters.

    Args:
        page: the page.
        corpus: the corpus to search.
        candidates: from :func:`look_up` with its Han letters; None: look them up now.
        is_rest: the text is the rest of a page. Menus contain single Latin words that are not pinyin, so only
            dense Latin text is read as pinyin.
    """
    by_han = candidates or look_up_letters(page.han, corpus)
    if not page.has_latin or (is_rest and not page.has_dense_latin(_LATIN_WINDOW, LATIN_LETTERS)):
        return by_han
    by_letters = look_up_changed(page.letters, sources_without_latin(page.latin), by_han, corpus)
    places = np.searchsorted(page.letters.offsets, page.han.offsets)
    moved = [replace(c, first=int(places[c.first]), last=int(places[c.last])) for c in by_han.ranked]
    best: dict[int, Candidate] = {}
    for candidate in (*by_letters.ranked, *moved):
        other = best.get(candidate.passage_id, candidate)
        stronger = max(candidate, other, key=lambda either: either.strength)
        first, last = min(candidate.first, other.first), max(candidate.last, other.last)
        best[candidate.passage_id] = replace(stronger, first=first, last=last)
    ranked = sorted(best.values(), key=_rank)
    dropped, capped = max(by_letters.dropped, by_han.dropped), max(by_letters.capped, by_han.capped)
    return Candidates(tuple(ranked), dropped, capped, by_letters.hits, by_letters.places)


def look_up_letters(letters: Letters, corpus: Corpus) -> Candidates:
    """Return the candidates of a sequence of letters."""
    query = _query_of(letters, corpus.params)
    return find_candidates(query, corpus.index, corpus.params, letters=len(letters))


def look_up_changed(letters: Letters, sources: Ints, before: Candidates, corpus: Corpus) -> Candidates:
    """Return the candidates of letters that were mostly looked up before.

    The letters around the changes are looked up first. Everything is looked up only if their hits, together
    with the earlier ones, make a passage a possible candidate.

    Args:
        letters: of a text.
        sources: the letter in the earlier text behind each letter, −1 for none.
        before: candidates of the earlier text.
        corpus: the corpus to search.
    """
    changes = changes_of(sources)
    near = near_changes(changes, len(letters))
    if before.places is None or len(letters) < LONE_LETTERS or 2 * np.count_nonzero(near) > len(letters):
        return look_up_letters(letters, corpus)
    kept = {name: unchanged_hits(hits, sources, changes) for name, hits in before.places.items()}
    if not near.any():
        return _found(_passages_of(kept, len(letters)), kept, capped=before.capped)
    new = _hits_near(letters, near, corpus)
    places = {name: np.concatenate([hits, new[name]], axis=1) for name, hits in kept.items()}
    strong = _passages_of(places, len(letters))
    if np.isin(strong, np.concatenate([hits[0] for hits in new.values()])).any():
        return look_up_letters(letters, corpus)
    return _found(strong, places, capped=before.capped)


def _hits_near(letters: Letters, near: npt.NDArray[np.bool_], corpus: Corpus) -> dict[str, Ints]:
    """Return the hits of the windows over selected letters, by method."""
    around = Letters(letters.codes[near], letters.offsets[near], letters.length)
    query = _query_of(around, corpus.params, length=len(letters))
    answers = corpus.index.lookup({params_id: prints.hashes for params_id, prints in query.items()})
    where = np.flatnonzero(near)
    places = _places(query, answers, corpus.params)
    return {name: hits_at(hits, where[hits[1]]) for name, hits in places.items()}


def _query_of(letters: Letters, params: IndexParams, *, length: int = 0) -> dict[str, Fingerprints]:
    """Return the fingerprints to look up for a page, with a limited number of positions per hash."""
    prints = params.of_page(letters, length=length)
    return {params_id: without_repeats(fingerprints) for params_id, fingerprints in prints.items()}


def without_repeats(prints: Fingerprints) -> Fingerprints:
    """Drop repetitions of a hash on the page, because they hit the same passages each time.

    The first positions and the last one are kept: a page is aligned from the first hit to the last.
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
    remaining = np.sort(order[~again])
    return Fingerprints(prints.hashes[remaining], prints.positions[remaining])


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
        index: the index to search.
        params: the meaning of the parameter ids.
        letters: number of letters of the page; below ``LONE_LETTERS`` a single window is enough.
    """
    return find_candidates_many([fingerprints], index, params, letters=[letters])[0]


def find_candidates_many(
    pages: Sequence[Mapping[str, Fingerprints]],
    index: FingerprintIndex,
    params: IndexParams,
    *,
    letters: Sequence[int],
) -> list[Candidates]:
    """Look many pages up at once and return for each the result of :func:`find_candidates`.

    Args:
        pages: the fingerprints of each, by parameter id.
        index: the index to search.
        params: the meaning of the parameter ids.
        letters: number of letters of each page.
    """
    queries = [{params_id: prints.hashes for params_id, prints in page.items()} for page in pages]
    answers = index.lookup_many(queries)
    return [
        _candidates(page, hits, params, page_letters)
        for page, hits, page_letters in zip(pages, answers, letters, strict=True)
    ]


def _candidates(
    fingerprints: Mapping[str, Fingerprints], answers: Mapping[str, Hits], params: IndexParams, letters: int
) -> Candidates:
    capped = sum(hits.capped for hits in answers.values())
    places = _places(fingerprints, answers, params)
    strong = _passages_of(places, letters)
    if letters < LONE_LETTERS:
        strong = np.union1d(strong, rare_window_passages(answers.values(), strong))
    return _found(strong, places, capped=capped)


def _found(strong: Ints, places: Mapping[str, Ints], *, capped: int) -> Candidates:
    """Return passages as the candidates of a page.

    Args:
        strong: the passages.
        places: the hits of the page's windows, by method.
        capped: hashes with more postings than were returned.
    """
    kept = places if sum(hits.shape[1] for hits in places.values()) <= _MAX_PLACES else None
    if len(strong) == 0:
        return Candidates((), capped=capped, places=kept)  # most pages without copies end here
    ranked = sorted(_describe(strong, places), key=_rank)
    best = tuple(ranked[:MAX_CANDIDATES])
    hits = sum(candidate.strength for candidate in best)
    return Candidates(best, len(ranked) - len(best), capped, hits, kept)


def _places(
    fingerprints: Mapping[str, Fingerprints], answers: Mapping[str, Hits], params: IndexParams
) -> dict[str, Ints]:
    """Return the hits of a page's windows, by method, see :func:`.diagonals.places_of`."""
    names = params.names
    return {
        names[params_id]: places_of(fingerprints[params_id], hits, params.sizes[params_id])
        for params_id, hits in answers.items()
    }


def _passages_of(places: Mapping[str, Ints], letters: int) -> Ints:
    """Return the passages that enough hits support."""
    every = np.concatenate(list(places.values()), axis=1)
    again = in_repeated_passages(every[0])
    if not again.any():
        return every[0, :0]
    return np.union1d(on_diagonals(every[:, again]), with_shingles(places["shingle"], letters))


def _rank(candidate: Candidate) -> tuple[int, int]:
    """Return the sort key of candidates, the strongest first."""
    return -candidate.strength, candidate.passage_id


def _describe(strong: Ints, places: Mapping[str, Ints]) -> list[Candidate]:
    """Return the candidates with the hits of each method and their positions on the page."""
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
