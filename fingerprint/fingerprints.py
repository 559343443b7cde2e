"""What every windowed method returns: selected hashes with their positions."""

from dataclasses import dataclass

import numpy as np

from fingerprint.mixing import Hashes
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
