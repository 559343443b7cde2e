"""Packed postings: 9-byte records in buckets; the lowest bits of a hash choose the bucket. Pure functions.

A record contains 20 more bits of the hash, the position (20 bits) and the passage id (32 bits). A look-up
returns passages whose hash has the same bucket and the same 20 bits. In a bucket of 24 records, the chance
that another hash has the same 20 bits is 2 in 100,000. Such a false hit never hides a true hit, and becomes a
candidate only if there is a second hit on the same diagonal.

The bits come from the lowest end and the middle of the hash. The highest bits are mostly zeros, because
winnowing selects small hashes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes
from storage.index.interface import POSTINGS_CAP, Hits, PassageFingerprints, capped_ranges

FORMAT = 2
RECORD = np.dtype([("tag", "<u4"), ("place", "u1"), ("passage", "<u4")])
# Position of the passage id in a record, for a Lua script: it starts at byte 5, counted from 0.
PASSAGE_OFFSET = 5
MAX_POSITION = (1 << 20) - 1

_TAG_SHIFT = np.uint64(24)
_TAG_MASK = np.uint64((1 << 20) - 1)
_PLACE_BITS = 12  # bits of the position that follow the hash's 20 bits; the other 8 bits are the fifth byte

_BLOCK = 1_000  # number of hashes to compare at once; few enough for the processor's cache
_NONE: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)

Buckets = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]


class PositionTooLarge(ValueError):
    """The position of a posting does not fit into a record. Passages are cut long before that."""


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """Packed records in the order of their buckets.

    Attributes:
        buckets: distinct, ascending.
        bounds: shape (buckets + 1,): in bytes, the start of each bucket's records in ``data``, and the end.
        data: the records.
    """

    buckets: Buckets
    bounds: Rows
    data: bytes

    def values(self) -> list[bytes]:
        """Return the records of each bucket as bytes."""
        bounds = self.bounds.tolist()
        return [self.data[a:b] for a, b in pairwise(bounds)]


def bucket_of(hashes: Hashes, bits: int) -> Buckets:
    """Return the bucket of each hash: its lowest bits."""
    return (hashes & np.uint64((1 << bits) - 1)).astype(np.int64)


def tag_of(hashes: Hashes) -> npt.NDArray[np.uint32]:
    """Return the 20 bits of each hash that its record stores."""
    return ((hashes >> _TAG_SHIFT) & _TAG_MASK).astype(np.uint32)


def pack(batch: Sequence[PassageFingerprints], params_id: str, bits: int) -> Packed:
    """Pack the postings of passages into records.

    Raises:
        PositionTooLarge: a posting's position does not fit.
    """
    hashes = np.concatenate([passage.sets[params_id].hashes for passage in batch])
    positions = np.concatenate([passage.sets[params_id].positions for passage in batch])
    if positions.max(initial=0) > MAX_POSITION:
        raise PositionTooLarge(f"position {positions.max()} is beyond {MAX_POSITION}")
    records = np.empty(len(hashes), dtype=RECORD)
    records["tag"] = tag_of(hashes) << _PLACE_BITS | positions & ((1 << _PLACE_BITS) - 1)
    records["place"] = positions >> _PLACE_BITS
    records["passage"] = np.repeat(
        np.array([passage.passage_id for passage in batch], dtype=np.uint32),
        [len(passage.sets[params_id]) for passage in batch],
    )
    bucket = bucket_of(hashes, bits)
    order = np.argsort(bucket, kind="stable")
    distinct, starts = np.unique(bucket[order], return_index=True)
    bounds = np.append(starts, len(records)) * RECORD.itemsize
    return Packed(distinct, bounds, records[order].tobytes())


@dataclass(frozen=True, slots=True, eq=False)
class Unpacked:
    """Unpacked records of several buckets, one bucket after another.

    Attributes:
        tags: shape (n,): 20 bits of each record's hash.
        records: shape (n,).
        starts, lengths: shape (buckets,): first record and number of records of each bucket.
    """

    tags: npt.NDArray[np.uint32]
    records: npt.NDArray[np.void]
    starts: Rows
    lengths: Rows


def unpack(values: Sequence[bytes]) -> Unpacked:
    """Unpack the records of buckets, including empty ones."""
    lengths = np.array(list(map(len, values)), dtype=np.int64) // RECORD.itemsize
    records = np.frombuffer(b"".join(values), dtype=RECORD)
    tags = (records["tag"] >> _PLACE_BITS).astype(np.uint32, copy=False)
    return Unpacked(tags, records, np.cumsum(lengths) - lengths, lengths)


def hits_in(hashes: Hashes, rows: Rows, buckets: Unpacked, dead: npt.NDArray[np.uint32]) -> tuple[Hits, Rows]:
    """Return the records of the requested hashes.

    Args:
        hashes: the looked-up hashes, shape (q,).
        rows: bucket of each hash, shape (q,).
        buckets: the buckets as read.
        dead: removed passages; their records do not count towards the cap.

    Returns:
        The hits, and which of ``hashes`` were capped.
    """
    tags = tag_of(hashes)
    blocks = range(0, len(hashes), _BLOCK)
    same = [_pairs_with_same_tag(tags[a : a + _BLOCK], rows[a : a + _BLOCK], buckets) for a in blocks]
    queries = np.concatenate([_NONE, *(rows_of + a for a, (rows_of, _) in zip(blocks, same, strict=True))])
    records = buckets.records[np.concatenate([_NONE, *(at for _, at in same)])]
    if len(dead):
        alive = ~np.isin(records["passage"], dead)
        queries, records = queries[alive], records[alive]
    counts = np.bincount(queries, minlength=len(hashes)).astype(np.int64)
    kept, chosen, capped = capped_ranges(np.cumsum(counts) - counts, counts)
    records = records[chosen]
    return Hits(kept, records["passage"].copy(), _record_positions(records)), capped


def _pairs_with_same_tag(tags: npt.NDArray[np.uint32], rows: Rows, buckets: Unpacked) -> tuple[Rows, Rows]:
    """Return the pairs of a hash and a record that have the same tag."""
    lengths = buckets.lengths[rows]
    ends = np.cumsum(lengths)
    at = np.arange(ends[-1]) + np.repeat(buckets.starts[rows] - ends + lengths, lengths)
    same = np.flatnonzero(buckets.tags[at] == np.repeat(tags, lengths))
    return np.searchsorted(ends, same, side="right"), at[same]


def without(values: Sequence[bytes], dead: npt.NDArray[np.uint32]) -> tuple[list[bytes], int]:
    """Delete the records of removed passages; returns the new buckets and the number of capped hashes."""
    buckets = unpack(values)
    alive = ~np.isin(buckets.records["passage"], dead)
    bucket = np.repeat(np.arange(len(values)), buckets.lengths)[alive]
    _, counts = np.unique(bucket << 20 | buckets.tags[alive], return_counts=True)
    bounds = np.searchsorted(bucket, np.arange(len(values) + 1)) * RECORD.itemsize
    kept = Packed(np.arange(len(values)), bounds, buckets.records[alive].tobytes())
    return kept.values(), int((counts > POSTINGS_CAP).sum())


def _record_positions(records: npt.NDArray[np.void]) -> npt.NDArray[np.uint32]:
    low = records["tag"] & np.uint32((1 << _PLACE_BITS) - 1)
    high = records["place"].astype(np.uint32) << np.uint32(_PLACE_BITS)
    return (low | high).astype(np.uint32, copy=False)
