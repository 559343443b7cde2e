"""Inverse document frequencies (IDF): how rare words are in a corpus.

idf(w) = ln((N + 1) / (n_w + 1)) + 1, where n_w of N documents contain w (the smoothed form of scikit-learn).
It is always positive, and finite even for words that no document contains. The original definition (Sparck
Jones, "A statistical interpretation of term specificity", 1972) is ln(N / n_w). It is undefined for new
words, and 0 for words in all documents.

:data:`FLAT` gives every word the weight 1. If users have no corpus, pindna uses jieba's table.
The package ``system`` loads that table (:mod:`system.word_frequencies`), because this package reads no files.

Complexity: O(words) for counting, O(1) for a look-up.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True, eq=False)
class Idf:
    """Document frequencies of a corpus.

    Attributes:
        name: part of stored parameter ids; another corpus or segmenter needs another name.
        documents: N, the number of documents.
        counts: word → n_w, the number of documents that contain it.
        unknown: n_w of every word without a count. It is 0 if all words were counted. For a table that omits
            words, such as jieba's, it is the assumed count of omitted words.

    Raises:
        ValueError: a word's count is below 1 or above ``documents``, or a number is negative.
    """

    name: str
    documents: int
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    unknown: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.unknown <= self.documents:
            raise ValueError(f"unknown must be between 0 and {self.documents}, not {self.unknown}")
        if self.documents < 0 or any(not 1 <= count <= self.documents for count in self.counts.values()):
            raise ValueError(f"document counts must be between 1 and {self.documents}")

    def __call__(self, word: str) -> float:
        """Return the weight of a word: 1 to ln(N + 1) + 1.

        >>> idf = learn_idf("demo", [["青灯", "渡口"], ["青灯"]])
        >>> idf("青灯"), round(idf("渡口"), 4), round(idf("缆绳"), 4)
        (1.0, 1.4055, 2.0986)
        """
        return math.log((self.documents + 1) / (self.counts.get(word, self.unknown) + 1)) + 1

    def document_share(self, word: str) -> float:
        """Return the share of documents that contain the word: 0 to 1; 0 without documents."""
        return self.counts.get(word, self.unknown) / self.documents if self.documents else 0.0


FLAT = Idf("flat", 0)


def learn_idf(name: str, documents: Iterable[Iterable[str]]) -> Idf:
    """Return the document frequencies of a corpus; each document is an iterable of words, read once.

    >>> learn_idf("demo", [["青灯", "渡口", "青灯"], ["青灯"]]).counts["青灯"]
    2
    """
    counts: Counter[str] = Counter()
    read = 0
    for words in documents:
        counts.update(set(words))
        read += 1
    return Idf(name, read, MappingProxyType(dict(counts)))
