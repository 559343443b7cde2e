"""The index in Redis: packed postings that a round trip reads by the hundred.

Layout. The mixed 64-bit hash's top 18 bits choose a bucket; a bucket is one binary string of 12-byte
records (hash's low 32 bits, passage id, position), grown by APPEND and read by MGET. All keys of a
generation carry its name, so a new generation is built beside the live one and one pointer is swapped::

    pindna:live                    name of the generation that answers
    pindna:generations             set of all generations, so that abandoned ones are found
    pindna:<g>:manifest            hash: parameter ids, format, corpus, version, and ``stamp``, which every
                                   change renews
    pindna:<g>:passages            hash: passage id → its postings, or -1 while it is being added
    pindna:<g>:dead                set: removed passages whose records are still in the buckets
    pindna:<g>:<p>:<bucket>        records of the p-th parameter id

``corpus`` is the identity of the MongoDB database and ``version`` its corpus version when it was last
indexed from: an index of another database, or one that is ahead of a restored database, is noticed.

Repeating is harmless. A passage is marked unfinished before its first APPEND and complete after its last; an
addition that finds the unfinished mark of an earlier attempt, or a removed passage of that id, first cuts
those records out of the buckets. Redis's append-only file keeps the order of writes, so a crash leaves a
prefix of this, never a passage that is marked complete without its records. Two workers must not add one
passage at the same time; the lease on its work sees to that.
"""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import redis

from fingerprint.mixing import Hashes
from storage.errors import ForeignIndex, IndexUnusable
from storage.index.interface import Hits, IndexStatistics, PassageFingerprints
from storage.index.records import FORMAT, bucket_of, hits_in, packed
from storage.redis_client import redis_errors

