"""The benchmark's interface to every method, and a baseline: add a corpus, find the passages a page copies.

Each method has a rule that decides which passages it finds. DNA and letter shingles use the tracker's rule
for candidates. The whole comparison uses the verdict of ``pindna check``. All other methods of
``fingerprint/`` need a shared key and a similarity above the method's threshold. Peers return the results of
the library's index.

Methods that compare whole texts store the passages in pages of 3,000 characters. The questions are such pages
too. So each question begins and ends where a stored text does, which is the best case for these methods.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt
from support.changed.texts import Page, Passage, cut_pages

from fingerprint.mixing import Hashes, mix64
from fingerprint.text.letters import code_points
from fingerprint.text.normal import normal_form

SIZE = 12
MIN_SHARED = 3  # runs of 12: a shared proverb of 13 characters is not a copy
POSTING_BYTES = 12
_FACTOR = 0x9E3779B97F4A7C15

Group = Literal["pindna", "method", "peer", "baseline"]


class Finder(Protocol):
    """A method together with its index."""

    @property
    def name(self) -> str:
        """Name of the method in tables."""

    @property
    def group(self) -> Group:
        """Kind of method: pindna's search, another method of pindna, a peer, or a baseline."""

    def fingerprint(self, text: str) -> object:
        """Return the method's fingerprint of a text. The benchmark measures the time of this call."""

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages to the index and make it ready for queries."""

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages that the page copies, according to the method."""

    def index_bytes(self) -> int:
        """Return the size of the index in bytes; 0 if it is unknown."""


def pages_of(passages: Iterable[Passage]) -> Iterator[tuple[int, Page]]:
    """Yield (passage id, page) for each page of each passage, for methods that compare whole texts."""
    for passage in passages:
        for page in cut_pages(passage.source):
            yield passage.id, page


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
    """A simple baseline: all runs of 12 characters of the corpus in one sorted array, without selection.

    It shows the results of a copy detector that stores everything and tolerates no change; a large corpus
    would need too much memory. (The other baseline, MD5 of the whole text, is a method of ``fingerprint/``.)
    """

    name: str = "12-grams"
    group: Group = "baseline"
    _grams: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    _passages: npt.NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, dtype=np.uint32))

    def fingerprint(self, text: str) -> Hashes:
        """Return the hashes of the distinct runs."""
        return np.unique(gram_hashes(text))

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages."""
        grams, ids = [self._grams], [self._passages]
        for passage in passages:
            hashes = self.fingerprint(passage.text)
            grams.append(hashes)
            ids.append(np.full(len(hashes), passage.id, dtype=np.uint32))
        together = np.concatenate(grams)
        order = np.argsort(together, kind="stable")
        self._grams, self._passages = together[order], np.concatenate(ids)[order]

    def find(self, text: str) -> set[int]:
        """Return the passages that share at least ``MIN_SHARED`` runs."""
        hashes = self.fingerprint(text)
        starts = np.searchsorted(self._grams, hashes, side="left")
        lengths = np.searchsorted(self._grams, hashes, side="right") - starts
        rows = np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(int(lengths.sum()))
        passages, counts = np.unique(self._passages[rows], return_counts=True)
        return set(passages[counts >= MIN_SHARED].tolist())

    def index_bytes(self) -> int:
        """Return the bytes of the postings."""
        return POSTING_BYTES * len(self._grams)
