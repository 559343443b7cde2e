"""I-Match: one SHA-1 per text over its terms of medium rarity.

Chowdhury, Frieder, Grossman and McCabe, "Collection statistics for fast duplicate document detection", ACM
TOIS 20(2), 2002. From a text's distinct terms, keep those whose IDF is neither too low (function words, which
every text has) nor too high (misprints, names that occur once). Sort them, join them, and take the SHA-1.
Texts with the same digest are duplicates: one look-up per text, for any size of the collection.

nidf(w) = ln((N + 1)/(n_w + 1)) / ln(N + 1): 0 for a word in all documents, 1 for a word in none. Which range
is medium depends on the collection, so it is a parameter; pindna's default is 0.3 to 0.8. Without a corpus
all words of two and more characters are kept.

Not in the paper: the separator between joined terms (here a line feed). Also, a text that keeps fewer than
``fewest`` terms has no signature here, because a digest of two or three terms makes unrelated texts equal. On
its brittleness (one edited term changes the digest): Kołcz, Chowdhury and Alspector, "Improved robustness of
signature-based near-replica detection via lexicon randomization", 2004.

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
    """Return how rare a word is: 0 (in all documents) to 1 (in none), and 1 without a measured corpus.

    >>> from fingerprint.idf import learn
    >>> idf = learn("demo", [["青灯", "渡口"], ["青灯"], ["青灯"]])
    >>> [round(normalised_idf(word, idf), 6) for word in ("青灯", "渡口", "缆绳")]
    [0.0, 0.5, 1.0]
    """
    return min(1.0, (idf(word) - 1) / math.log(idf.documents + 1)) if idf.documents else 1.0


def medium_rarity(words: Iterable[str], idf: Idf, *, low: float, high: float) -> list[str]:
    """Return the distinct words of medium rarity, sorted by code points.

    >>> medium_rarity(["青灯", "的", "渡口", "青灯"], FLAT, low=0.3, high=0.8)
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
        fewest: minimum number of terms for a signature, at least 1.
        words_id: name of the segmenter.

    Raises:
        ValueError: a parameter is out of range.
    """

    idf: Idf = FLAT
    low: float = 0.3
    high: float = 0.8
    fewest: int = 5
    words_id: str = "jieba1"

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high <= 1:
            raise ValueError(f"low and high must rise between 0 and 1, not {self.low} and {self.high}")
        if self.fewest < 1:
            raise ValueError(f"fewest must be at least 1, not {self.fewest}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "i-match"

    @property
    def params_id(self) -> str:
        """Id of everything that changes a stored hash."""
        return f"imatch1-{self.low:g}-{self.high:g}-{self.fewest}-{self.words_id}-{self.idf.name}"

    @property
    def threshold(self) -> float:
        """1, because digests are equal or not."""
        return 1.0

    def fingerprint(self, views: Views) -> bytes:
        """Return the SHA-1; empty if there are too few terms."""
        terms = medium_rarity(views.words, self.idf, low=self.low, high=self.high)
        return digest("\n".join(terms), "sha1") if len(terms) >= self.fewest else b""

    def similarity(self, first: bytes, second: bytes) -> float:
        """Return 1 for equal digests, else 0."""
        return float(bool(first) and first == second)

    def keys(self, fingerprint: bytes) -> Hashes:
        """Return the digest's first 8 bytes."""
        return digest_keys(fingerprint)
