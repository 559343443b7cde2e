"""A simple baseline: all runs of 12 characters of the mother corpus in one sorted array, without selection.

It shows the results of a copy detector that stores everything and tolerates no change. A large corpus would
need too much memory. (Another simple baseline, MD5 of the whole text, is a method of ``fingerprint/``.)
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from support.changed.texts import Passage

from benchmarks.finders import Group
from fingerprint.mixing import Hashes, mix64
from fingerprint.text.letters import code_points
from fingerprint.text.normal import normal_form

SIZE = 12
MIN_SHARED = 3  # minimum number of shared runs, because a shared proverb of 13 characters is not a copy
POSTING_BYTES = 12
_FACTOR = 0x9E3779B97F4A7C15


def gram_hashes(text: str) -> Hashes:
    """Return the hash of every run of ``SIZE`` characters of the normalised text: shape (n − 11,)."""
    points = code_points(normal_form(text)).astype(np.uint64)
    count = max(0, len(points) - SIZE + 1)
    hashes = np.zeros(count, dtype=np.uint64)
    for index in range(SIZE):
        hashes *= np.uint64(_FACTOR)
        hashes += points[index : index + count]
    return mix64(hashes)


@dataclass(slots=True)
class ExactGrams:
    """Index from runs of 12 characters to passages."""

    name: str = "12-grams"
    group: Group = "baseline"
    _grams: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    _passages: npt.NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, dtype=np.uint32))

    def fingerprint(self, text: str) -> Hashes:
        """Return the hashes of the distinct runs."""
        return np.unique(gram_hashes(text))

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages to the index."""
        grams, ids = [self._grams], [self._passages]
        for passage in passages:
            hashes = self.fingerprint(passage.text)
            grams.append(hashes)
            ids.append(np.full(len(hashes), passage.id, dtype=np.uint32))
        all_grams = np.concatenate(grams)
        order = np.argsort(all_grams, kind="stable")
        self._grams, self._passages = all_grams[order], np.concatenate(ids)[order]

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages that share at least ``MIN_SHARED`` runs with a text."""
        hashes = self.fingerprint(text)
        starts = np.searchsorted(self._grams, hashes, side="left")
        lengths = np.searchsorted(self._grams, hashes, side="right") - starts
        rows = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(int(lengths.sum()))
        passages, counts = np.unique(self._passages[rows], return_counts=True)
        return set(passages[counts >= MIN_SHARED].tolist())

    def index_bytes(self) -> int:
        """Return the size of the postings in bytes."""
        return POSTING_BYTES * len(self._grams)
