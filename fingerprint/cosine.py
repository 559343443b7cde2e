"""Vector space: the cosine of the angle between two texts as TF-IDF vectors.

cos(A, B) = Σ aᵢ·bᵢ / (‖A‖·‖B‖): 1 for texts with the same words in the same proportion, 0 for texts without a
common word. Word order has no effect. Salton, Wong and Yang, 1975; IDF as in :mod:`fingerprint.idf`, measured
in the user's corpus.

Two published examples are often mixed up:

* 句子A “我喜欢看电视，不喜欢看电影”, 句子B “我不喜欢看电视，也不喜欢看电影”, with the vectors
  (1,2,2,1,1,1,0) and (1,2,2,1,1,2,1): 13/√192 = 0.938 (Ruan Yifeng, “TF-IDF与余弦相似性的应用（二）”,
  2013).
* 句子A “这只皮靴号码大了。那只号码合适”, 句子B “这只皮靴号码不小，那只更合适”: with jieba's words, without
  punctuation, 10/√154 = 0.806, printed as 0.81. With 大了 and 那只 as words it is 6/√72 = 0.707, so the
  figure depends on the segmenter.

Index. An inverted index of all words would propose nearly every text, because most texts share common words.
So the keys are the ``key_count`` rarest words of a text. Two similar texts share one of these words unless
all of them were edited.

Complexity: O(n) per text, O(n + m) per pair.
"""

from dataclasses import dataclass

import numpy as np

from fingerprint.vectors import WordMethod, WordVector, common_weights


def cosine(first: WordVector, second: WordVector) -> float:
    """Return the cosine of two vectors: 0 to 1, and 0 if one is empty.

    >>> from fingerprint.idf import FLAT
    >>> from fingerprint.vectors import word_vector
    >>> boots = word_vector({"皮靴": 1.0, "号码": 2.0}, FLAT)
    >>> round(cosine(boots, word_vector({"号码": 1.0}, FLAT)), 4)
    0.8944
    """
    in_first, in_second = common_weights(first, second)
    norms = float(np.linalg.norm(first.weights) * np.linalg.norm(second.weights))
    return min(1.0, float(in_first @ in_second) / norms) if norms else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cosine(WordMethod):
    """Texts are similar when the angle between their TF-IDF vectors is small.

    Raises:
        ValueError: a parameter is out of range.
    """

    min_similarity: float = 0.9

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "cosine"

    def similarity(self, first: WordVector, second: WordVector) -> float:
        """Return the cosine of two vectors."""
        return cosine(first, second)
