"""Segment signatures: texts are duplicates when the digests of M of their N segments are equal.

Articles on search engines describe the method (“分段签名算法”): a page is cut into N segments, each segment
gets a digest, and pages are copies when M of the N digests are equal. No source says where to cut. Segments
of equal length are useless: one added character moves every later boundary and changes all later digests.
Here, boundary i is the sentence end nearest to i · length / N. An edit inside a sentence moves this target by
a few characters only, so the boundary mostly stays the same, and only the edited segments change.

No source says whether equal segments must be at the same position. Here they need not be, because an inserted
advertisement may move a segment to the next position.

Complexity: O(length) per text.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.sets import common_count, distinct, string_hashes
from fingerprint.text.views import Views


def split_into_segments(sentences: Sequence[str], count: int) -> list[str]:
    """Join sentences into at most ``count`` non-empty segments of about equal length.

    Args:
        sentences: non-empty sentences.
        count: at least 1.

    Raises:
        ValueError: ``count`` is below 1.

    >>> split_into_segments(["青灯如豆", "夜雨初停", "渡口无人", "人声渐远"], 2)
    ['青灯如豆夜雨初停', '渡口无人人声渐远']
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, not {count}")
    ends = [0, *accumulate(map(len, sentences))]
    targets = (ends[-1] * index / count for index in range(count + 1))
    bounds = sorted({_nearest_end(ends, target) for target in targets})
    return ["".join(sentences[first:last]) for first, last in pairwise(bounds)]


def _nearest_end(ends: Sequence[int], target: float) -> int:
    """Return the index of the sentence end nearest to a position; the earlier one if two are equally near."""
    after = min(bisect_left(ends, target), len(ends) - 1)
    before = max(0, after - 1)
    return before if target - ends[before] <= ends[after] - target else after


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments(Method[Hashes]):
    """Texts are duplicates when M of their N segments are equal.

    Attributes:
        count: N, the number of segments per text, at least 1.
        min_equal: M, the minimum number of equal segments of duplicates: 1 to N.

    Raises:
        ValueError: M is not in 1 to N.
    """

    count: int = 10
    min_equal: int = 3

    def __post_init__(self) -> None:
        if not 1 <= self.min_equal <= self.count:
            raise ValueError(f"min_equal must be between 1 and count, not {self.min_equal} of {self.count}")

    @property
    def name(self) -> str:
        """A short name for tables."""
        return "segments"

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"segment1-{self.count}"

    @property
    def threshold(self) -> float:
        """M / N."""
        return self.min_equal / self.count

    def fingerprint(self, views: Views) -> Hashes:
        """Return the digests of the segments: distinct, ascending."""
        return distinct(string_hashes(split_into_segments(views.sentences, self.count)))

    def similarity(self, first: Hashes, second: Hashes) -> float:
        """Return the number of equal segments divided by N; 1 if all segments of both texts are equal."""
        shared = common_count(first, second)
        return 1.0 if shared == len(first) == len(second) > 0 else shared / self.count

    def keys(self, fingerprint: Hashes) -> Hashes:
        """Return the digests."""
        return fingerprint
