"""Segment signatures: N segments per text; texts are duplicates when M digests agree.

From articles on search engines (“分段签名算法”): a page is cut into N segments by some rule, each segment is
signed, and pages are copies when M of the N signatures are equal. No source gives the rule. Segments of equal
length are useless: one added character moves every later boundary and changes all later digests. Here each
boundary is the sentence end nearest to i · length / N. An edit inside a sentence moves that target by a few
characters and mostly leaves the boundary unchanged, so only the edited segments change.

No source says whether equal segments must be at the same position. Here they need not: a segment that an
advert pushed to the next position is still the same text.

Complexity: O(length) per text.
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
    """Return at most ``count`` segments of whole sentences, of about equal length; none is empty.

    Args:
        sentences: non-empty sentences.
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
    """Return the sentence end nearest to a position; the earlier one if two are equally near."""
    after = min(bisect_left(ends, aim), len(ends) - 1)
    before = max(0, after - 1)
    return before if aim - ends[before] <= ends[after] - aim else after


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments(Method[Hashes]):
    """Texts are duplicates when M of their N segments are equal.

    Attributes:
        count: N, segments per text, at least 1.
        agree: M, equal segments that make a duplicate: 1 to N.

    Raises:
        ValueError: M is not in 1 to N.
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
        """Id of everything that changes a stored hash."""
        return f"segment1-{self.count}"

    @property
    def threshold(self) -> float:
        """M of N."""
        return self.agree / self.count

    def fingerprint(self, views: Views) -> Hashes:
        """Return the digests: distinct, ascending."""
        return distinct(string_hashes(segments(views.sentences, self.count)))

    def similarity(self, first: Hashes, second: Hashes) -> float:
        """Return the equal segments as a share of N; 1 if both texts have exactly the same segments."""
        shared = common(first, second)
        return 1.0 if shared == len(first) == len(second) > 0 else shared / self.count

    def keys(self, fingerprint: Hashes) -> Hashes:
        """Return the digests."""
        return fingerprint
