"""Keyword signatures: five rules that decide by the most important keywords whether two texts are copies.

Wang, Xie, Lei and Li, "Research and evaluation of near-replicas of web pages detection algorithms", Acta
Electronica Sinica, 2000, for the WebGather (天网) search engine; Li, Yan and Wang,
《搜索引擎：原理、技术与系统》, 2005. Let tᵢ be the N keywords with the highest weights, and wᵢ these
weights. Each rule says when texts P and Q are copies:

============== ===================================================================================
summary        MD5(summary of P) = MD5(summary of Q)
order          MD5(t₁…t_N in the order of weight) is equal
sorted         MD5(t₁…t_N in alphabetical order) is equal
order-weights  as ``order``, and the distance of the weights is at most ``max_distance``
sorted-weights as ``sorted``, and the distance of the weights is at most ``max_distance``
============== ===================================================================================

The authors recommend about ten keywords. The sources leave details open; this module decides them as follows:

* Distance. The articles print “(Wi − Wj)² / (Wi² + Wj²)” for the two weight vectors. This module computes
  Σ(wᵢ − wᵢ')² / Σ(wᵢ² + wᵢ'²): 0 for equal weights, 1 for texts without a common keyword. It compares the
  weights of the same keyword. The articles give no maximum distance; the default here is 0.05.
* Weight: keyword density times IDF. Density is relative, so the text's length has no effect.
* Keywords: words of at least two characters, because Chinese function words are mostly shorter. Ties in
  weight are ordered by code points.
* Joining: keywords are joined with a line feed. Otherwise 青|灯渡 and 青灯|渡 would have the same digest.
* Summary: the first 512 bytes of the page's text, that is 256 characters in the GB encoding of that time.

All five rules compare a digest. So an edit that changes the set of the top keywords hides the copy from the
four keyword rules.

Complexity: O(words · log words) per text.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from fingerprint.exact import digest, digest_keys
from fingerprint.idf import FLAT, Idf
from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.text.views import Views
from fingerprint.vectors import word_weights

Rule = Literal["summary", "order", "sorted", "order-weights", "sorted-weights"]
RULES: tuple[Rule, ...] = get_args(Rule)

_MIN_CHARS = 2


@dataclass(frozen=True, slots=True)
class KeywordSignature:
    """The digest and the weights of a text that a rule compares.

    Attributes:
        digest: MD5; empty for an empty text.
        weights: keyword → its weight; empty for rules that compare no weights.
    """

    digest: bytes
    weights: dict[str, float]


def keywords(words: tuple[str, ...], idf: Idf, count: int) -> dict[str, float]:
    """Return the keywords with their weights, the heaviest first.

    >>> keywords(("渡口", "青灯", "渡口", "的"), FLAT, 2)
    {'渡口': 0.5, '青灯': 0.25}
    """
    weights = word_weights((word for word in words if len(word) >= _MIN_CHARS), idf)
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return {word: weight / len(words) for word, weight in ranked[:count]}


def weight_distance(first: dict[str, float], second: dict[str, float]) -> float:
    """Return Σ(wᵢ − wᵢ')² / Σ(wᵢ² + wᵢ'²) over all keywords of both texts: 0 to 1; 1 without any keywords.

    >>> round(weight_distance({"渡口": 0.5, "青灯": 0.25}, {"渡口": 0.25, "青灯": 0.25}), 4)
    0.1429
    """
    words = first.keys() | second.keys()
    pairs = [(first.get(word, 0.0), second.get(word, 0.0)) for word in sorted(words)]
    total = sum(weight**2 + other**2 for weight, other in pairs)
    return sum((weight - other) ** 2 for weight, other in pairs) / total if total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Keywords(Method[KeywordSignature]):
    """Texts are copies when they have the same top keywords, or the same beginning.

    Attributes:
        rule: one of the five rules.
        count: N, the number of keywords per text, at least 1.
        summary_chars: length of the summary in characters, at least 1.
        max_distance: the maximum weight distance of copies, for the rules that compare weights; in (0, 1].
        idf: word frequencies (IDF), measured with the same segmenter.
        words_id: name of the segmenter.

    Raises:
        ValueError: a parameter is out of range.
    """

    rule: Rule = "sorted"
    count: int = 10
    summary_chars: int = 256
    max_distance: float = 0.05
    idf: Idf = FLAT
    words_id: str = "jieba1"

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, not {self.rule}")
        if self.count < 1 or self.summary_chars < 1:
            raise ValueError(
                f"counts must be at least 1: count is {self.count}, summary_chars is {self.summary_chars}"
            )
        if not 0 < self.max_distance <= 1:
            raise ValueError(f"max_distance must be in (0, 1], not {self.max_distance}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return f"keywords-{self.rule}"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        if self.rule == "summary":
            return f"keyword1-summary-{self.summary_chars}"
        return f"keyword1-{self.rule}-{self.count}-{self.words_id}-{self.idf.name}"

    @property
    def threshold(self) -> float:
        """Minimum similarity: 1 minus the maximum distance for rules that compare weights, else 1."""
        return 1 - self.max_distance if self._compares_weights else 1.0

    def fingerprint(self, views: Views) -> KeywordSignature:
        """Return the rule's digest and weights."""
        if self.rule == "summary":
            return KeywordSignature(digest(views.characters[: self.summary_chars], "md5"), {})
        top = keywords(views.words, self.idf, self.count)
        ordered = sorted(top) if self.rule.startswith("sorted") else list(top)
        return KeywordSignature(digest("\n".join(ordered), "md5"), top if self._compares_weights else {})

    def similarity(self, first: KeywordSignature, second: KeywordSignature) -> float:
        """Return 0 for different digests, else 1; rules that compare weights subtract the weight distance."""
        if not first.digest or first.digest != second.digest:
            return 0.0
        return 1 - weight_distance(first.weights, second.weights) if self._compares_weights else 1.0

    def keys(self, fingerprint: KeywordSignature) -> Hashes:
        """Return the digest's first 8 bytes."""
        return digest_keys(fingerprint.digest)

    @property
    def _compares_weights(self) -> bool:
        return self.rule.endswith("weights")
