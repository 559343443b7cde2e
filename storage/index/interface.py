"""The interface of an index of fingerprints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from fingerprint.fingerprints import Fingerprints
from fingerprint.mixing import Hashes

# Maximum number of postings that a look-up returns for one hash: a text that more passages share proves
# nothing.
POSTINGS_CAP = 256


@dataclass(frozen=True, slots=True)
class PassageFingerprints:
    """The fingerprints of one passage, by parameter id."""

    passage_id: int
    sets: Mapping[str, Fingerprints]

    @property
    def postings(self) -> int:
        """Number of postings of the passage under all parameters."""
        return sum(map(len, self.sets.values()))


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The postings found for a list of hashes.

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
class IndexSize:
    """The size of an index.

    Attributes:
        postings: number of added postings.
        memory_bytes: memory of all its servers, including other data on them.
    """

    postings: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class IndexStatistics:
    """The content of an index.

    Attributes:
        generation: name of the generation; empty without an index.
        params_ids: the fingerprints that it contains.
        passages: number of complete passages.
        unfinished: passages whose addition was interrupted.
        dead: removed passages whose postings still exist.
        postings: postings of the number of complete passages.
        capped: hashes with more postings than a look-up returns, at the last count.
        buckets: number of buckets.
        memory_bytes: memory of all servers of the index, including other data on them, or of the arrays.
    """

    generation: str
    params_ids: tuple[str, ...]
    passages: int
    unfinished: int
    dead: int
    postings: int
    capped: int
    buckets: int
    memory_bytes: int


class FingerprintIndex(Protocol):
    """Hash → (passage, position). Adding and removing are idempotent."""

    @property
    def params_ids(self) -> tuple[str, ...]:
        """The parameter ids of the fingerprints that the index contains."""

    def add(self, batch: Sequence[PassageFingerprints]) -> None:
        """Add passages; passages that are complete in the index are skipped."""

    def remove(self, passage_ids: Iterable[int]) -> None:
        """Remove passages from the results."""

    def lookup(self, hashes: Mapping[str, Hashes]) -> dict[str, Hits]:
        """Return the postings of a page's hashes by parameter id, in one round trip."""

    def lookup_many(self, pages: Sequence[Mapping[str, Hashes]]) -> list[dict[str, Hits]]:
        """Return the postings of each page's hashes; all pages take one round trip."""

    def statistics(self) -> IndexStatistics:
        """Return figures of the index."""


@dataclass(frozen=True, slots=True, eq=False)
class JoinedHashes:
    """The hashes of many pages under one set of parameters, in page order.

    Attributes:
        hashes: shape (n,), ``uint64``.
        borders: shape (pages + 1,): start of each page's hashes, and the end.
        pages: numbers of these pages among the requested pages.
    """

    hashes: Hashes
    borders: npt.NDArray[np.int64]
    pages: tuple[int, ...]

    def split_by_page(self, hits: Hits, capped: npt.NDArray[np.int64]) -> list[Hits]:
        """Split the hits of all pages into the hits of each page.

        Args:
            hits: hits of all the hashes.
            capped: ascending: the hashes that were capped.
        """
        rows = np.searchsorted(hits.queries, self.borders)
        cuts = np.searchsorted(capped, self.borders)
        return [
            Hits(
                hits.queries[a:b] - np.uint32(start),
                hits.passages[a:b],
                hits.positions[a:b],
                int(until - since),
            )
            for start, a, b, since, until in zip(
                self.borders[:-1], rows[:-1], rows[1:], cuts[:-1], cuts[1:], strict=True
            )
        ]


def join_pages(pages: Sequence[Mapping[str, Hashes]]) -> dict[str, JoinedHashes]:
    """Join the hashes of many pages by parameter id."""
    joined = {}
    for params_id in {params_id: None for page in pages for params_id in page}:
        numbers = tuple(number for number, page in enumerate(pages) if params_id in page)
        hashes = [pages[number][params_id] for number in numbers]
        borders = np.cumsum([0, *map(len, hashes)], dtype=np.int64)
        joined[params_id] = JoinedHashes(np.concatenate(hashes), borders, numbers)
    return joined


def by_page(
    requested: Mapping[str, JoinedHashes], hits_of: Mapping[str, list[Hits]], count: int
) -> list[dict[str, Hits]]:
    """Split hits by page: for each of ``count`` pages the hits by parameter id, in the order of ``asked``."""
    answers: list[dict[str, Hits]] = [{} for _ in range(count)]
    for params_id, joined in requested.items():
        for number, hits in zip(joined.pages, hits_of[params_id], strict=True):
            answers[number][params_id] = hits
    return answers


def capped_ranges(
    starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Expand ranges of rows to row numbers; each range is cut at the cap.

    Args:
        starts: shape (q,): first row of each query.
        lengths: shape (q,): number of rows of each query.

    Returns:
        Query and row of each hit, and which queries were cut.
    """
    kept = np.minimum(lengths, POSTINGS_CAP)
    queries = np.repeat(np.arange(len(starts), dtype=np.uint32), kept)
    firsts = np.repeat(starts - np.cumsum(kept) + kept, kept)
    return queries, firsts + np.arange(len(queries), dtype=np.int64), np.flatnonzero(lengths > POSTINGS_CAP)