_PREFIX = "pindna"
_LIVE = f"{_PREFIX}:live"
_GENERATIONS = f"{_PREFIX}:generations"
_UNFINISHED = -1
_LOCK_S = 60
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
        generation: its name; see :meth:`live` and :meth:`create`.
        version: corpus version that the manifest names.
        dead: removed passages that lookups leave out.
    """

    def __init__(
        self,
        client: redis.Redis,
        params_ids: Sequence[str],
        generation: str,
        *,
        version: int = 0,
        dead: Iterable[int] = (),
    ) -> None:
        self._client = client
        self._params_ids = tuple(params_ids)
        self.generation = generation
        self.version = version
        self._dead = np.array(sorted(dead), dtype=np.uint32)
        self._cut = client.register_script(_CUT)

    @classmethod
    def live(cls, client: redis.Redis, params_ids: Sequence[str], *, corpus: str) -> "RedisIndex":
        """Return the generation that answers.

        Args:
            client: Redis.
            params_ids: the fingerprints that it must hold.
            corpus: identity of the database that it must be an index of.

        Raises:
            IndexUnusable: there is none, or it is an index of something else.
            ServiceDown: Redis does not answer.
        """
        with redis_errors(client):
            pointer = cast("bytes | None", client.get(_LIVE))
            if pointer is None:
                raise IndexUnusable(problem="Redis holds no index")
            generation = pointer.decode()
            pipeline = client.pipeline(transaction=True)
            pipeline.hgetall(f"{_PREFIX}:{generation}:manifest")
            pipeline.smembers(f"{_PREFIX}:{generation}:dead")
            manifest, dead = pipeline.execute()
        if b"corpus" not in manifest:  # gone, or all that is there is the stamp of a late change
            raise IndexUnusable(problem="the live generation has no manifest")
        if manifest[b"corpus"].decode() != corpus:
            raise ForeignIndex
        if json.loads(manifest[b"params_ids"]) != list(params_ids) or int(manifest[b"format"]) != FORMAT:
            raise IndexUnusable(problem="it was built with other parameters")
        version = int(manifest[b"version"])
        return cls(client, params_ids, generation, version=version, dead=map(int, dead))

    @classmethod
    def create(cls, client: redis.Redis, params_ids: Sequence[str], *, corpus: str) -> "RedisIndex":
        """Begin a new, empty generation beside the live one.

        Raises:
            ServiceDown: Redis does not answer.
        """
        index = cls(client, params_ids, secrets.token_hex(3))
        fields: dict[Any, Any] = {
            "params_ids": json.dumps(list(params_ids)),
            "format": FORMAT,
            "corpus": corpus,
            "version": 0,
            "stamp": secrets.token_hex(8),
        }
        with redis_errors(client):
            client.sadd(_GENERATIONS, index.generation)
            client.hset(index._key("manifest"), mapping=fields)
        return index

    def go_live(self) -> None:
        """Let this generation answer, and drop every other one.

        Raises:
            ServiceDown: Redis does not answer.
        """
        with redis_errors(self._client):
            self._client.set(_LIVE, self.generation)
        drop_abandoned(self._client)

    def stamp(self) -> tuple[str, str]:
        """Return (generation, stamp): it differs whenever the index changed, and is cheap to read.

        Raises:
            IndexUnusable: this generation is not, or no longer, the one that answers.
        """
        with redis_errors(self._client):
            pipeline = self._client.pipeline(transaction=False)
            pipeline.get(_LIVE)
            pipeline.hget(self._key("manifest"), "stamp")
            pointer, stamp = pipeline.execute()
        if pointer is None or stamp is None or pointer.decode() != self.generation:
            raise IndexUnusable(problem="the generation in use is gone from Redis")
        return self.generation, stamp.decode()

    def note_version(self, version: int) -> None:
        """Note the corpus version that the index has caught up with."""
        with redis_errors(self._client):
            self._client.hset(self._key("manifest"), "version", str(version))
        self.version = version

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
            self._client.sadd(_GENERATIONS, self.generation)  # if it was dropped, the next drop finds this
            marks: dict[Any, Any] = dict.fromkeys(ids, _UNFINISHED)
            self._client.hset(self._key("passages"), mapping=marks)
            self._append(buckets)
            done: dict[Any, Any] = {each.passage_id: each.postings for each in new}
            pipeline = self._client.pipeline(transaction=True)
            pipeline.hset(self._key("passages"), mapping=done)
            pipeline.srem(self._key("dead"), *ids)
            pipeline.hset(self._key("manifest"), "stamp", secrets.token_hex(8))
            pipeline.execute()
        self._dead = np.setdiff1d(self._dead, np.array(ids, dtype=np.uint32))

    def remove(self, passage_ids: Iterable[int]) -> None:
        """Take passages out of the answers; their records go when the index is rebuilt."""
        ids = list(passage_ids)
        with redis_errors(self._client):
            for start in range(0, len(ids), _PIPELINE):
                chunk = ids[start : start + _PIPELINE]
                pipeline = self._client.pipeline(transaction=True)
                pipeline.sadd(_GENERATIONS, self.generation)  # as in add
                pipeline.sadd(self._key("dead"), *chunk)
                pipeline.hdel(self._key("passages"), *map(str, chunk))
                pipeline.hset(self._key("manifest"), "stamp", secrets.token_hex(8))
                pipeline.execute()
        self._dead = np.union1d(self._dead, np.array(ids, dtype=np.uint32))

    def lookup(self, hashes: Mapping[str, Hashes]) -> dict[str, Hits]:
        """Return the postings of many hashes by parameter id, in one round trip.

        Raises:
            IndexUnusable: the generation was dropped meanwhile, so what was not found proves nothing.
            ServiceDown: Redis does not answer.
        """
        pipeline = self._client.pipeline(transaction=False)
        keys = {each: self._bucket_keys(each, bucket_of(wanted)) for each, wanted in hashes.items()}
        asked = [(each, start) for each in keys for start in range(0, len(keys[each]), _PIPELINE)]
        for params_id, start in asked:
            pipeline.mget(keys[params_id][start : start + _PIPELINE])
        pipeline.hexists(self._key("manifest"), "corpus")  # a late change leaves a stamp, never this
        with redis_errors(self._client):
            *answers, is_there = pipeline.execute()
        if not is_there:
            raise IndexUnusable(problem="the generation in use is gone from Redis")
        values: dict[str, list[bytes | None]] = {params_id: [] for params_id in hashes}
        for (params_id, _start), answer in zip(asked, answers, strict=True):
            values[params_id] += answer
        return {each: hits_in(wanted, values[each], self._dead) for each, wanted in hashes.items()}

    def statistics(self) -> IndexStatistics:
        """Return what the index holds."""
        with redis_errors(self._client):
            counts = [int(value) for value in self._client.hvals(self._key("passages"))]
            dead = int(self._client.scard(self._key("dead")))
            memory = int(self._client.info("memory")["used_memory"])
        return IndexStatistics(
            generation=self.generation,
            params_ids=self._params_ids,
            passages=sum(count >= 0 for count in counts),
            unfinished=sum(count < 0 for count in counts),
            dead=dead,
            postings=sum(count for count in counts if count > 0),
            memory_bytes=memory,
        )

    def _key(self, name: str) -> str:
        return f"{_PREFIX}:{self.generation}:{name}"

    def _bucket_keys(self, params_id: str, buckets: Iterable[int]) -> list[str]:
        prefix = self._key(f"{self._params_ids.index(params_id)}:")
        return [f"{prefix}{bucket:x}" for bucket in buckets]

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
        return {
            key: records
            for params_id in self._params_ids
            for bucket, records in packed(batch, params_id)
            for key in self._bucket_keys(params_id, (bucket,))
        }

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


def drop_abandoned(client: redis.Redis) -> None:
    """Delete every generation but the live one: replaced ones, and those whose builder died.

    Raises:
        ServiceDown: Redis does not answer.
    """
    with redis_errors(client):
        live = client.get(_LIVE)
        for generation in cast("set[bytes]", client.smembers(_GENERATIONS)):
            if generation != live:
                _drop(client, generation.decode())
                client.srem(_GENERATIONS, generation)


def _drop(client: redis.Redis, generation: str) -> None:
    found: list[bytes] = []
    client.unlink(f"{_PREFIX}:{generation}:manifest")  # first: a lookup that still finds it found all
    for key in client.scan_iter(match=f"{_PREFIX}:{generation}:*", count=10_000):
        found.append(key)
        if len(found) == _PIPELINE:
            client.unlink(*found)
            found.clear()
    if found:
        client.unlink(*found)


def may_evict(client: redis.Redis) -> bool:
    """Tell whether the server deletes keys when memory runs short; False where it does not say."""
    try:
        settings = {**client.config_get("maxmemory*")}  # one pattern: Redis 6 takes no list
    except redis.ResponseError:  # managed servers hide their configuration
        return False
    return settings["maxmemory"] != "0" and settings["maxmemory-policy"] != "noeviction"


@contextmanager
def index_lock(client: redis.Redis) -> Iterator[Callable[[], object]]:
    """Let one process at a time mend or rebuild; yields a function that must be called while it takes long.

    The lock expires a minute after its holder died.

    Raises:
        ServiceDown: Redis does not answer.
        RedisFailed: the lock was lost, because the function was not called in time.
    """
    with redis_errors(client):
        lock = client.lock(f"{_PREFIX}:lock", timeout=_LOCK_S)
        with lock:
            yield lock.reacquire
