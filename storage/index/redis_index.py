"""The index in Redis: packed postings that a round trip reads by the thousand.

Layout. A hash's lowest bits choose a bucket; a bucket is one binary string of 9-byte records
(:mod:`storage.index.records`), grown by APPEND and read by MGET. All keys of a generation carry its name
(:mod:`storage.index.keys`), so a new generation is built beside the live one and one pointer is swapped. A
generation has a fixed number of buckets, chosen when it is built: a bucket costs about 90 bytes beside its
records, and a look-up reads it whole.

``corpus`` is the identity of the MongoDB database; ``version`` and ``mark`` are those of its corpus when the
index had caught up with it: an index of another database, or one that a restored database knows nothing of,
is noticed.

Repeating is harmless. A passage is marked unfinished before its first APPEND and complete after its last; an
addition that finds the unfinished mark of an earlier attempt, or a removed passage of that id, first cuts
those records out of the buckets. Redis's append-only file keeps the order of writes, so a crash of a server
leaves a prefix of this, never a passage that is marked complete without its records. Of a cluster, nodes may
lose more or less of their last second each; what the guard then does is said in :mod:`tracker.indexing`. Two
workers must not add one passage at the same time; the lease on its work sees to that.

An empty answer is one from a whole index. Every tag has a mark that is written when a generation is created,
read after the buckets of that tag, and dropped before them: a look-up in a generation that was dropped
meanwhile, or on a node that came back empty, is an error.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Any, cast

import numpy as np

from fingerprint.mixing import Hashes
from storage.errors import ForeignIndex, IndexUnusable
from storage.index import scripts
from storage.index.interface import (
    Hits,
    IndexStatistics,
    PassageFingerprints,
    by_page,
    joined,
)
from storage.index.keys import (
    GENERATION_BYTES,
    GENERATIONS,
    GROUPS,
    LIVE,
    MAX_BITS,
    MIN_BITS,
    Codes,
    codes_of,
    group_of,
    intact_codes,
    is_intact,
    keys_of,
    meta_key,
)
from storage.index.records import FORMAT, bucket_of, hits_in, opened, packed
from storage.index.shards import Shards
from storage.index.upkeep import drop_abandoned
from storage.redis_client import Client

_UNFINISHED = -1
_IDS = 5_000  # ids in one command: bounds the client's and the server's buffers
_KEYS = 2_000  # keys that one script changes
_RECORDS = 48  # a bucket of a new generation, on average: its own cost is then a fifth of its records'
_CROWDED = 4  # times as many, and it is time for more buckets

_EVERY_MARK = intact_codes(np.arange(GROUPS))


def bits_for(postings: int, methods: int) -> int:
    """Return the number of bits that choose a bucket in a new generation.

    Args:
        postings: how many it will hold.
        methods: how many parameter ids they belong to.
    """
    buckets = max(1, postings // (methods * _RECORDS))
    return min(MAX_BITS, max(MIN_BITS, round(float(np.log2(buckets)))))


class RedisIndex:
    """One generation of the index.

    Args:
        shards: where it is.
        params_ids: the fingerprints that the index holds, in a fixed order.
        generation: its name; see :meth:`live` and :meth:`create`.
        bits: how many bits choose a bucket.
        caught_up: version and mark of the corpus that the manifest names.
        dead: removed passages that look-ups leave out.
    """

    def __init__(
        self,
        shards: Shards,
        params_ids: Sequence[str],
        generation: str,
        *,
        bits: int,
        caught_up: tuple[int, str] = (0, ""),
        dead: Iterable[int] = (),
    ) -> None:
        self.shards = shards
        self.params_ids = tuple(params_ids)
        self.generation = generation
        self.bits = bits
        self.caught_up = caught_up
        self._dead = np.array(sorted(dead), dtype=np.uint32)

    @classmethod
    def live(cls, client: Client, params_ids: Sequence[str], *, corpus: str) -> "RedisIndex":
        """Return the generation that answers.

        Args:
            client: Redis.
            params_ids: the fingerprints that it must hold.
            corpus: identity of the database that it must be an index of.

        Raises:
            IndexUnusable: there is none, or it is an index of something else.
            ServiceDown: Redis does not answer.
        """
        shards = Shards(client)
        with shards.errors():
            meta = shards.meta()
            pointer = cast("bytes | None", meta.get(LIVE))
            if pointer is None:
                raise IndexUnusable(problem="Redis holds no index")
            generation = pointer.decode()
            pipeline = meta.pipeline(transaction=True)
            pipeline.hgetall(meta_key(generation, "manifest"))
            pipeline.smembers(meta_key(generation, "dead"))
            manifest, dead = pipeline.execute()
        if b"corpus" not in manifest:  # gone, or all that is there is the stamp of a late change
            raise IndexUnusable(problem="the live generation has no manifest")
        if manifest[b"corpus"].decode() != corpus:
            raise ForeignIndex
        if json.loads(manifest[b"params_ids"]) != list(params_ids) or int(manifest[b"format"]) != FORMAT:
            raise IndexUnusable(problem="it was built with other parameters")
        return cls(
            shards,
            params_ids,
            generation,
            bits=int(manifest[b"bits"]),
            caught_up=(int(manifest[b"version"]), manifest[b"mark"].decode()),
            dead=map(int, dead),
        )

    @classmethod
    def create(
        cls, client: Client, params_ids: Sequence[str], *, corpus: str, bits: int = MIN_BITS
    ) -> "RedisIndex":
        """Begin a new, empty generation beside the live one.

        Raises:
            ServiceDown: Redis does not answer.
        """
        shards = Shards(client)
        with shards.errors():
            generation = secrets.token_hex(GENERATION_BYTES)
            while not shards.meta().sadd(GENERATIONS, generation):  # an abandoned one has that name
                generation = secrets.token_hex(GENERATION_BYTES)
        index = cls(shards, params_ids, generation, bits=bits)
        index._set_marks()
        fields: dict[Any, Any] = {
            "params_ids": json.dumps(list(params_ids)),
            "format": FORMAT,
            "bits": bits,
            "corpus": corpus,
            "version": 0,
            "mark": "",
            "postings": 0,
            "tended": 0,
            "capped": 0,
            "stamp": secrets.token_hex(8),
        }
        with shards.errors():
            shards.meta().hset(index.key("manifest"), mapping=fields)
        index.note_runs()
        return index

    def go_live(self) -> None:
        """Let this generation answer, and drop every other one.

        Raises:
            ServiceDown: Redis does not answer.
        """
        with self.shards.errors():
            self.shards.meta().set(LIVE, self.generation)
        drop_abandoned(self.shards.client)

    def stamp(self) -> tuple[str, str]:
        """Return (generation, stamp): it differs whenever the index changed, and is cheap to read.

        Raises:
            IndexUnusable: this generation is not, or no longer, the one that answers.
        """
        with self.shards.errors():
            pipeline = self.shards.meta().pipeline(transaction=False)
            pipeline.get(LIVE)
            pipeline.hget(self.key("manifest"), "stamp")
            pointer, stamp = pipeline.execute()
        if pointer is None or stamp is None or pointer.decode() != self.generation:
            raise IndexUnusable(problem="the generation in use is gone from Redis")
        return self.generation, stamp.decode()

    def note_version(self, version: int, mark: str) -> None:
        """Note the version of the corpus that the index has caught up with, and its mark."""
        fields: dict[Any, Any] = {"version": version, "mark": mark}
        with self.shards.errors():
            self.shards.meta().hset(self.key("manifest"), mapping=fields)
        self.caught_up = version, mark

    def was_restarted(self) -> bool:
        """Tell whether nodes of a cluster were started or exchanged since this was last noted.

        One server that starts again has lost the end of what was written, and nothing before it. Nodes lose
        ends of their own.
        """
        if len(self.shards.nodes()) == 1:
            return False
        with self.shards.errors():
            noted = cast("bytes | None", self.shards.meta().hget(self.key("manifest"), "runs"))
        return noted is None or noted.decode() != self._runs()

    def note_runs(self) -> None:
        """Note that all that was written before is there."""
        with self.shards.errors():
            self.shards.meta().hset(self.key("manifest"), "runs", self._runs())

    def _runs(self) -> str:
        with self.shards.errors():
            return " ".join(sorted(str(node.info("server")["run_id"]) for node in self.shards.nodes()))

    def missing(self, passage_ids: Sequence[int]) -> list[int]:
        """Return those of ``passage_ids`` that are not complete in the index."""
        counts = self._counts(passage_ids)
        return [each for each, count in zip(passage_ids, counts, strict=True) if count is None or count < 0]

    def postings(self, passage_ids: Sequence[int]) -> dict[int, int]:
        """Return the number of postings of each complete passage."""
        counts = zip(passage_ids, self._counts(passage_ids), strict=True)
        return {each: count for each, count in counts if count is not None and count >= 0}

    def add(self, batch: Sequence[PassageFingerprints]) -> None:
        """Add passages; those that are complete already are left alone.

        The larger the batch, the fewer buckets are written more than once.

        Raises:
            IndexUnusable: the generation was dropped meanwhile.
            ServiceDown: Redis does not answer; the call may be repeated.
            RedisFailed: Redis is out of memory or disk; the call may be repeated.
        """
        counts = self._counts([each.passage_id for each in batch])
        new = [each for each, count in zip(batch, counts, strict=True) if count is None or count < 0]
        if not new:
            return
        ids = [each.passage_id for each in new]
        codes, records = self._packed(new)
        if any(count == _UNFINISHED for count in counts) or self._were_removed(ids):
            self._cut_out(codes, ids)
        self._mark_unfinished(ids)
        self._append(codes, records)
        counts_of = chain.from_iterable((each.passage_id, each.postings) for each in new)
        self.change(scripts.COMPLETE, ("manifest", "passages"), secrets.token_hex(8), *counts_of)

    def _mark_unfinished(self, ids: Sequence[int]) -> None:
        """Note that passages are being added; from here on no compaction takes out what carries their ids."""
        self.change(scripts.UNFINISHED, ("manifest", "passages", "dead", "buried"), *ids)
        self._dead = np.setdiff1d(self._dead, np.array(ids, dtype=np.uint32))

    def remove(self, passage_ids: Iterable[int]) -> None:
        """Take passages out of the answers; their records go when the index is compacted.

        Raises:
            IndexUnusable: the generation was dropped meanwhile.
            ServiceDown: Redis does not answer; the call may be repeated.
        """
        ids = list(passage_ids)
        for start in range(0, len(ids), _IDS):
            chunk = ids[start : start + _IDS]
            self.change(scripts.REMOVE, ("manifest", "passages", "dead"), secrets.token_hex(8), *chunk)
        self._dead = np.union1d(self._dead, np.array(ids, dtype=np.uint32))

    def change(self, script: str, names: Sequence[str], *arguments: object) -> None:
        """Run a script on keys that are no buckets.

        Raises:
            IndexUnusable: the generation was dropped; nothing was changed.
        """
        keys = [self.key(name) for name in names]
        with self.shards.errors():
            if not self.shards.meta().eval(script, len(keys), *keys, *map(str, arguments)):
                raise IndexUnusable(problem="the generation in use is gone from Redis")

    def lookup(self, hashes: Mapping[str, Hashes]) -> dict[str, Hits]:
        """Return the postings of a page's hashes by parameter id, in one round trip.

        Raises:
            IndexUnusable: the generation was dropped meanwhile, so what was not found proves nothing.
            ServiceDown: Redis does not answer.
        """
        return self.lookup_many([hashes])[0]

    def lookup_many(self, pages: Sequence[Mapping[str, Hashes]]) -> list[dict[str, Hits]]:
        """Return the postings of each page's hashes, all in one round trip.

        Raises:
            IndexUnusable: the generation was dropped meanwhile, so what was not found proves nothing.
            ServiceDown: Redis does not answer.
        """
        asked = joined(pages)
        codes = {each: self._codes(each, wanted.hashes) for each, wanted in asked.items()}
        distinct = _with_marks(codes.values())
        values = self.shards.read(self.generation, distinct)
        for row in np.flatnonzero(is_intact(distinct)).tolist():
            if not values[row]:
                raise IndexUnusable(problem="the generation in use is gone from Redis")
            values[row] = b""
        buckets = opened(values)
        found = {
            each: wanted.parted(
                *hits_in(wanted.hashes, np.searchsorted(distinct, codes[each]), buckets, self._dead)
            )
            for each, wanted in asked.items()
        }
        return by_page(asked, found, len(pages))

    def statistics(self) -> IndexStatistics:
        """Return what the index holds."""
        with self.shards.errors():
            meta = self.shards.meta()
            counts = [int(value) for value in meta.hvals(self.key("passages"))]
            dead = int(meta.scard(self.key("dead")))
            capped = int(meta.hget(self.key("manifest"), "capped") or 0)
            memory = sum(int(node.info("memory")["used_memory"]) for node in self.shards.nodes())
        return IndexStatistics(
            generation=self.generation,
            params_ids=self.params_ids,
            passages=sum(count >= 0 for count in counts),
            unfinished=sum(count < 0 for count in counts),
            dead=dead,
            postings=sum(count for count in counts if count > 0),
            capped=capped,
            buckets=len(self.params_ids) << self.bits,
            memory_bytes=memory,
        )

    def is_crowded(self) -> bool:
        """Tell whether buckets hold so many records that the index should be built with more of them."""
        with self.shards.errors():
            postings = int(self.shards.meta().hget(self.key("manifest"), "postings") or 0)
        most = (len(self.params_ids) << self.bits) * _RECORDS * _CROWDED
        return self.bits < MAX_BITS and postings > most

    def key(self, name: str) -> str:
        """Return the name of one of the generation's keys that are no buckets."""
        return meta_key(self.generation, name)

    def _codes(self, params_id: str, hashes: Hashes) -> Codes:
        return codes_of(self.params_ids.index(params_id), bucket_of(hashes, self.bits), self.bits)

    def _counts(self, passage_ids: Sequence[int]) -> list[int | None]:
        """Return each passage's number of postings, -1 when unfinished, None when unknown."""
        counts: list[int | None] = []
        with self.shards.errors():
            for start in range(0, len(passage_ids), _IDS):
                fields = list(map(str, passage_ids[start : start + _IDS]))
                values = cast("list[Any]", self.shards.meta().hmget(self.key("passages"), fields))
                counts += [None if value is None else int(value) for value in values]
        return counts

    def _were_removed(self, ids: Sequence[int]) -> bool:
        with self.shards.errors():
            return any(self.shards.meta().smismember(self.key("dead"), list(map(str, ids))))

    def _packed(self, batch: Sequence[PassageFingerprints]) -> tuple[Codes, list[bytes]]:
        """Return the buckets that a batch touches, by code, and the records to append to each."""
        made = [packed(batch, each, self.bits) for each in self.params_ids]
        codes = np.concatenate(
            [codes_of(number, each.buckets, self.bits) for number, each in enumerate(made)]
        )
        values = [value for each in made for value in each.values()]
        order = np.argsort(codes)
        return codes[order], [values[row] for row in order.tolist()]

    def _set_marks(self) -> None:
        keys = keys_of(self.generation, _EVERY_MARK)
        self.shards.run(scripts.SET, {group: (1, key, b"1") for group, key in enumerate(keys)})

    def _append(self, codes: Codes, records: Sequence[bytes]) -> None:
        """Append records to their buckets.

        Raises:
            IndexUnusable: the generation was dropped; nothing is written that would stay.
        """
        keys = keys_of(self.generation, codes)
        marks = keys_of(self.generation, _EVERY_MARK)
        for calls in _by_group(codes):
            answers = self.shards.run(
                scripts.APPEND,
                {
                    group: (b - a + 1, marks[group], *keys[a:b], *records[a:b])
                    for group, (a, b) in calls.items()
                },
            )
            if not all(answers):
                raise IndexUnusable(problem="the generation in use is gone from Redis")

    def _cut_out(self, codes: Codes, passage_ids: Sequence[int]) -> None:
        gone = np.array(passage_ids, dtype="<u4").tobytes()
        keys = keys_of(self.generation, codes)
        for calls in _by_group(codes):
            self.shards.run(
                scripts.CUT, {group: (b - a, *keys[a:b], gone) for group, (a, b) in calls.items()}
            )


def _with_marks(codes: Iterable[Codes]) -> Codes:
    """Return the distinct codes, and after those of each group its mark."""
    distinct = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *codes]))
    return np.union1d(distinct, intact_codes(np.unique(group_of(distinct))))


def _by_group(codes: Codes) -> Iterator[dict[int, tuple[int, int]]]:
    """Yield rounds of calls: by group the range of codes that one script takes."""
    borders = pairwise(np.searchsorted(group_of(codes), np.arange(GROUPS + 1)).tolist())
    pieces = {
        group: iter([(a, min(a + _KEYS, end)) for a in range(start, end, _KEYS)])
        for group, (start, end) in enumerate(borders)
    }
    while found := {group: piece for group, rest in pieces.items() for piece in islice(rest, 1)}:
        yield found
