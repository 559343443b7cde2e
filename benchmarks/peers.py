"""Popular libraries with the benchmark's interface: datasketch, rensa and the package ``simhash``.

Each library is used as its documentation shows it. The two MinHash libraries use character 5-grams and 128
permutations, with an LSH index at a Jaccard similarity of 0.5. SimHash uses jieba's words with their counts,
and a Hamming distance of 3. rjieba segments the text ten times as fast as jieba, so the times of SimHash are
the best possible ones. All libraries get the text in NFKC without white space. None of them folds traditional
characters.
"""

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from datasketch import MinHash, MinHashLSH
from rensa import RMinHash, RMinHashLSH
from simhash import Simhash, SimhashIndex
from support.changed.texts import Passage

from benchmarks.finders import Group, pages_of
from fingerprint.text.normal import normal_form
from system.segmentation import segmenter

GRAM = 5
PERMUTATIONS = 128
THRESHOLD = 0.5
BANDS = 32  # rensa accepts only divisors of 128; 32 bands of 4 rows find more than 16 bands of 8 rows
DISTANCE_BITS = 3
_SEED = 42
_LETTER = re.compile(r"\w")  # without this filter, the frequent punctuation would decide every bit

logging.getLogger("simhash").setLevel(logging.ERROR)  # it warns about large buckets on every query


def grams(text: str) -> list[str]:
    """Return the runs of five characters of the normalised text."""
    plain = normal_form(text)
    return [plain[start : start + GRAM] for start in range(len(plain) - GRAM + 1)]


@dataclass(slots=True)
class Datasketch:
    """The classes MinHash and MinHashLSH of datasketch."""

    name: str = "datasketch"
    group: Group = "peer"
    _passages: list[int] = field(default_factory=list)
    _index: MinHashLSH = field(default_factory=lambda: MinHashLSH(THRESHOLD, PERMUTATIONS))

    def fingerprint(self, text: str) -> MinHash:
        """Return the signature."""
        signature = MinHash(PERMUTATIONS)
        signature.update_batch([gram.encode() for gram in grams(text)])
        return signature

    def add(self, passages: Iterable[Passage]) -> None:
        """Add the pages of passages."""
        for passage_id, page in pages_of(passages):
            self._index.insert(len(self._passages), self.fingerprint(page.text), check_duplication=False)
            self._passages.append(passage_id)

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages with a page that the index returns."""
        return {self._passages[number] for number in self._index.query(self.fingerprint(text))}

    def index_bytes(self) -> int:
        """Return 0, because the size of dictionaries of sets is unknown."""
        return 0


@dataclass(slots=True)
class Rensa:
    """The classes RMinHash and RMinHashLSH of rensa."""

    name: str = "rensa"
    group: Group = "peer"
    _passages: list[int] = field(default_factory=list)
    _index: RMinHashLSH = field(default_factory=lambda: RMinHashLSH(THRESHOLD, PERMUTATIONS, BANDS))

    def fingerprint(self, text: str) -> RMinHash:
        """Return the signature."""
        signature = RMinHash(PERMUTATIONS, _SEED)
        signature.update(grams(text))
        return signature

    def add(self, passages: Iterable[Passage]) -> None:
        """Add the pages of passages."""
        for passage_id, page in pages_of(passages):
            self._index.insert(len(self._passages), self.fingerprint(page.text))
            self._passages.append(passage_id)

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages with a page that the index returns."""
        return {self._passages[number] for number in self._index.query(self.fingerprint(text))}

    def index_bytes(self) -> int:
        """Return 0, because the size of maps in Rust is unknown."""
        return 0


@dataclass(slots=True)
class SimhashPackage:
    """The classes Simhash and SimhashIndex of the package ``simhash``, with jieba's words."""

    name: str = "simhash package"
    group: Group = "peer"
    _passages: list[int] = field(default_factory=list)
    _index: SimhashIndex = field(default_factory=lambda: SimhashIndex([], k=DISTANCE_BITS))

    def fingerprint(self, text: str) -> Simhash:
        """Return the signature of 64 bits."""
        # Pass repeated words instead of counts. With NumPy 2, counts above 50 overflow in the package.
        words = segmenter().cut(normal_form(text))
        return Simhash([word for word in words if _LETTER.search(word)])

    def add(self, passages: Iterable[Passage]) -> None:
        """Add the pages of passages."""
        for passage_id, page in pages_of(passages):
            self._index.add(str(len(self._passages)), self.fingerprint(page.text))
            self._passages.append(passage_id)

    def find(self, text: str) -> set[int]:
        """Return the ids of the passages with a page that the index returns."""
        near = self._index.get_near_dups(self.fingerprint(text))
        return {self._passages[int(number)] for number in near}

    def index_bytes(self) -> int:
        """Return 0, because the size of dictionaries of strings is unknown."""
        return 0
