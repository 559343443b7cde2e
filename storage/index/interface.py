"""What an index of fingerprints offers, whatever holds it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from fingerprint.fingerprints import Fingerprints
from fingerprint.mixing import Hashes

# Postings of one hash beyond this many are not returned: text that so many passages share proves nothing.
POSTINGS_CAP = 256


@dataclass(frozen=True, slots=True)
class PassageFingerprints:
    """One passage's fingerprints by parameter id."""

    passage_id: int
    sets: Mapping[str, Fingerprints]

    @property
    def postings(self) -> int:
        """How many postings the passage has under all parameters."""
        return sum(map(len, self.sets.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Postings found for a list of looked-up hashes.

    Attributes:
        queries: shape (n,), ``uint32``, ascending: index into the looked-up hashes.
        passages: shape (n,), ``uint32``: passage ids.
        positions: shape (n,), ``uint32``: letter positions in the passages.
        capped: number of looked-up hashes with more postings than were returned.
    """

    queries: npt.NDArray[np.uint32]
    passages: npt.NDArray[np.uint32]
    positions: npt.NDArray[np.uint32]
    capped: int = 0


@dataclass(frozen=True, slots=True)
class IndexStatistics:
    """What an index holds.

    Attributes:
        generation: names the build; empty when there is no index.
        params_ids: the fingerprints it holds.
        passages: complete passages.
        unfinished: passages whose adding was broken off.
        dead: removed passages whose postings are still there.
        postings: postings of the complete passages.
        memory_bytes: of the whole server (Redis) or of the arrays.
    """

    generation: str
    params_ids: tuple[str, ...]
    passages: int
    unfinished: int
    dead: int
    postings: int
    memory_bytes: int


class FingerprintIndex(Protocol):
    """Hash → (passage, position). Adding and removing may be repeated without harm."""

    def add(self, batch: Sequence[PassageFingerprints]) -> None:
        """Add passages; those that are complete already are left alone."""

    def remove(self, passage_ids: Iterable[int]) -> None:
        """Take passages out of the answers."""

    def lookup(self, hashes: Mapping[str, Hashes]) -> dict[str, Hits]:
        """Return the postings of many hashes by parameter id, in one round trip."""

    def statistics(self) -> IndexStatistics:
        """Return what the index holds."""


def capped_ranges(
    starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64], int]:
    """Write out ranges of rows, each cut at the cap.

    Args:
        starts: shape (q,): first row of each query.
        lengths: shape (q,): number of rows of each query.

    Returns:
        Query and row of each hit, and how many ranges were cut.
    """
    capped = int((lengths > POSTINGS_CAP).sum())
    kept = np.minimum(lengths, POSTINGS_CAP)
    queries = np.repeat(np.arange(len(starts), dtype=np.uint32), kept)
    firsts = np.repeat(starts - np.cumsum(kept) + kept, kept)
    return queries, firsts + np.arange(len(queries), dtype=np.int64), capped
