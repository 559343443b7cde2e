"""Texts as weighted words (bags of words), for SimHash, hyperplanes, keywords, SCAM and cosine.

Salton, Wong and Yang, "A vector space model for automatic indexing", 1975. Each word is a dimension; its
weight is its frequency in the text times its rarity (TF-IDF). Words are stored as stable 64-bit hashes. The
probability that any two of 100,000 words have the same hash is 3 · 10⁻¹⁰.
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
        rarest: shape (k,), ``uint64``, distinct, ascending: the rarest words, which are the keys in an index.
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
    """Return the TF-IDF weight of each word: the number of its occurrences times its IDF.

    >>> from fingerprint.idf import FLAT
    >>> word_weights(["渡口", "青灯", "渡口"], FLAT)
    {'渡口': 2.0, '青灯': 1.0}
    """
    return {word: count * idf(word) for word, count in Counter(words).items()}


def word_vector(weights: Mapping[str, float], idf: Idf, *, key_count: int = 0) -> WordVector:
    """Return weighted words as arrays.

    Args:
        weights: word → weight.
        idf: rarity of words. Of equally rare words, longer ones become keys first. Words outside the corpus
            become keys last, because in an edited text most of them result from the edits.
        key_count: number of the rarest words that become keys; 0 for all.

    >>> len(word_vector({"渡口": 2.0, "青灯": 1.0}, FLAT, key_count=1).rarest)
    1
    """
    words = list(weights)
    hashes = string_hashes(words)
    order = np.argsort(hashes)
    values = np.fromiter(weights.values(), dtype=np.float64, count=len(words))
    keys = hashes
    if key_count:
        keys = hashes[
            sorted(range(len(words)), key=lambda number: _rarity_order(words[number], idf))[:key_count]
        ]
    return WordVector(hashes[order], values[order], np.sort(keys))


def _rarity_order(word: str, idf: Idf) -> tuple[bool, float, int, str]:
    """Return a sort key that is smallest for the rarest word."""
    return idf.documents > 0 and word not in idf.counts, -idf(word), -len(word), word


def common_weights(first: WordVector, second: WordVector) -> tuple[Weights, Weights]:
    """Return the weights of the words that both texts contain, in the same order: shape (m,) each.

    >>> first, second = word_vector({"渡口": 2.0, "青灯": 1.0}, FLAT), word_vector({"渡口": 3.0}, FLAT)
    >>> [weights.tolist() for weights in common_weights(first, second)]
    [[2.0], [3.0]]
    """
    _, in_first, in_second = np.intersect1d(
        first.hashes, second.hashes, assume_unique=True, return_indices=True
    )
    return first.weights[in_first], second.weights[in_second]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordMethod(Method[WordVector]):
    """A method that compares TF-IDF vectors. The rarest words of a text are its keys.

    Attributes:
        min_similarity: minimum similarity of duplicates.
        idf: word frequencies (IDF), measured with the same segmenter; also determines the keys.
        words_id: name of the segmenter.
        key_count: number of the rarest words that become keys; 0 for all.

    Raises:
        ValueError: a parameter is out of range.
    """

    min_similarity: float
    idf: Idf = FLAT
    words_id: str = "jieba1"
    key_count: int = 32

    def __post_init__(self) -> None:
        if not 0 < self.min_similarity <= 1 or self.key_count < 0:
            raise ValueError(
                "min_similarity must be in (0, 1] and key_count not negative: "
                f"{self.min_similarity}, {self.key_count}"
            )

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"{self.name}1-{self.words_id}-{self.idf.name}-{self.key_count}"

    @property
    def threshold(self) -> float:
        """The parameter ``min_similarity``."""
        return self.min_similarity

    def fingerprint(self, views: Views) -> WordVector:
        """Return the TF-IDF vector of the text's words."""
        return word_vector(word_weights(views.words, self.idf), self.idf, key_count=self.key_count)

    def keys(self, fingerprint: WordVector) -> Hashes:
        """Return the rarest words."""
        return fingerprint.rarest
