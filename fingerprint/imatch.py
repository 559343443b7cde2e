"""I-Match: one SHA-1 digest of a text's words of medium rarity.

Chowdhury, Frieder, Grossman and McCabe, "Collection statistics for fast duplicate document detection", ACM
TOIS 20(2), 2002. From a text's distinct terms, the method keeps the terms whose IDF is neither too low
(function words, which every text contains) nor too high (misprints, and names that occur once). It sorts the
terms, joins them, and takes the SHA-1. Texts with the same digest are duplicates. So a text needs only one
look-up, for any size of the collection.

nidf(w) = ln((N + 1)/(n_w + 1)) / ln(N + 1): 0 for a word in all documents, 1 for a word in none. Which range
is medium depends on the collection, so it is a parameter; pindna's default is 0.3 to 0.8. Without a corpus,
all words of two or more characters are kept.

The paper does not specify the separator between joined terms; here it is a line feed. A text with fewer than
``min_terms`` terms gets no signature here, because unrelated texts may have the same two or three terms. One
edited term changes the digest; see Kołcz, Chowdhury and Alspector, "Improved robustness of signature-based
near-replica detection via lexicon randomization", 2004.

Complexity: O(words · log words) per text.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from fingerprint.exact import digest, digest_keys
from fingerprint.idf import FLAT, Idf
from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.text.views import Views

_MIN_CHARS = 2


def normalised_idf(word: str, idf: Idf) -> float:
    """Return the rarity of a word: 0 if all documents contain it, 1 if none does; always 1 without a corpus.

    >>> from fingerprint.idf import learn_idf
    >>> idf = learn_idf("demo", [["青灯", "渡口"], ["青灯"], ["青灯"]])
    >>> [round(normalised_idf(word, idf), 6) for word in ("青灯", "渡口", "缆绳")]
    [0.0, 0.5, 1.0]
    """
    return min(1.0, (idf(word) - 1) / math.log(idf.documents + 1)) if idf.documents else 1.0


def words_of_medium_rarity(words: Iterable[str], idf: Idf, *, low: float, high: float) -> list[str]:
    """Return the distinct words of medium rarity, sorted by code points.

    >>> words_of_medium_rarity(["青灯", "的", "渡口", "青灯"], FLAT, low=0.3, high=0.8)
    ['渡口', '青灯']
    """
    if not idf.documents:
        return sorted({word for word in words if len(word) >= _MIN_CHARS})
    return sorted({word for word in words if low <= normalised_idf(word, idf) <= high})


@dataclass(frozen=True, slots=True, kw_only=True)
class IMatch(Method[bytes]):
    """Texts are duplicates when their terms of medium rarity are the same.

    Attributes:
        idf: the word frequencies of the collection, measured with the same segmenter.
        low: the lowest normalised IDF that is kept.
        high: the highest normalised IDF that is kept.
        min_terms: minimum number of terms for a signature, at least 1.
        words_id: name of the segmenter.

    Raises:
        ValueError: a parameter is out of range.
    """

    idf: Idf = FLAT
    low: float = 0.3
    high: float = 0.8
    min_terms: int = 5
    words_id: str = "jieba1"

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high <= 1:
            raise ValueError(f"low and high must satisfy 0 ≤ low ≤ high ≤ 1, not {self.low} and {self.high}")
        if self.min_terms < 1:
            raise ValueError(f"min_terms must be at least 1, not {self.min_terms}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "i-match"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"imatch1-{self.low:g}-{self.high:g}-{self.min_terms}-{self.words_id}-{self.idf.name}"

    @property
    def threshold(self) -> float:
        """Always 1, because two digests are either equal or different."""
        return 1.0

    def fingerprint(self, views: Views) -> bytes:
        """Return the SHA-1 of the terms; empty if there are too few terms."""
        terms = words_of_medium_rarity(views.words, self.idf, low=self.low, high=self.high)
        return digest("\n".join(terms), "sha1") if len(terms) >= self.min_terms else b""

    def similarity(self, first: bytes, second: bytes) -> float:
        """Return 1 for equal digests, else 0."""
        return float(bool(first) and first == second)

    def keys(self, fingerprint: bytes) -> Hashes:
        """Return the digest's first 8 bytes."""
        return digest_keys(fingerprint)
