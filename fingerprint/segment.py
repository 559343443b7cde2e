"""Segment signatures: N segments a text, duplicates when M digests agree.

From the write-ups on search engines (“分段签名算法”): a page is cut into N segments by some rule, each
segment is signed, and pages are copies when M of the N signatures are equal. No source says by which rule.
Segments of equal length are useless: one added character moves every later boundary, and all later digests
change. Here a boundary is the sentence end nearest to i · length / N: an edit inside a sentence moves the
aim by a few characters and the boundary mostly not at all, so that only the edited segments change.

Nor does a source say whether equal segments must be in the same place. They need not: a segment that an
advert has pushed into the next place is still the same text.

Complexity: O(length) a text.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.sets import common, distinct, string_hashes
from fingerprint.text.views import Views


def segments(sentences: Sequence[str], count: int) -> list[str]:
    """Return at most ``count`` segments of whole sentences of about equal length; none is empty.

    Args:
        sentences: none of them empty.
        count: at least 1.

    Raises:
        ValueError: ``count`` is below 1.

    >>> segments(["青灯如豆", "夜雨初停", "渡口无人", "人声渐远"], 2)
    ['青灯如豆夜雨初停', '渡口无人人声渐远']
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, not {count}")
    ends = [0, *accumulate(map(len, sentences))]
    aims = (ends[-1] * index / count for index in range(count + 1))
    bounds = sorted({_nearest(ends, aim) for aim in aims})
    return ["".join(sentences[first:last]) for first, last in pairwise(bounds)]


def _nearest(ends: Sequence[int], aim: float) -> int:
    """Return which sentence end is nearest to a place; the earlier of two that are as near."""
    after = min(bisect_left(ends, aim), len(ends) - 1)
    before = max(0, after - 1)
    return before if aim - ends[before] <= ends[after] - aim else after


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments(Method[Hashes]):
    """Texts are duplicates when M of their N segments are equal.

    Attributes:
        count: N, segments a text, at least 1.
        agree: M, equal segments that make a duplicate: 1 to N.

    Raises:
        ValueError: M is not among 1 to N.
    """

    count: int = 10
    agree: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.agree <= self.count:
            raise ValueError(f"agree must be between 1 and count, not {self.agree} of {self.count}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "segments"

    @property
    def params_id(self) -> str:
        """Names everything that changes a stored hash."""
        return f"segment1-{self.count}"

    @property
    def threshold(self) -> float:
        """M of N."""
        return self.agree / self.count

    def fingerprint(self, views: Views) -> Hashes:
        """Return the digests: distinct, ascending."""
        return distinct(string_hashes(segments(views.sentences, self.count)))

    def similarity(self, first: Hashes, second: Hashes) -> float:
        """Return the equal segments as a share of N, or of all that both texts have, when they are equal."""
        shared = common(first, second)
        return 1.0 if shared == len(first) == len(second) > 0 else shared / self.count

    def keys(self, fingerprint: Hashes) -> Hashes:
        """Return the digests."""
        return fingerprint
