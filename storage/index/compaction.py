"""Compaction: the records of removed passages go, and every bucket takes as little room as it can.

A *round* goes through all buckets once, in steps of bounded size. Before its first step the removed passages
are noted (under the key ``buried``); after its last one, no bucket holds a record of them, and they are
forgotten. Where it stands is in the manifest, so that any process may do the next step; the index's lock
keeps two from doing the same one.

It is safe during look-ups, additions and removals. A step reads some buckets, then the removed passages, and
replaces each bucket by what is left of what it read, unless it was cut since; what was appended since stays.
An addition that brings a removed passage back takes it out of the removed ones before it writes its first
record, so a step that reads such a record knows that it counts.

The last step also counts the hashes that have more postings than a look-up returns.
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
_GROWTH_FACTOR = 1.25  # times as many postings as at the last round: buckets have grown by APPEND since
_MIN_GROWTH = 200_000  # and this many more, below which it is not worth the reading


@dataclass(frozen=True, slots=True)
class CompactionStep:
    """What one step did.

    Attributes:
        share: the finished share of the round, 0 to 1.
        cut: records of removed passages that went.
    """

    share: float
    cut: int


def needs_compaction(index: RedisIndex) -> bool:
    """Return whether passages were removed, the index has grown, or a round was begun."""
    with index.shards.errors():
        pipeline = index.shards.meta().pipeline(transaction=True)
        pipeline.hmget(index.key("manifest"), "cursor", "postings", "tended")
        pipeline.scard(index.key("dead"))
        (cursor, *counts), dead = pipeline.execute()
    postings, tended = (int(count or 0) for count in counts)
    has_grown = postings > tended * _GROWTH_FACTOR and postings > tended + _MIN_GROWTH
    return cursor is not None or bool(dead) or has_grown


def compact(index: RedisIndex, *, buckets: int = STEP_BUCKETS) -> CompactionStep:
    """Do one step of a round; the caller holds the index's lock. The first step begins a round.

    Args:
        index: any generation.
        buckets: how many to go through.

    Raises:
        IndexUnusable: the generation was dropped.
        ServiceDown: Redis does not answer; the next call repeats the step.
    """
    cursor, counted, since = _begin_or_resume(index)
    every = len(index.params_ids) << index.bits
    codes = _codes(index, cursor, min(cursor + buckets, every))
    cut, capped = _step(index, codes)
    cursor, counted = cursor + len(codes), counted + capped
    if cursor < every:
        _note(index, cursor, counted)
    else:
        _end(index, since, counted)
    return CompactionStep(cursor / every, cut)


def _begin_or_resume(index: RedisIndex) -> tuple[int, int, int]:
    """Return where the round stands, the capped hashes counted so far, and the postings at its beginning."""
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


def _codes(index: RedisIndex, start: int, end: int) -> Codes:
    """Return the codes of a range of buckets, where those of all parameter ids follow each other."""
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


def _step(index: RedisIndex, codes: Codes) -> tuple[int, int]:
    """Go through some buckets; return the records that went and the capped hashes."""
    while True:
        values = index.shards.read_many(index.generation, codes)
        with index.shards.errors():  # after the buckets, see above
            dead = cast("set[bytes]", index.shards.meta().smembers(index.key("dead")))
        gone = np.array(sorted(map(int, dead)), dtype=np.uint32)
        made, capped = without(values, gone)
        if _rewrite(index, codes, values, made):
            break
    return (sum(map(len, values)) - sum(map(len, made))) // RECORD.itemsize, capped


def _rewrite(index: RedisIndex, codes: Codes, read: Sequence[bytes], made: Sequence[bytes]) -> bool:
    """Replace buckets; False when one was cut since it was read.

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
        parts = chain.from_iterable(_replacement(read[row], made[row]) for row in rows)
        calls[group] = [len(rows) + 1, marks[group], *(keys[row] for row in rows), *parts]
    sizes = index.shards.run_script(scripts.REWRITE, calls)
    if -1 in sizes:
        raise IndexUnusable(problem="the generation in use is gone from Redis")
    return not any(sizes)


def _replacement(read: bytes, made: bytes) -> tuple[int, str, bytes]:
    """Return what the script wants to know of a bucket."""
    return len(read), hashlib.sha1(read).hexdigest(), made  # noqa: S324 - no secret, and Redis has no other


def _note(index: RedisIndex, cursor: int, counted: int) -> None:
    reached: dict[Any, Any] = {"cursor": cursor, "counted": counted}
    with index.shards.errors():
        index.shards.meta().hset(index.key("manifest"), mapping=reached)


def _end(index: RedisIndex, since: int, counted: int) -> None:
    index.change(scripts.END_ROUND, ("manifest", "dead", "buried"), since, counted)
