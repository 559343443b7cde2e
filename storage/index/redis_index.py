"""The index in Redis: packed postings, of which one round trip reads thousands.

Layout. A hash's lowest bits choose a bucket. A bucket is one binary string of 9-byte records
(:mod:`storage.index.records`), extended by APPEND and read by MGET. All keys of a generation contain its name
(:mod:`storage.index.keys`), so a new generation is built next to the live one, and then one pointer is
changed. The number of buckets of a generation is fixed when it is built. Too many buckets waste memory,
because a bucket costs about 90 bytes in addition to its records; too few make look-ups slow, because a
look-up reads whole buckets.

All changes are idempotent. A passage is marked unfinished before its first APPEND and complete after its
last. If an addition finds an unfinished or removed passage with the same id, it first cuts the records of
that passage out of the buckets. Redis's append-only file keeps the order of writes, so a crash of a server
leaves a prefix of these steps, never a complete passage without its records. The nodes of a cluster may each
lose a different part of their last second; :mod:`tracker.indexing.guard` describes what the guard does then.
Two workers must not add one passage at the same time; the lease on its work prevents that.

If a look-up finds nothing, the buckets that it read were complete (:mod:`storage.index.buckets`). The
manifest of a generation contains its parameters and sources (:mod:`storage.index.manifest`).
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, cast

import numpy as np

from fingerprint.mixing import Hashes
from storage.index import buckets, manifest, scripts
from storage.index.interface import Hits, IndexSize, IndexStatistics, PassageFingerprints, by_page, join_pages
from storage.index.keys import LIVE, MIN_BITS, Codes, codes_of, meta_key
from storage.index.records import bucket_of, hits_in, pack, unpack
from storage.index.shards import Shards
from storage.index.upkeep import drop_abandoned
from storage.servers.redis_client import Client
from system.errors import IndexUnusable

_UNFINISHED = -1
_IDS = 5_000  # ids in one command; limits the buffers of client and server


class RedisIndex:
    """One generation of the index.

    Args:
        shards: the servers.
        params_ids: the fingerprints of the index, in a fixed order.
        generation: its name; see :meth:`live` and :meth:`create`.
        bits: number of bits that choose a bucket.
        caught_up: version and mark of the corpus in the manifest.
        stamp: stamp of the change that ``dead`` reflects; empty: it is read at the first look-up.
        dead: removed passages, which look-ups exclude.
    """

    def __init__(
        self,
        shards: Shards,
        params_ids: Sequence[str],
        generation: str,
        *,
        bits: int,
        caught_up: tuple[int, str] = (0, ""),
        stamp: str = "",
        dead: Iterable[int] = (),
    ) -> None:
        self.shards = shards
        self.params_ids = tuple(params_ids)
        self.generation = generation
        self.bits = bits
        self.caught_up = caught_up
        self._set_dead(stamp, dead)

    def _set_dead(self, stamp: str, dead: Iterable[int]) -> None:
        self._stamp = stamp
        self._dead = np.array(sorted(dead), dtype=np.uint32)

    @classmethod
    def live(cls, client: Client, params_ids: Sequence[str], *, corpus: str) -> "RedisIndex":
        """Return the live generation.

        Args:
            client: Redis.
            params_ids: the fingerprints that it must contain.
            corpus: required identity of the database.

        Raises:
            IndexUnusable: there is no index, or it has another database or other parameters.
        """
        shards = Shards(client)
        live_manifest = manifest.read_live(shards, params_ids, corpus=corpus)
        return cls(
            shards,
            params_ids,
            live_manifest.generation,
            bits=live_manifest.bits,
            caught_up=live_manifest.caught_up,
            stamp=live_manifest.stamp,
            dead=live_manifest.dead,
        )

    @classmethod
    def create(
        cls, client: Client, params_ids: Sequence[str], *, corpus: str, bits: int = MIN_BITS
    ) -> "RedisIndex":
        """Create a new, empty generation; the live one stays in use."""
        shards = Shards(client)
        generation = manifest.new_name(shards)
        buckets.set_marks(shards, generation)
        manifest.write_new(shards, generation, params_ids, corpus=corpus, bits=bits)
        return cls(shards, params_ids, generation, bits=bits)

    def go_live(self) -> None:
        """Make this generation live, and drop all other generations."""
        with self.shards.errors():
            self.shards.meta().set(LIVE, self.generation)
        drop_abandoned(self.shards.client)

    def stamp(self) -> tuple[str, str]:
        """Return (generation, stamp), which changes with every change of the index and is cheap to read.

        Raises:
            IndexUnusable: this generation is not the live one.
        """
        return self.generation, manifest.stamp_of(self.shards, self.generation)

    def record_version(self, version: int, mark: str) -> None:
        """Record the corpus version, and its mark, with which the index is up to date."""
        manifest.write_version(self.shards, self.generation, version, mark)
        self.caught_up = version, mark

    def was_restarted(self) -> bool:
        """Return whether nodes of a cluster were restarted or replaced since they were recorded.

        A single server that restarts has lost only the last writes. The nodes of a cluster may each have lost
        a different number of last writes.
        """
        return len(self.shards.nodes()) > 1 and not manifest.are_server_runs_current(
            self.shards, self.generation
        )

    def record_server_runs(self) -> None:
        """Record that all data written so far exists on the servers."""
        manifest.write_server_runs(self.shards, self.generation)

    def missing(self, passage_ids: Sequence[int]) -> list[int]:
        """Return those of ``passage_ids`` that are not complete in the index."""
        counts = self._posting_counts(passage_ids)
        return [
            passage_id
            for passage_id, count in zip(passage_ids, counts, strict=True)
            if count is None or count < 0
        ]

    def postings(self, passage_ids: Sequence[int]) -> dict[int, int]:
        """Return the number of postings of each complete passage."""
        counts = zip(passage_ids, self._posting_counts(passage_ids), strict=True)
        return {passage_id: count for passage_id, count in counts if count is not None and count >= 0}

    def add(self, batch: Sequence[PassageFingerprints]) -> None:
        """Add passages; passages that are complete in the index are skipped.

        The larger a batch, the fewer buckets are written several times.

        Raises:
            IndexUnusable: the generation was dropped.
            RedisFailed: Redis is out of memory or disk; the call may be repeated.
        """
        counts = self._posting_counts([passage.passage_id for passage in batch])
        new = [passage for passage, count in zip(batch, counts, strict=True) if count is None or count < 0]
        if not new:
            return
        ids = [passage.passage_id for passage in new]
        codes, records = self._pack_batch(new)
        if any(count == _UNFINISHED for count in counts) or self._were_removed(ids):
            buckets.cut_out(self.shards, self.generation, codes, ids)
        self._mark_unfinished(ids)
        buckets.append(self.shards, self.generation, codes, records)
        counts_of = chain.from_iterable((passage.passage_id, passage.postings) for passage in new)
        self.change(scripts.COMPLETE, ("manifest", "passages"), secrets.token_hex(8), *counts_of)

    def _mark_unfinished(self, ids: Sequence[int]) -> None:
        """Mark passages as unfinished; from now on compaction keeps the records of these passages."""
        self.change(scripts.UNFINISHED, ("manifest", "passages", "dead", "buried"), *ids)

    def remove(self, passage_ids: Iterable[int]) -> None:
        """Remove passages from the results; compaction deletes their records.

        Raises:
            IndexUnusable: the generation was dropped.
        """
        ids = list(passage_ids)
        for start in range(0, len(ids), _IDS):
            chunk = ids[start : start + _IDS]
            self.change(scripts.REMOVE, ("manifest", "passages", "dead"), secrets.token_hex(8), *chunk)

    def change(self, script: str, names: Sequence[str], *arguments: object) -> None:
        """Run a script on keys that are not buckets.

        Raises:
            IndexUnusable: the generation was dropped; nothing was changed.
        """
        keys = [self.key(name) for name in names]
        with self.shards.errors():
            if not self.shards.meta().eval(script, len(keys), *keys, *map(str, arguments)):
                raise IndexUnusable(problem="the index in use is missing from Redis")

    def lookup(self, hashes: Mapping[str, Hashes]) -> dict[str, Hits]:
        """Return the postings of a page's hashes by parameter id, in one round trip.

        Raises:
            IndexUnusable: the generation was dropped, so an empty answer proves nothing.
        """
        return self.lookup_many([hashes])[0]

    def lookup_many(self, pages: Sequence[Mapping[str, Hashes]]) -> list[dict[str, Hits]]:
        """Return the postings of each page's hashes, in one round trip, without removed passages.

        Each call reads which passages are removed, so a restored passage is found even if the index was
        opened long ago.

        Raises:
            IndexUnusable: the generation was dropped, so an empty answer proves nothing.
        """
        if changed := manifest.removed_since(self.shards, self.generation, self._stamp):
            self._set_dead(*changed)
        requested = join_pages(pages)
        codes = [self._bucket_codes(params_id, joined.hashes) for params_id, joined in requested.items()]
        values, rows = buckets.read_buckets(self.shards, self.generation, codes)
        unpacked = unpack(values)
        hits = {
            params_id: joined.split_by_page(*hits_in(joined.hashes, method_rows, unpacked, self._dead))
            for (params_id, joined), method_rows in zip(requested.items(), rows, strict=True)
        }
        return by_page(requested, hits, len(pages))

    def statistics(self) -> IndexStatistics:
        """Return figures of the index."""
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

    def size(self) -> IndexSize:
        """Return the size of the index from two stored numbers; this is fast for an index of any size."""
        with self.shards.errors():
            postings = int(self.shards.meta().hget(self.key("manifest"), "postings") or 0)
            memory = sum(int(node.info("memory")["used_memory"]) for node in self.shards.nodes())
        return IndexSize(postings, memory)

    def is_crowded(self) -> bool:
        """Return whether the buckets contain too many records, so that the index needs more buckets."""
        with self.shards.errors():
            postings = int(self.shards.meta().hget(self.key("manifest"), "postings") or 0)
        return buckets.are_crowded(postings, methods=len(self.params_ids), bits=self.bits)

    def key(self, name: str) -> str:
        """Return one of the generation's keys that are not buckets."""
        return meta_key(self.generation, name)

    def _bucket_codes(self, params_id: str, hashes: Hashes) -> Codes:
        return codes_of(self.params_ids.index(params_id), bucket_of(hashes, self.bits), self.bits)

    def _posting_counts(self, passage_ids: Sequence[int]) -> list[int | None]:
        """Return the number of postings of each passage: -1 if it is unfinished, None if it is unknown."""
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

    def _pack_batch(self, batch: Sequence[PassageFingerprints]) -> tuple[Codes, list[bytes]]:
        """Return the codes of the buckets that a batch changes, and the records to append to each bucket."""
        parts = [pack(batch, params_id, self.bits) for params_id in self.params_ids]
        codes = np.concatenate(
            [codes_of(number, packed.buckets, self.bits) for number, packed in enumerate(parts)]
        )
        values = [value for packed in parts for value in packed.values()]
        order = np.argsort(codes)
        return codes[order], [values[row] for row in order.tolist()]
