"""Compaction: delete the records of removed passages, and shrink every bucket to its smallest size.

A *round* processes all buckets once, in steps of bounded size. Before the first step, the removed passages
are recorded (under the key ``buried``). After the last step, no bucket contains their records, and the
passages are deleted from the list of removed passages. The manifest contains the progress, so any process can
do the next step. The lock of the index keeps two processes from doing the same step.

Other processes may look up, add and remove passages during a compaction. A step reads buckets, then the
removed passages, and replaces each bucket by its remaining records, unless records were cut out of the bucket
after it was read. Records that were appended after that stay. An addition that restores a removed passage
first deletes it from the list of removed passages, so a step that reads its records keeps them.

The last step also counts the hashes with more postings than a look-up returns.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

import numpy as np

from storage.index import scripts
from storage.index.keys import GROUPS, Codes, codes_of, group_of, intact_codes, keys_of
from storage.index.records import RECORD, without
from storage.index.redis_index import RedisIndex
from system.errors import IndexUnusable

STEP_BUCKETS = 4_096
_GROWTH_FACTOR = 1.25  # a round is due if the index has grown by this factor since the last round
_MIN_GROWTH = 200_000  # a round is not due if fewer postings than this were added


@dataclass(frozen=True, slots=True)
class CompactionStep:
    """The result of one step.

    Attributes:
        share: the finished share of the round, 0 to 1.
        cut: number of removed records.
    """

    share: float
    cut: int


def needs_compaction(index: RedisIndex) -> bool:
    """Return whether passages were removed, the index has grown, or a round has started."""
    with index.shards.errors():
        pipeline = index.shards.meta().pipeline(transaction=True)
        pipeline.hmget(index.key("manifest"), "cursor", "postings", "tended")
        pipeline.scard(index.key("dead"))
        (cursor, *counts), dead = pipeline.execute()
    postings, tended = (int(count or 0) for count in counts)
    has_grown = postings > tended * _GROWTH_FACTOR and postings > tended + _MIN_GROWTH
    return cursor is not None or bool(dead) or has_grown


def compact(index: RedisIndex, *, buckets: int = STEP_BUCKETS) -> CompactionStep:
    """Do one step of a round; the first step starts the round. The caller must have the index lock.

    Args:
        index: any generation.
        buckets: number of buckets in the step.

    Raises:
        IndexUnusable: the generation was dropped.
        ServiceDown: Redis does not answer; the next call repeats the step.
    """
    cursor, counted, since = _begin_or_resume(index)
    every = len(index.params_ids) << index.bits
    codes = _bucket_codes(index, cursor, min(cursor + buckets, every))
    cut, capped = _compact_range(index, codes)
    cursor, counted = cursor + len(codes), counted + capped
    if cursor < every:
        _record_progress(index, cursor, counted)
    else:
        _finish_compaction(index, since, counted)
    return CompactionStep(cursor / every, cut)


def _begin_or_resume(index: RedisIndex) -> tuple[int, int, int]:
    """Return the progress of the round, the number of capped hashes so far, and of postings at its start."""
    manifest, being_cut = index.key("manifest"), index.key("buried")
    with index.shards.errors():
        meta = index.shards.meta()
        names = ("cursor", "counted", "since", "postings")
        fields = cast("list[bytes | None]", meta.hmget(manifest, names))
        cursor, counted, since, postings = (int(field or 0) for field in fields)
        if fields[0] is not None:
            return cursor, counted, since
        pipeline = meta.pipeline(transaction=True)
        pipeline.sunionstore(being_cut, [index.key("dead")])
        first: dict[Any, Any] = {"cursor": 0, "counted": 0, "since": postings}
        pipeline.hset(manifest, mapping=first)
        pipeline.execute()
    return 0, 0, postings


def _bucket_codes(index: RedisIndex, start: int, end: int) -> Codes:
    """Return the codes of a range of buckets, counted through all parameter ids."""
    numbers = np.arange(start, end)
    per_params = 1 << index.bits
    return np.sort(
        np.concatenate(
            [
                codes_of(params, numbers[numbers // per_params == params] % per_params, index.bits)
                for params in range(len(index.params_ids))
            ]
        )
    )


def _compact_range(index: RedisIndex, codes: Codes) -> tuple[int, int]:
    """Compact buckets; returns the number of deleted records and the number of capped hashes."""
    while True:
        values = index.shards.read_many(index.generation, codes)
        with index.shards.errors():  # read after the buckets, see the module's docstring
            dead = cast("set[bytes]", index.shards.meta().smembers(index.key("dead")))
        gone = np.array(sorted(map(int, dead)), dtype=np.uint32)
        made, capped = without(values, gone)
        if _replace_buckets(index, codes, values, made):
            break
    return (sum(map(len, values)) - sum(map(len, made))) // RECORD.itemsize, capped


def _replace_buckets(index: RedisIndex, codes: Codes, read: Sequence[bytes], made: Sequence[bytes]) -> bool:
    """Replace buckets; returns False if a bucket was cut after it was read.

    Raises:
        IndexUnusable: the generation was dropped.
    """
    keys = keys_of(index.generation, codes)
    marks = keys_of(index.generation, intact_codes(np.arange(GROUPS)))
    touched: dict[int, list[int]] = {}
    for row, group in enumerate(group_of(codes).tolist()):
        if read[row]:
            touched.setdefault(group, []).append(row)
    calls: dict[int, list[Any]] = {}
    for group, rows in touched.items():
        parts = chain.from_iterable(_replace_arguments(read[row], made[row]) for row in rows)
        calls[group] = [len(rows) + 1, marks[group], *(keys[row] for row in rows), *parts]
    sizes = index.shards.run_script(scripts.REWRITE, calls)
    if -1 in sizes:
        raise IndexUnusable(problem="the index in use is missing from Redis")
    return not any(sizes)


def _replace_arguments(read: bytes, made: bytes) -> tuple[int, str, bytes]:
    """Return the arguments of the script for a bucket."""
    return len(read), hashlib.sha1(read).hexdigest(), made  # noqa: S324 - not a secret, and Redis has no other digest


def _record_progress(index: RedisIndex, cursor: int, counted: int) -> None:
    reached: dict[Any, Any] = {"cursor": cursor, "counted": counted}
    with index.shards.errors():
        index.shards.meta().hset(index.key("manifest"), mapping=reached)


def _finish_compaction(index: RedisIndex, since: int, counted: int) -> None:
    index.change(scripts.END_ROUND, ("manifest", "dead", "buried"), since, counted)
