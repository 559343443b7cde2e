"""All other methods of ``fingerprint/`` with the benchmark's interface: an index of their candidate keys.

The index consists of two sorted arrays, with 12 bytes per key (hash and page). The similarity of a page is
computed only for the ``VERIFIED`` candidates with most shared keys. Only methods that compare single words
have more candidates, because all texts share some words.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from support.changed.texts import Passage

from benchmarks.finders import Group, pages_of
from fingerprint.idf import Idf, learn_idf
from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.registry import methods
from fingerprint.text.views import Cut, Views
from tracker.indexing.params import DEFAULT_PARAMS

VERIFIED = 100
KEY_BYTES = 12
_IDF_CHARS = 500_000


@dataclass(slots=True)
class KeyIndex:
    """One method with the keys and fingerprints of the pages of a corpus.

    Attributes:
        method: the method.
        cut: the word segmenter.
        label: name for tables; empty for the name of the method.
    """

    method: Method[Any]
    cut: Cut
    group: Group = "method"
    label: str = ""
    _fingerprints: list[Any] = field(default_factory=list)
    _passages: list[int] = field(default_factory=list)
    _keys: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    _pages: npt.NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, dtype=np.uint32))

    @property
    def name(self) -> str:
        """The label; without a label, the name of the method."""
        return self.label or self.method.name

    def fingerprint(self, text: str) -> object:
        """Return the method's fingerprint of a text; its views are computed again at each call."""
        return self.method.fingerprint(Views(text, cut=self.cut))

    def add(self, passages: Iterable[Passage]) -> None:
        """Add passages to the index, each as a page."""
        keys, numbers = [self._keys], [self._pages]
        for passage_id, page in pages_of(passages):
            fingerprint = self.method.fingerprint(Views(page.text, cut=self.cut))
            page_keys = self.method.keys(fingerprint)
            keys.append(page_keys)
            numbers.append(np.full(len(page_keys), len(self._passages), dtype=np.uint32))
            self._fingerprints.append(fingerprint)
            self._passages.append(passage_id)
        all_keys, pages = np.concatenate(keys), np.concatenate(numbers)
        order = np.argsort(all_keys, kind="stable")
        self._keys, self._pages = all_keys[order], pages[order]

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages with a page that shares a key and is similar enough."""
        query = self.method.query(Views(text, cut=self.cut))
        return {
            self._passages[page]
            for page in self._candidates(self.method.keys(query))
            if self.method.similarity(query, self._fingerprints[page]) >= self.method.threshold
        }

    def index_bytes(self) -> int:
        """Return the size of the keys in bytes, without the fingerprints."""
        return KEY_BYTES * len(self._keys)

    def _candidates(self, keys: Hashes) -> list[int]:
        """Return the numbers of the pages that share keys, pages with most shared keys first."""
        starts = np.searchsorted(self._keys, keys, side="left")
        ends = np.searchsorted(self._keys, keys, side="right")
        shared = [self._pages[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        counts = np.bincount(np.concatenate([*shared, np.empty(0, dtype=np.uint32)]))
        best = np.argsort(-counts, kind="stable")[:VERIFIED]
        return [int(page) for page in best if counts[page]]


def registry_indexes(passages: Iterable[Passage], cut: Cut) -> tuple[KeyIndex, ...]:
    """Return all methods of the registry except DNA and letter shingles, with word weights of the corpus.

    Args:
        passages: passages; word frequencies are measured in their first pages.
        cut: the word segmenter.
    """
    idf = corpus_weights(passages, cut)
    tracker_methods = set(DEFAULT_PARAMS.names.values())
    return tuple(KeyIndex(method, cut) for method in methods(idf=idf) if method.name not in tracker_methods)


def corpus_weights(passages: Iterable[Passage], cut: Cut) -> Idf:
    """Return the word frequencies of the first pages of a mother corpus."""
    documents, total = [], 0
    for _, page in pages_of(passages):
        documents.append(Views(page.text, cut=cut).words)
        total += len(page.text)
        if total >= _IDF_CHARS:
            break
    return learn_idf("benchmark", documents)
