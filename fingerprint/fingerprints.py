"""What every windowed method returns, selected hashes with their positions, and what such methods share."""

from dataclasses import dataclass

import numpy as np

from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.sets import common, distinct
from fingerprint.winnow import Positions


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
    """Return the fingerprints of a text that is shorter than a window."""
    return Fingerprints(np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint32))


def shared_share(left: Fingerprints, right: Fingerprints) -> float:
    """Return how much of the text with fewer distinct hashes is in the other: the larger containment.

    A single shared hash counts only where a text has no more: it may be chance, or a common phrase.

    >>> def of(*hashes: int) -> Fingerprints:
    ...     return Fingerprints(np.array(hashes, dtype=np.uint64), np.arange(len(hashes), dtype=np.uint32))
    >>> [shared_share(of(1, 2, 3, 4), of(*other)) for other in ((4, 3), (4, 9, 2), (4, 9), (4,))]
    [1.0, 0.6666666666666666, 0.0, 1.0]
    """
    ours, theirs = distinct(left.hashes), distinct(right.hashes)
    fewer, shared = min(len(ours), len(theirs)), common(ours, theirs)
    return shared / fewer if shared > 1 or shared == fewer > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Windowed(Method[Fingerprints]):
    """A method on windows: texts are alike when one holds much of the other's windows.

    Similarity is the larger containment, not the resemblance: windows are there to find copied parts.
    """

    @property
    def threshold(self) -> float:
        """A hundredth of the shorter text's windows, and at least two: a fifth of the text may be edited."""
        return 0.01

    def similarity(self, left: Fingerprints, right: Fingerprints) -> float:
        """Return the larger containment of the distinct windows."""
        return shared_share(left, right)

    def keys(self, fingerprint: Fingerprints) -> Hashes:
        """Return the distinct windows."""
        return distinct(fingerprint.hashes)
