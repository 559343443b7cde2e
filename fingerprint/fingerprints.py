"""Fingerprints of window methods (selected hashes with positions), and the base class of these methods."""

from dataclasses import dataclass

import numpy as np

from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.sets import common_count, distinct
from fingerprint.winnow import Positions

_MIN_COMMON_HASHES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprints:
    """The selected window hashes of one text.

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


def larger_containment(first: Fingerprints, second: Fingerprints) -> float:
    """Return the number of shared hashes, divided by the number of hashes of the shorter text.

    This is the larger one of the two containments. A text of a few hashes may be a footer or a common phrase,
    so it proves little. The divisor is at least eight, or the number of hashes of the longer text if this
    text has fewer. A single shared hash counts only if neither text has another hash.

    >>> def of(*hashes: int) -> Fingerprints:
    ...     return Fingerprints(np.array(hashes, dtype=np.uint64), np.arange(len(hashes), dtype=np.uint32))
    >>> [larger_containment(of(1, 2, 3, 4), of(*other)) for other in ((4, 3), (4, 9, 2), (4, 9), (4,))]
    [0.5, 0.5, 0.0, 0.0]
    >>> larger_containment(of(1, 2), of(1, 2)), larger_containment(of(*range(9)), of(*range(99)))
    (1.0, 1.0)
    """
    hashes, other_hashes = distinct(first.hashes), distinct(second.hashes)
    fewer, more = sorted((len(hashes), len(other_hashes)))
    shared = common_count(hashes, other_hashes)
    return shared / max(fewer, min(more, _MIN_COMMON_HASHES)) if shared > 1 or shared == more > 0 else 0.0


@dataclass(frozen=True, slots=True)
class WindowMethod(Method[Fingerprints]):
    """A method that compares windows: texts are similar if one contains many windows of the other.

    The similarity is the larger containment. Resemblance would miss a copied section of a long text.
    """

    @property
    def threshold(self) -> float:
        """1 % of the shorter text's windows. This finds copies in which up to a fifth is edited."""
        return 0.01

    def similarity(self, first: Fingerprints, second: Fingerprints) -> float:
        """Return the larger containment of the distinct windows."""
        return larger_containment(first, second)

    def keys(self, fingerprint: Fingerprints) -> Hashes:
        """Return the distinct window hashes."""
        return distinct(fingerprint.hashes)
