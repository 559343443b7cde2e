"""SCAM: does one text use words as a part of another does? The relative frequency model on word counts.

Shivakumar and Garcia-Molina, "SCAM: a copy detection mechanism for digital documents", 1995. The closeness
set c(R, S) contains the words that both texts use about equally often::

    word i is in c(R, S)  when  ε − (Fᵢ(R)/Fᵢ(S) + Fᵢ(S)/Fᵢ(R)) > 0
    subset(R, S) = Σ over c(R, S) of αᵢ²·Fᵢ(R)·Fᵢ(S)  /  Σ over all words of R of αᵢ²·Fᵢ(R)²
    sim(R, S)    = max(subset(R, S), subset(S, R)), cut at 1

Fᵢ is how often word i occurs; ε is above 2, and the authors use 2.5. αᵢ weighs words: the authors use 1 for
all. Here it is the IDF if one was measured, because with 1 the function words of Chinese decide (unrelated
news articles reached 0.8 in 3 % of the pairs). With ε = 2.5, a word used twice in one text and once in the
other is just outside. subset is directed: R within S. It can exceed 1, because close is not equal; the paper
cuts the similarity at 1, and so does this module.

A weakness that the paper mentions: a chapter uses its words less often than the long book that contains it,
so the closeness set becomes empty as the lengths diverge.

Index: the paper keeps an inverted index of all words, and adds the products while it reads the postings. Here
keys are the ``indexed`` rarest words; 0 means all words, as in the paper.

Complexity: O(n) per text, O(n + m) per pair.
"""

from dataclasses import dataclass

from fingerprint.vectors import WordMethod, WordVector, in_common


def subset(*, piece: WordVector, whole: WordVector, epsilon: float) -> float:
    """Return the share of the piece's word use that the whole contains: 0 or more; 0 for an empty piece.

    >>> from fingerprint.idf import FLAT
    >>> from fingerprint.vectors import word_vector
    >>> short = word_vector({"a": 1.0, "b": 1.0}, FLAT)
    >>> long = word_vector({"a": 1.0, "b": 1.0, "c": 1.0}, FLAT)
    >>> subset(piece=short, whole=long, epsilon=2.5), round(subset(piece=long, whole=short, epsilon=2.5), 3)
    (1.0, 0.667)
    """
    ours, theirs = in_common(piece, whole)
    close = ours / theirs + theirs / ours < epsilon
    total = float(piece.weights @ piece.weights)
    return float(ours[close] @ theirs[close]) / total if total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scam(WordMethod):
    """Texts are similar when one uses its words as the other does. The weights αᵢ are the IDF.

    Attributes:
        epsilon: how different frequencies may be: above 2.

    Raises:
        ValueError: a parameter is out of range.
    """

    epsilon: float = 2.5
    min_similarity: float = 0.8

    def __post_init__(self) -> None:
        WordMethod.__post_init__(self)
        if self.epsilon <= 2:  # noqa: PLR2004 - x + 1/x is never below 2
            raise ValueError(f"epsilon must be above 2, not {self.epsilon}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "scam"

    def similarity(self, first: WordVector, second: WordVector) -> float:
        """Return the larger of the two directed shares, cut at 1."""
        ours = subset(piece=first, whole=second, epsilon=self.epsilon)
        theirs = subset(piece=second, whole=first, epsilon=self.epsilon)
        return min(1.0, max(ours, theirs))
