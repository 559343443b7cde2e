"""Results of windowed methods: selected hashes with their positions, and the base class of such methods."""

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
    """Return the share of hashes that the text with fewer distinct hashes has in common with the other text.

    This is the larger containment. A text with few hashes that lies within another proves little: it may be a
    footer or a common phrase. So fewer than eight hashes count as eight, or as many as the other text has. A
    single shared hash counts only if neither text has another one.

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
    """A method on windows: texts are similar when one contains many windows of the other.

    Similarity is the larger containment, not the resemblance, because windows serve to find copied sections.
    """

    @property
    def threshold(self) -> float:
        """1 % of the shorter text's windows, and at least two: up to a fifth of the text may be edited."""
        return 0.01

    def similarity(self, first: Fingerprints, second: Fingerprints) -> float:
        """Return the larger containment of the distinct windows."""
        return shared_share(first, second)

    def keys(self, fingerprint: Fingerprints) -> Hashes:
        """Return the distinct windows."""
        return distinct(fingerprint.hashes)
