"""A generation's manifest: what it was built from and with, and the pointer to the one that answers.

``corpus`` is the identity of the MongoDB database; ``version`` and ``mark`` are those of its corpus when the
index had caught up with it: an index of another database, or one that a restored database knows nothing of,
is noticed. ``runs`` names the processes of the servers when all that was written was there.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from storage.index.keys import GENERATION_BYTES, GENERATIONS, LIVE, meta_key
from storage.index.records import FORMAT
from storage.index.shards import Shards
from system.errors import ForeignIndex, IndexUnusable


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known of the generation that answers.

    Attributes:
        generation: its name.
        bits: how many bits choose a bucket.
        caught_up: version and mark of the corpus that it has caught up with.
        stamp: of its last change.
        dead: removed passages whose records are still there.
    """

    generation: str
    bits: int
    caught_up: tuple[int, str]
    stamp: str
    dead: tuple[int, ...]


def read_live(shards: Shards, params_ids: Sequence[str], *, corpus: str) -> Manifest:
    """Return the manifest of the generation that answers.

    Args:
        shards: where it is.
        params_ids: the fingerprints that it must hold.
        corpus: identity of the database that it must be an index of.

    Raises:
        ForeignIndex: it is one of another database.
        IndexUnusable: there is none, or it was built otherwise.
    """
    with shards.errors():
        meta = shards.meta()
        pointer = cast("bytes | None", meta.get(LIVE))
        if pointer is None:
            raise IndexUnusable(problem="Redis holds no index")
        generation = pointer.decode()
        pipeline = meta.pipeline(transaction=True)
        pipeline.hgetall(meta_key(generation, "manifest"))
        pipeline.smembers(meta_key(generation, "dead"))
        fields, dead = pipeline.execute()
    if b"corpus" not in fields:  # gone, or all that is there is the stamp of a late change
        raise IndexUnusable(problem="the live generation has no manifest")
    if fields[b"corpus"].decode() != corpus:
        raise ForeignIndex
    if json.loads(fields[b"params_ids"]) != list(params_ids) or int(fields[b"format"]) != FORMAT:
        raise IndexUnusable(problem="it was built with other parameters")
    caught_up = int(fields[b"version"]), fields[b"mark"].decode()
    stamp = fields[b"stamp"].decode()
    return Manifest(generation, int(fields[b"bits"]), caught_up, stamp, tuple(map(int, dead)))


def new_name(shards: Shards) -> str:
    """Return the name of a new generation, which is noted so that it is found if its builder dies."""
    with shards.errors():
        generation = secrets.token_hex(GENERATION_BYTES)
        while not shards.meta().sadd(GENERATIONS, generation):  # an abandoned one has that name
            generation = secrets.token_hex(GENERATION_BYTES)
    return generation


def write_new(shards: Shards, generation: str, params_ids: Sequence[str], *, corpus: str, bits: int) -> None:
    """Write the manifest of an empty generation."""
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
        "runs": _runs(shards),
    }
    with shards.errors():
        shards.meta().hset(meta_key(generation, "manifest"), mapping=fields)


def stamp_of(shards: Shards, generation: str) -> str:
    """Return the stamp of the generation that answers.

    Raises:
        IndexUnusable: ``generation`` is not, or no longer, that one.
    """
    with shards.errors():
        pipeline = shards.meta().pipeline(transaction=False)
        pipeline.get(LIVE)
        pipeline.hget(meta_key(generation, "manifest"), "stamp")
        pointer, stamp = pipeline.execute()
    if pointer is None or stamp is None or pointer.decode() != generation:
        raise IndexUnusable(problem="the generation in use is gone from Redis")
    return cast("bytes", stamp).decode()


def removed_since(shards: Shards, generation: str, stamp: str) -> tuple[str, tuple[int, ...]] | None:
    """Return a generation's stamp and its removed passages; None if it did not change or was dropped.

    Args:
        shards: where it is.
        generation: its name.
        stamp: what is known is as old as this one.
    """
    with shards.errors():
        present = cast("bytes | None", shards.meta().hget(meta_key(generation, "manifest"), "stamp"))
        if present is None or present.decode() == stamp:
            return None
        dead = cast("set[bytes]", shards.meta().smembers(meta_key(generation, "dead")))
    return present.decode(), tuple(map(int, dead))


def write_version(shards: Shards, generation: str, version: int, mark: str) -> None:
    """Note the version of the corpus that a generation has caught up with, and its mark."""
    fields: dict[Any, Any] = {"version": version, "mark": mark}
    with shards.errors():
        shards.meta().hset(meta_key(generation, "manifest"), mapping=fields)


def are_server_runs_current(shards: Shards, generation: str) -> bool:
    """Return whether the servers are still the processes that were noted."""
    with shards.errors():
        noted = cast("bytes | None", shards.meta().hget(meta_key(generation, "manifest"), "runs"))
    return noted is not None and noted.decode() == _runs(shards)


def write_server_runs(shards: Shards, generation: str) -> None:
    """Note the processes of the servers."""
    with shards.errors():
        shards.meta().hset(meta_key(generation, "manifest"), "runs", _runs(shards))


def _runs(shards: Shards) -> str:
    with shards.errors():
        return " ".join(sorted(str(node.info("server")["run_id"]) for node in shards.nodes()))
