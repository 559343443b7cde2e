"""Texts as weighted words: the bag of words for SimHash, hyperplanes, keywords, SCAM and cosine.

Salton, Wong and Yang, "A vector space model for automatic indexing", 1975. Each word is a dimension; its
weight is its frequency in the text times its rarity (TF-IDF). Words are stored as stable 64-bit hashes: among
100,000 words, the probability of any collision is 3 in ten thousand million.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fingerprint.idf import FLAT, Idf
from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.sets import string_hashes
from fingerprint.text.views import Views

Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class WordVector:
    """Weighted words of one text.

    Attributes:
        hashes: shape (n,), ``uint64``, distinct, ascending: the words.
        weights: shape (n,), ``float64``, positive.
        rarest: shape (k,), ``uint64``, distinct, ascending: the words that are keys in an index.
    """

    hashes: Hashes
    weights: Weights
    rarest: Hashes

    def __len__(self) -> int:
        return len(self.hashes)


def word_counts(words: Iterable[str]) -> dict[str, float]:
    """Return how often each word occurs.

    >>> word_counts(["渡口", "青灯", "渡口"])
    {'渡口': 2.0, '青灯': 1.0}
    """
    return {word: float(count) for word, count in Counter(words).items()}


def word_weights(words: Iterable[str], idf: Idf) -> dict[str, float]:
    """Return TF-IDF: how often each word occurs, times how rare it is.

    >>> from fingerprint.idf import FLAT
    >>> word_weights(["渡口", "青灯", "渡口"], FLAT)
    {'渡口': 2.0, '青灯': 1.0}
    """
    return {word: count * idf(word) for word, count in Counter(words).items()}


def word_vector(weights: Mapping[str, float], idf: Idf, *, indexed: int = 0) -> WordVector:
    """Return weighted words as arrays.

    Args:
        weights: word → weight.
        idf: rarity of words. Among equally rare words the longer one comes first. Words outside the corpus
            come last, because in an edited text they are mostly results of the edits.
        indexed: number of the rarest words that become keys; 0 for all.

    >>> len(word_vector({"渡口": 2.0, "青灯": 1.0}, FLAT, indexed=1).rarest)
    1
    """
    words = list(weights)
    hashes = string_hashes(words)
    order = np.argsort(hashes)
    values = np.fromiter(weights.values(), dtype=np.float64, count=len(words))
    keys = hashes
    if indexed:
        keys = hashes[sorted(range(len(words)), key=lambda number: _commonness(words[number], idf))[:indexed]]
    return WordVector(hashes[order], values[order], np.sort(keys))


def _commonness(word: str, idf: Idf) -> tuple[bool, float, int, str]:
    return idf.documents > 0 and word not in idf.counts, -idf(word), -len(word), word


def in_common(first: WordVector, second: WordVector) -> tuple[Weights, Weights]:
    """Return the weights of the words that both texts contain, in the same order: shape (m,) each.

    >>> first, second = word_vector({"渡口": 2.0, "青灯": 1.0}, FLAT), word_vector({"渡口": 3.0}, FLAT)
    >>> [weights.tolist() for weights in in_common(first, second)]
    [[2.0], [3.0]]
    """
    _, in_first, in_second = np.intersect1d(
        first.hashes, second.hashes, assume_unique=True, return_indices=True
    )
    return first.weights[in_first], second.weights[in_second]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMethod(Method[WordVector]):
    """A method on TF-IDF vectors, indexed by their rarest words.

    Attributes:
        min_similarity: similarity from which texts count as duplicates.
        idf: word frequencies (IDF), measured with the same segmenter; also determines the keys.
        words_id: name of the segmenter.
        indexed: number of the rarest words that become keys; 0 for all.

    Raises:
        ValueError: a parameter is out of range.
    """

    min_similarity: float
    idf: Idf = FLAT
    words_id: str = "jieba1"
    indexed: int = 32

    def __post_init__(self) -> None:
        if not 0 < self.min_similarity <= 1 or self.indexed < 0:
            raise ValueError(
                "min_similarity must be in (0, 1] and indexed not negative: "
                f"{self.min_similarity}, {self.indexed}"
            )

    @property
    def params_id(self) -> str:
        """Id of everything that changes a stored hash."""
        return f"{self.name}1-{self.words_id}-{self.idf.name}-{self.indexed}"

    @property
    def threshold(self) -> float:
        """The parameter ``min_similarity``."""
        return self.min_similarity

    def fingerprint(self, views: Views) -> WordVector:
        """Return how often each word occurs, times how rare it is."""
        return word_vector(word_weights(views.words, self.idf), self.idf, indexed=self.indexed)

    def keys(self, fingerprint: WordVector) -> Hashes:
        """Return the rarest words."""
        return fingerprint.rarest
