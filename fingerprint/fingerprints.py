"""What every windowed method returns, selected hashes with their positions, and what such methods share."""

from dataclasses import dataclass

import numpy as np

from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.sets import common, distinct
from fingerprint.winnow import Positions

_MIN_COMMON_HASHES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """Selected fingerprints of one text.

    Attributes:
        hashes: shape (n,), ``uint64``.
        positions: shape (n,), ``uint32``, ascending: index of each window's first letter.
    """

    hashes: Hashes
    positions: Positions

    def __len__(self) -> int:
        return len(self.hashes)


def no_fingerprints() -> Fingerprints:
    """Return the fingerprints of a text that is shorter than a window.

    >>> len(no_fingerprints())
    0
    """
    return Fingerprints(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint32))


def shared_share(first: Fingerprints, second: Fingerprints) -> float:
    """Return how much of the text with fewer distinct hashes is in the other: the larger containment.

    A text of few hashes proves little by being within another: it may be a footer or a common phrase. So
    fewer than eight count as if there were eight, or as many as the other text has; and a single shared hash
    counts only between two texts that have no other.

    >>> def of(*hashes: int) -> Fingerprints:
    ...     return Fingerprints(np.array(hashes, dtype=np.uint64), np.arange(len(hashes), dtype=np.uint32))
    >>> [shared_share(of(1, 2, 3, 4), of(*other)) for other in ((4, 3), (4, 9, 2), (4, 9), (4,))]
    [0.5, 0.5, 0.0, 0.0]
    >>> shared_share(of(1, 2), of(1, 2)), shared_share(of(*range(9)), of(*range(99)))
    (1.0, 1.0)
    """
    ours, theirs = distinct(first.hashes), distinct(second.hashes)
    fewer, more = sorted((len(ours), len(theirs)))
    shared = common(ours, theirs)
    return shared / max(fewer, min(more, _MIN_COMMON_HASHES)) if shared > 1 or shared == more > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Windowed(Method[Fingerprints]):
    """A method on windows: texts are alike when one holds much of the other's windows.

    Similarity is the larger containment, not the resemblance: windows are there to find copied parts.
    """

    @property
    def threshold(self) -> float:
        """A hundredth of the shorter text's windows, and at least two: a fifth of the text may be edited."""
        return 0.01

    def similarity(self, first: Fingerprints, second: Fingerprints) -> float:
        """Return the larger containment of the distinct windows."""
        return shared_share(first, second)

    def keys(self, fingerprint: Fingerprints) -> Hashes:
        """Return the distinct windows."""
        return distinct(fingerprint.hashes)
