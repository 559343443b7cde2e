"""SCAM: the relative frequency model, which compares how often two texts use each word.

Shivakumar and Garcia-Molina, "SCAM: a copy detection mechanism for digital documents", 1995. The closeness
set c(R, S) contains the words that both texts use about equally often::

    word i is in c(R, S)  when  ε − (Fᵢ(R)/Fᵢ(S) + Fᵢ(S)/Fᵢ(R)) > 0
    subset(R, S) = Σ over c(R, S) of αᵢ²·Fᵢ(R)·Fᵢ(S)  /  Σ over all words of R of αᵢ²·Fᵢ(R)²
    sim(R, S)    = max(subset(R, S), subset(S, R)), cut at 1

Fᵢ is the number of times that word i occurs. ε is above 2, and the authors use 2.5. With ε = 2.5, a word that
one text uses twice and the other once is just outside the closeness set. αᵢ is the weight of word i. The
authors use 1 for all words. Here it is the IDF if it was measured, because with equal weights the Chinese
function words decide: 3 % of the pairs of unrelated news articles reached a similarity of 0.8. The subset
measure is directed: it says how much of R is in S. It can exceed 1, because F may be larger in S. The paper
limits the similarity to 1, and so does this module.

The paper mentions a weakness: a chapter uses its words less often than the long book that contains it. The
more the lengths differ, the fewer words are in the closeness set.

Index: the paper uses an inverted index of all words, and adds the products while it reads the postings. Here
the keys are the ``key_count`` rarest words; 0 means all words, as in the paper.

Complexity: O(n) per text, O(n + m) per pair.
"""

from dataclasses import dataclass

from fingerprint.vectors import WordMethod, WordVector, common_weights


def subset_measure(*, piece: WordVector, whole: WordVector, epsilon: float) -> float:
    """Return subset(R, S) for a piece R and a whole S: 0 or more; 0 for an empty piece.

    >>> from fingerprint.idf import FLAT
    >>> from fingerprint.vectors import word_vector
    >>> short = word_vector({"a": 1.0, "b": 1.0}, FLAT)
    >>> long = word_vector({"a": 1.0, "b": 1.0, "c": 1.0}, FLAT)
    >>> subset_measure(piece=short, whole=long, epsilon=2.5)
    1.0
    >>> round(subset_measure(piece=long, whole=short, epsilon=2.5), 3)
    0.667
    """
    in_piece, in_whole = common_weights(piece, whole)
    is_close = in_piece / in_whole + in_whole / in_piece < epsilon
    total = float(piece.weights @ piece.weights)
    return float(in_piece[is_close] @ in_whole[is_close]) / total if total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scam(WordMethod):
    """Texts are similar when both use many words about equally often. The weights αᵢ are the IDF.

    Attributes:
        epsilon: ε, the bound for frequencies that count as close; above 2.

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
        """Return the larger one of the two subset measures, at most 1."""
        first_in_second = subset_measure(piece=first, whole=second, epsilon=self.epsilon)
        second_in_first = subset_measure(piece=second, whole=first, epsilon=self.epsilon)
        return min(1.0, max(first_in_second, second_in_first))
