"""The index in this process's memory: for ``pindna check --corpus`` and for tests.

Sorted arrays: 16 bytes a posting while it stands, lookups by binary search.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes
from storage.index.interface import (
    POSTINGS_CAP,
    Hits,
    IndexStatistics,
    Joined,
    PassageFingerprints,
    by_page,
    capped_ranges,
    joined,
)

_Column = tuple[Hashes, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]


class MemoryIndex:
    """Postings in sorted arrays, sorted anew at the first lookup after an addition."""

    def __init__(self) -> None:
        self._passages: dict[int, int] = {}
        self._added: dict[str, list[_Column]] = {}
        self._sorted: dict[str, _Column] = {}

    def add(self, batch: Sequence[PassageFingerprints]) -> None:
        """Add passages; those that are complete already are left alone."""
        for each in batch:
            if each.passage_id in self._passages:
                continue
            self._passages[each.passage_id] = each.postings
            for params_id, found in each.sets.items():
                passages = np.full(len(found), each.passage_id, dtype=np.uint32)
                self._added.setdefault(params_id, []).append((found.hashes, passages, found.positions))

    def remove(self, passage_ids: Iterable[int]) -> None:
        """Take passages out of the answers."""
        gone = [each for each in passage_ids if self._passages.pop(each, None) is not None]
        for params_id in {*self._added, *self._sorted}:
            column = self._column(params_id)
            alive = ~np.isin(column[1], gone)
            self._sorted[params_id] = column[0][alive], column[1][alive], column[2][alive]

    def lookup(self, hashes: Mapping[str, Hashes]) -> dict[str, Hits]:
        """Return the postings of a page's hashes by parameter id."""
        return self.lookup_many([hashes])[0]

    def lookup_many(self, pages: Sequence[Mapping[str, Hashes]]) -> list[dict[str, Hits]]:
        """Return the postings of each page's hashes."""
        asked = joined(pages)
        found = {each: self._lookup(self._column(each), wanted) for each, wanted in asked.items()}
        return by_page(asked, found, len(pages))

    def statistics(self) -> IndexStatistics:
        """Return what the index holds."""
        columns = [self._column(each) for each in sorted({*self._added, *self._sorted})]
        return IndexStatistics(
            generation="memory",
            params_ids=tuple(sorted(self._sorted)),
            passages=len(self._passages),
            unfinished=0,
            dead=0,
            postings=sum(self._passages.values()),
            capped=sum(map(_capped, columns)),
            buckets=0,
            memory_bytes=sum(array.nbytes for column in columns for array in column),
        )

    def _column(self, params_id: str) -> _Column:
        """Return the sorted postings of one set of parameters, merging what was added since."""
        added = self._added.pop(params_id, [])
        if params_id in self._sorted:
            added.append(self._sorted[params_id])
        if not added:
            return np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32)
        if len(added) > 1 or params_id not in self._sorted:
            hashes, passages, positions = (np.concatenate(arrays) for arrays in zip(*added, strict=True))
            order = np.argsort(hashes, kind="stable")
            self._sorted[params_id] = hashes[order], passages[order], positions[order]
        return self._sorted[params_id]

    def _lookup(self, column: _Column, asked: Joined) -> list[Hits]:
        hashes, passages, positions = column
        wanted = asked.hashes
        order = np.argsort(wanted)  # neighbouring questions then touch the same memory
        starts, ends = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
        starts[order] = np.searchsorted(hashes, wanted[order], side="left")
        ends[order] = np.searchsorted(hashes, wanted[order], side="right")
        lengths = ends - starts
        queries, rows, capped = capped_ranges(starts, lengths)
        return asked.parted(Hits(queries, passages[rows], positions[rows]), capped)


def _capped(column: _Column) -> int:
    """Return how many hashes have more postings than a look-up returns."""
    _, counts = np.unique(column[0], return_counts=True)
    return int((counts > POSTINGS_CAP).sum())
