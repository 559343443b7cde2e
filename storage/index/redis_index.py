"""The index in Redis: packed postings that a round trip reads by the hundred.

Layout. The mixed 64-bit hash's top 18 bits choose a bucket; a bucket is one binary string of 12-byte
records (hash's low 32 bits, passage id, position), grown by APPEND and read by MGET. All keys of a
generation carry its number, so a new generation is built beside the live one and one pointer is swapped::

    pindna:live                    number of the generation that answers
    pindna:generations             counter
    pindna:<g>:manifest            hash: parameter ids, format, and ``stamp``, raised by every change
    pindna:<g>:passages            hash: passage id → its postings, or -1 while it is being added
    pindna:<g>:dead                set: removed passages whose records are still in the buckets
    pindna:<g>:<p>:<bucket>        records of the p-th parameter id

Exactly once in effect. A passage is marked unfinished before its first APPEND and complete after its last;
an addition that finds the unfinished mark of an earlier attempt, or a passage that was removed, first cuts
those records out of the buckets. Redis's append-only file keeps the order of writes, so a crash leaves a
prefix of this, never a passage that is marked complete without its records. Passages are added by one
worker at a time (lease).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import redis

from fingerprint.mixing import Hashes
from storage.errors import IndexUnusable
from storage.index.interface import Hits, IndexStatistics, PassageFingerprints, capped_ranges
from storage.redis_client import redis_errors

FORMAT = 1
BUCKET_BITS = 18
RECORD = np.dtype([("hash", "<u4"), ("passage", "<u4"), ("position", "<u4")])

_PREFIX = "pindna"
_LIVE = f"{_PREFIX}:live"
_UNFINISHED = -1
_LOCK_S = 600
_PIPELINE = 5_000  # commands sent at once: bounds the client's and the server's buffers

# Cut the records of given passages (packed uint32) out of one bucket. One key, so it suits a cluster.
_CUT = """
local data = redis.call('GET', KEYS[1])
if not data then return 0 end
local gone = {}
for start = 1, #ARGV[1], 4 do gone[string.sub(ARGV[1], start, start + 3)] = true end
local kept = {}
for start = 1, #data, 12 do
  if not gone[string.sub(data, start + 4, start + 7)] then
    kept[#kept + 1] = string.sub(data, start, start + 11)
  end
end
local left = table.concat(kept)
if #left == #data then return 0 end
if #left == 0 then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], left) end
return (#data - #left) / 12
"""


class RedisIndex:
    """One generation of the index.

    Args:
        client: bytes in, bytes out (no ``decode_responses``).
        params_ids: the fingerprints that the index holds, in a fixed order.
        generation: its number; see :meth:`live` and :meth:`create`.
    """

    def __init__(self, client: redis.Redis, params_ids: Sequence[str], generation: int) -> None:
        self._client = client
        self._params_ids = tuple(params_ids)
        self.generation = generation
        self._cut = client.register_script(_CUT)

    @classmethod
    def live(cls, client: redis.Redis, params_ids: Sequence[str]) -> "RedisIndex":
        """Return the generation that answers.

        Raises:
            IndexUnusable: there is none, or it holds other fingerprints than ``params_ids``.
            ServiceDown: Redis does not answer.
        """
        with redis_errors(client):
            pointer = client.get(_LIVE)
            if pointer is None:
                raise IndexUnusable(problem="Redis holds no index")
            index = cls(client, params_ids, int(cast("bytes", pointer)))
            manifest = client.hgetall(index._key("manifest"))
        if not manifest:
            raise IndexUnusable(problem=f"generation {index.generation} has no manifest")
        if json.loads(manifest[b"params_ids"]) != list(params_ids) or int(manifest[b"format"]) != FORMAT:
            raise IndexUnusable(problem="it was built with other parameters")
        return index

    @classmethod
    def create(cls, client: redis.Redis, params_ids: Sequence[str]) -> "RedisIndex":
        """Begin a new, empty generation beside the live one.

        Raises:
            ServiceDown: Redis does not answer.
        """
        with redis_errors(client):
            index = cls(client, params_ids, int(client.incr(f"{_PREFIX}:generations")))
            fields: dict[Any, Any] = {
                "params_ids": json.dumps(list(params_ids)),
                "format": FORMAT,
                "stamp": 0,
            }
            client.hset(index._key("manifest"), mapping=fields)
        return index

    def go_live(self) -> None:
        """Let this generation answer, and drop the one that did."""
        with redis_errors(self._client):
            before = self._client.getset(_LIVE, self.generation)
        if before is not None and int(cast("bytes", before)) != self.generation:
            RedisIndex(self._client, self._params_ids, int(cast("bytes", before))).drop()

    def drop(self) -> None:
        """Delete every key of this generation."""
        with redis_errors(self._client):
            found: list[bytes] = []
            self._client.unlink(self._key("manifest"))  # first: a lookup that still finds it found all
            for key in self._client.scan_iter(match=self._key("*"), count=10_000):
                found.append(key)
                if len(found) == _PIPELINE:
                    self._client.unlink(*found)
                    found.clear()
            if found:
                self._client.unlink(*found)

    def stamp(self) -> tuple[int, int]:
        """Return (generation, stamp): it differs whenever the index changed, and is cheap to read.

        Raises:
            IndexUnusable: this generation is not, or no longer, the one that answers.
        """
        with redis_errors(self._client):
            pipeline = self._client.pipeline(transaction=False)
            pipeline.get(_LIVE)
            pipeline.hget(self._key("manifest"), "stamp")
            pointer, stamp = pipeline.execute()
        if pointer is None or stamp is None or int(pointer) != self.generation:
            raise IndexUnusable(problem=f"generation {self.generation} is gone from Redis")
        return self.generation, int(stamp)

    def missing(self, passage_ids: Sequence[int]) -> list[int]:
        """Return those of ``passage_ids`` that are not complete in the index."""
        counts = self._counts(passage_ids)
        return [each for each, count in zip(passage_ids, counts, strict=True) if count is None or count < 0]

    def postings(self, passage_ids: Sequence[int]) -> int:
        """Return the number of postings of complete passages."""
        return sum(count for count in self._counts(passage_ids) if count is not None and count > 0)

    def add(self, batch: Sequence[PassageFingerprints]) -> None:
        """Add passages; those that are complete already are left alone.

        Raises:
            ServiceDown: Redis does not answer; the call may be repeated.
            RedisFailed: Redis is out of memory or disk; the call may be repeated.
        """
        counts = self._counts([each.passage_id for each in batch])
        new = [each for each, count in zip(batch, counts, strict=True) if count is None or count < 0]
        if not new:
            return
        ids = [each.passage_id for each in new]
        buckets = self._buckets(new)
        with redis_errors(self._client):
            left = any(count == _UNFINISHED for count in counts)
            if left or any(self._client.smismember(self._key("dead"), list(map(str, ids)))):
                self._cut_out(buckets, ids)
            marks: dict[Any, Any] = dict.fromkeys(ids, _UNFINISHED)
            self._client.hset(self._key("passages"), mapping=marks)
            self._append(buckets)
            done: dict[Any, Any] = {each.passage_id: each.postings for each in new}
            pipeline = self._client.pipeline(transaction=True)
            pipeline.hset(self._key("passages"), mapping=done)
            pipeline.srem(self._key("dead"), *ids)
            pipeline.hincrby(self._key("manifest"), "stamp", 1)
            pipeline.execute()

    def remove(self, passage_ids: Iterable[int]) -> None:
        """Take passages out of the answers; their records go when the index is rebuilt."""
        ids = list(passage_ids)
        if not ids:
            return
        with redis_errors(self._client):
            pipeline = self._client.pipeline(transaction=True)
            pipeline.sadd(self._key("dead"), *ids)
            pipeline.hdel(self._key("passages"), *map(str, ids))
            pipeline.hincrby(self._key("manifest"), "stamp", 1)
            pipeline.execute()

    def lookup(self, hashes: Mapping[str, Hashes]) -> dict[str, Hits]:
        """Return the postings of many hashes by parameter id, in one round trip.

        A removed passage may still appear; who asks must not find it in MongoDB.

        Raises:
            IndexUnusable: the generation was dropped meanwhile, so what was not found proves nothing.
            ServiceDown: Redis does not answer.
        """
        pipeline = self._client.pipeline(transaction=False)
        asked = {params_id: wanted for params_id, wanted in hashes.items() if len(wanted)}
        for params_id, wanted in asked.items():
            pipeline.mget(self._bucket_keys(params_id, _bucket_of(wanted)))
        pipeline.exists(self._key("manifest"))
        with redis_errors(self._client):
            *answers, is_there = pipeline.execute()
        if not is_there:
            raise IndexUnusable(problem=f"generation {self.generation} is gone from Redis")
        found = {
            params_id: _hits(wanted, values)
            for (params_id, wanted), values in zip(asked.items(), answers, strict=True)
        }
        return {params_id: found.get(params_id, _hits(wanted, [])) for params_id, wanted in hashes.items()}

    def statistics(self) -> IndexStatistics:
        """Return what the index holds."""
        with redis_errors(self._client):
            counts = [int(value) for value in self._client.hvals(self._key("passages"))]
            dead = int(self._client.scard(self._key("dead")))
            memory = int(self._client.info("memory")["used_memory"])
        return IndexStatistics(
            generation=str(self.generation),
            params_ids=self._params_ids,
            passages=sum(count >= 0 for count in counts),
            unfinished=sum(count < 0 for count in counts),
            dead=dead,
            postings=sum(count for count in counts if count > 0),
            memory_bytes=memory,
        )

    def _key(self, name: str) -> str:
        return f"{_PREFIX}:{self.generation}:{name}"

    def _bucket_keys(self, params_id: str, buckets: npt.NDArray[np.uint64]) -> list[str]:
        prefix = self._key(f"{self._params_ids.index(params_id)}:")
        return [f"{prefix}{bucket:x}" for bucket in buckets.tolist()]

    def _counts(self, passage_ids: Sequence[int]) -> list[int | None]:
        """Return each passage's number of postings, -1 when unfinished, None when unknown."""
        counts: list[int | None] = []
        with redis_errors(self._client):
            for start in range(0, len(passage_ids), _PIPELINE):
                fields = list(map(str, passage_ids[start : start + _PIPELINE]))
                values = cast("list[Any]", self._client.hmget(self._key("passages"), fields))
                counts += [None if value is None else int(value) for value in values]
        return counts

    def _buckets(self, batch: Sequence[PassageFingerprints]) -> dict[str, bytes]:
        """Return the records to append by bucket key."""
        grouped: dict[str, bytes] = {}
        for params_id in self._params_ids:
            hashes = np.concatenate([each.sets[params_id].hashes for each in batch])
            if len(hashes) == 0:  # texts shorter than this method's window
                continue
            records = np.empty(len(hashes), dtype=RECORD)
            records["hash"] = hashes & np.uint64(0xFFFFFFFF)
            records["passage"] = np.repeat(
                np.array([each.passage_id for each in batch], dtype=np.uint32),
                [len(each.sets[params_id]) for each in batch],
            )
            records["position"] = np.concatenate([each.sets[params_id].positions for each in batch])
            bucket = _bucket_of(hashes)
            order = np.argsort(bucket, kind="stable")
            distinct, starts, counts = np.unique(bucket[order], return_index=True, return_counts=True)
            data, size = records[order].tobytes(), RECORD.itemsize
            ends = (starts + counts).tolist()
            for key, start, end in zip(
                self._bucket_keys(params_id, distinct), starts.tolist(), ends, strict=True
            ):
                grouped[key] = data[start * size : end * size]
        return grouped

    def _append(self, buckets: Mapping[str, bytes]) -> None:
        items = list(buckets.items())
        for start in range(0, len(items), _PIPELINE):
            pipeline = self._client.pipeline(transaction=False)
            for key, records in items[start : start + _PIPELINE]:
                pipeline.append(key, records)
            pipeline.execute()

    def _cut_out(self, buckets: Iterable[str], passage_ids: Sequence[int]) -> None:
        gone = np.array(passage_ids, dtype="<u4").tobytes()
        for key in buckets:
            self._cut(keys=[key], args=[gone])


@contextmanager
def index_lock(client: redis.Redis) -> Iterator[None]:
    """Let one process at a time mend or rebuild; the lock expires by itself when its holder dies.

    Raises:
        ServiceDown: Redis does not answer.
    """
    with redis_errors(client), client.lock(f"{_PREFIX}:lock", timeout=_LOCK_S, blocking=True):
        yield


def _bucket_of(hashes: Hashes) -> npt.NDArray[np.uint64]:
    return hashes >> np.uint64(64 - BUCKET_BITS)


def _hits(wanted: Hashes, values: Sequence[bytes | None]) -> Hits:
    """Pick the records that carry the looked-up hashes out of their buckets."""
    lengths = np.array([len(value) if value else 0 for value in values], dtype=np.int64) // RECORD.itemsize
    records = np.frombuffer(b"".join(value or b"" for value in values), dtype=RECORD)
    queries = np.repeat(np.arange(len(values)), lengths)
    same = np.flatnonzero(records["hash"] == (wanted & np.uint64(0xFFFFFFFF)).astype(np.uint32)[queries])
    counts = np.bincount(queries[same], minlength=len(values)).astype(np.int64)
    kept, rows, capped = capped_ranges(np.cumsum(counts) - counts, counts)
    chosen = records[same[rows]]
    return Hits(kept, chosen["passage"].copy(), chosen["position"].copy(), capped)
