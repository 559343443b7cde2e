"""The index in memory: for ``pindna check --corpus`` and for tests.

Postings are in sorted arrays. A directory of the hashes' highest bits has about one entry for each posting. A
posting takes 20 bytes in all. A look-up reads two places in memory for an index of any size; a binary search
would read twenty.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes
from storage.index.interface import (
    POSTINGS_CAP,
    Hits,
    IndexStatistics,
    JoinedHashes,
    PassageFingerprints,
    by_page,
    capped_ranges,
    join_pages,
)

_Column = tuple[Hashes, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]
_NONE: _Column = np.empty(0, np.uint64), np.empty(0, np.uint32), np.empty(0, np.uint32)


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """Postings sorted by hash.

    Attributes:
        hashes, passages, positions: shape (n,) each.
        starts: shape (2^bits + 1,), ``uint32``: start of the hashes for each value of the top bits.
        shift: 64 − bits.
    """

    hashes: Hashes
    passages: npt.NDArray[np.uint32]
    positions: npt.NDArray[np.uint32]
    starts: npt.NDArray[np.uint32]
    shift: np.uint64

    @classmethod
    def of(cls, columns: Sequence[_Column]) -> "_Sorted":
        """Sort postings and build their directory."""
        hashes, passages, positions = (np.concatenate(arrays) for arrays in zip(*columns, strict=True))
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        bits = max(1, len(hashes).bit_length() - 1)
        shift = np.uint64(64 - bits)
        starts = np.full((1 << bits) + 1, len(hashes), dtype=np.uint32)
        starts[:-1] = np.searchsorted(hashes, np.arange(1 << bits, dtype=np.uint64) << shift)
        return cls(hashes, passages[order], positions[order], starts, shift)

    @property
    def column(self) -> _Column:
        """The postings as one column."""
        return self.hashes, self.passages, self.positions

    @property
    def size_bytes(self) -> int:
        """The size of the arrays in bytes."""
        return sum(array.nbytes for array in (*self.column, self.starts))

    def ranges(self, hashes: Hashes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return start and number of the postings of each hash: shape (q,) each."""
        top = hashes >> self.shift
        firsts = self.starts[top].astype(np.int64)
        lengths = self.starts[top + np.uint64(1)] - firsts
        ends = np.cumsum(lengths)
        queries = np.repeat(np.arange(len(hashes)), lengths)
        rows = np.arange(len(queries)) + np.repeat(firsts - ends + lengths, lengths)
        taken = self.hashes[rows]
        equal = np.bincount(queries[taken == hashes[queries]], minlength=len(hashes))
        smaller = np.bincount(queries[taken < hashes[queries]], minlength=len(hashes))
        return firsts + smaller, equal


class MemoryIndex:
    """An index in sorted arrays, which are sorted again at the first look-up after an addition."""

    def __init__(self) -> None:
        self._passages: dict[int, int] = {}
        self._added: dict[str, list[_Column]] = {}
        self._sorted: dict[str, _Sorted] = {}

    @property
    def params_ids(self) -> tuple[str, ...]:
        """The parameter ids of the fingerprints that the index contains."""
        return tuple(sorted({*self._added, *self._sorted}))

    def add(self, batch: Sequence[PassageFingerprints]) -> None:
        """Add passages; passages that are complete in the index are skipped."""
        for passage in batch:
            if passage.passage_id in self._passages:
                continue
            self._passages[passage.passage_id] = passage.postings
            for params_id, fingerprints in passage.sets.items():
                passages = np.full(len(fingerprints), passage.passage_id, dtype=np.uint32)
                self._added.setdefault(params_id, []).append(
                    (fingerprints.hashes, passages, fingerprints.positions)
                )

    def remove(self, passage_ids: Iterable[int]) -> None:
        """Remove passages from the results."""
        gone = [passage_id for passage_id in passage_ids if self._passages.pop(passage_id, None) is not None]
        for params_id in {*self._added, *self._sorted}:
            column = self._sorted_postings(params_id)
            alive = ~np.isin(column.passages, gone)
            hashes, passages, positions = column.column
            self._sorted[params_id] = _Sorted.of([(hashes[alive], passages[alive], positions[alive])])

    def lookup(self, hashes: Mapping[str, Hashes]) -> dict[str, Hits]:
        """Return the postings of a page's hashes by parameter id."""
        return self.lookup_many([hashes])[0]

    def lookup_many(self, pages: Sequence[Mapping[str, Hashes]]) -> list[dict[str, Hits]]:
        """Return the postings of each page's hashes."""
        requested = join_pages(pages)
        hits = {
            params_id: self._find_hits(self._sorted_postings(params_id), joined)
            for params_id, joined in requested.items()
        }
        return by_page(requested, hits, len(pages))

    def statistics(self) -> IndexStatistics:
        """Return figures of the index."""
        columns = [self._sorted_postings(params_id) for params_id in self.params_ids]
        return IndexStatistics(
            generation="memory",
            params_ids=self.params_ids,
            passages=len(self._passages),
            unfinished=0,
            dead=0,
            postings=sum(self._passages.values()),
            capped=sum(map(_count_capped, columns)),
            buckets=0,
            memory_bytes=sum(column.size_bytes for column in columns),
        )

    def _sorted_postings(self, params_id: str) -> _Sorted:
        """Return the sorted postings of one set of parameters, including those added since the last sort."""
        added = self._added.pop(params_id, [])
        cached = self._sorted.get(params_id)
        if cached is None or added:
            before = [cached.column] if cached else [_NONE]
            self._sorted[params_id] = _Sorted.of([*before, *added])
        return self._sorted[params_id]

    def _find_hits(self, column: _Sorted, requested: JoinedHashes) -> list[Hits]:
        starts, lengths = column.ranges(requested.hashes)
        queries, rows, capped = capped_ranges(starts, lengths)
        return requested.split_by_page(Hits(queries, column.passages[rows], column.positions[rows]), capped)


def _count_capped(column: _Sorted) -> int:
    """Return how many hashes have more postings than a look-up returns."""
    _, counts = np.unique(column.hashes, return_counts=True)
    return int((counts > POSTINGS_CAP).sum())
