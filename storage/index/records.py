"""Packed postings: 12-byte records, and the buckets that a hash's top bits choose. Pure."""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from fingerprint.mixing import Hashes
from storage.index.interface import Hits, PassageFingerprints, capped_ranges

FORMAT = 1
BUCKET_BITS = 18
RECORD = np.dtype([("hash", "<u4"), ("passage", "<u4"), ("position", "<u4")])

_LOW = np.uint64(0xFFFFFFFF)


def bucket_of(hashes: Hashes) -> npt.NDArray[np.uint64]:
    """Return the bucket of each hash: its top bits."""
    return hashes >> np.uint64(64 - BUCKET_BITS)


def packed(batch: Sequence[PassageFingerprints], params_id: str) -> Iterator[tuple[int, bytes]]:
    """Yield each bucket that a batch of passages touches, with the records to append to it."""
    hashes = np.concatenate([each.sets[params_id].hashes for each in batch])
    records = np.empty(len(hashes), dtype=RECORD)
    records["hash"] = hashes & _LOW
    records["passage"] = np.repeat(
        np.array([each.passage_id for each in batch], dtype=np.uint32),
        [len(each.sets[params_id]) for each in batch],
    )
    records["position"] = np.concatenate([each.sets[params_id].positions for each in batch])
    bucket = bucket_of(hashes)
    order = np.argsort(bucket, kind="stable")
    distinct, starts, counts = np.unique(bucket[order], return_index=True, return_counts=True)
    data, size = records[order].tobytes(), RECORD.itemsize
    ends = (starts + counts).tolist()
    for each, start, end in zip(distinct.tolist(), starts.tolist(), ends, strict=True):
        yield each, data[start * size : end * size]


def hits_in(wanted: Hashes, values: Sequence[bytes | None], dead: npt.NDArray[np.uint32]) -> Hits:
    """Pick the records that carry the looked-up hashes out of their buckets.

    Args:
        wanted: the looked-up hashes, shape (q,).
        values: each one's bucket, None when there is none.
        dead: passages that were removed; their records do not count towards the cap either.
    """
    lengths = np.array([len(value) if value else 0 for value in values], dtype=np.int64) // RECORD.itemsize
    records = np.frombuffer(b"".join(value or b"" for value in values), dtype=RECORD)
    queries = np.repeat(np.arange(len(values)), lengths)
    same = np.flatnonzero(records["hash"] == (wanted & _LOW).astype(np.uint32)[queries])
    if len(dead):
        same = same[~np.isin(records["passage"][same], dead)]
    counts = np.bincount(queries[same], minlength=len(values)).astype(np.int64)
    kept, rows, capped = capped_ranges(np.cumsum(counts) - counts, counts)
    chosen = records[same[rows]]
    return Hits(kept, chosen["passage"].copy(), chosen["position"].copy(), capped)
