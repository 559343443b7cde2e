"""Groups of near-duplicates among any number of texts, by any method of ``fingerprint/``.

The fingerprint and candidate keys of each text go to a file (:mod:`tracker.similarity.work_file`). Pairs that
share a key are compared by the method's similarity. Pairs that reach the threshold are grouped, and so are
texts that are linked through others (single linkage), so two texts of one group need not be similar.

Guarantee: all pairs that share a key are compared, except pairs that are already in one group, and pairs
beyond the reach of a key that very many texts share (:attr:`Deduplication.crowded` counts such keys). Texts
too short to have a key are in no group and are counted.

Memory: the numbers of grouped texts, and a few fingerprints; everything else is on disk.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Self

from fingerprint.disjoint import DisjointSets
from fingerprint.method import Method
from fingerprint.text.views import Cut, Views
from tracker.similarity.work_file import CandidateFile, TextRecord

_KEPT = 512  # maximum number of fingerprints in memory
_REPORTED = 1_000  # pairs between two reports of progress
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A text of a group.

    Attributes:
        text: its record.
        similarity: with the group's first text; 1 for that one.
        earliest: no other dated text of the group is older; false in a group without dates.
    """

    text: TextRecord
    similarity: float
    earliest: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Near-duplicate texts: the earliest dated first, those without a date last."""

    members: tuple[Member, ...]


class Deduplication:
    """One search for near-duplicates; use it as a context manager, which removes its file.

    Args:
        method: computes fingerprints and their similarity.
        cut: the word segmenter.
        threshold: lowest similarity of a group; None: that of the method.
        folder: where the work file is made.

    Raises:
        WorkFileFailed: the disk is full or not writable.
    """

    def __init__(
        self, method: Method[Any], *, cut: Cut, threshold: float | None = None, folder: Path | None = None
    ) -> None:
        self._method = method
        self._cut = cut
        self._threshold = method.threshold if threshold is None else threshold
        self._file = CandidateFile(folder)
        self.without_keys = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.__exit__(None, None, None)

    def __len__(self) -> int:
        return len(self._file)

    @property
    def crowded(self) -> int:
        """How many keys are shared by so many texts that only neighbours were compared."""
        return self._file.crowded

    def add(self, record: TextRecord, text: str) -> None:
        """Add a text."""
        fingerprint = self._method.fingerprint(Views(text, cut=self._cut))
        keys = self._method.keys(fingerprint)
        self.without_keys += len(keys) == 0
        self._file.add(record, fingerprint, keys)

    def groups(self, *, report: Callable[[int, int], None] = lambda _done, _all: None) -> Iterator[Group]:
        """Yield the groups of two and more texts, in the order of their first members.

        Args:
            report: called with the number of compared pairs, and of all pairs.
        """
        count = self._file.find_pairs()
        sets = self._join_pairs(report, count)
        members = sets.non_roots()
        numbered = sorted((sets.root(number), number) for number in {*members, *map(sets.root, members)})
        for _, group in groupby(numbered, key=lambda pair: pair[0]):
            yield self._group_of([number for _, number in group])

    def _join_pairs(self, report: Callable[[int, int], None], count: int) -> DisjointSets:
        """Return the sets of texts linked by the pairs."""
        sets = DisjointSets()
        fingerprint = lru_cache(_KEPT)(self._file.fingerprint)
        for compared, (first, right) in enumerate(self._file.pairs(), 1):
            if sets.root(first) != sets.root(right):
                alike = self._method.similarity(fingerprint(first), fingerprint(right))
                if alike >= self._threshold:
                    sets.join(first, right)
            if compared % _REPORTED == 0 or compared == count:
                report(compared, count)
        return sets

    def _group_of(self, numbers: Iterable[int]) -> Group:
        records = {number: self._file.record(number) for number in numbers}
        ordered = sorted(records, key=lambda number: (_earliest_moment(records[number]), number))
        first = self._file.fingerprint(ordered[0])
        dates = (record.published for record in records.values())
        # a text that begins later cannot be the earliest
        latest = min((date.end for date in dates if date), default=_LAST)
        return Group(
            tuple(
                Member(
                    text=records[number],
                    similarity=1.0
                    if number == ordered[0]
                    else self._method.similarity(first, self._file.fingerprint(number)),
                    earliest=_earliest_moment(records[number]) < latest,
                )
                for number in ordered
            )
        )


def _earliest_moment(record: TextRecord) -> datetime:
    """Return the earliest possible moment of a text's date."""
    return record.published.at if record.published else _LAST
