"""The manifest of a generation: its parameters and sources, and the pointer to the live generation.

``corpus`` is the identity of the MongoDB database. ``version`` and ``mark`` are the corpus version and its
mark at which the index was last up to date. These fields show whether the index belongs to another database,
or is newer than a restored database. ``runs`` identifies the server processes that had received all data.
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
    """The manifest of the live generation.

    Attributes:
        generation: its name.
        bits: number of bits that choose a bucket.
        caught_up: version and mark of the corpus of the last complete update.
        stamp: stamp of its last change.
        dead: removed passages whose records still exist.
    """

    generation: str
    bits: int
    caught_up: tuple[int, str]
    stamp: str
    dead: tuple[int, ...]


def read_live(shards: Shards, params_ids: Sequence[str], *, corpus: str) -> Manifest:
    """Return the manifest of the live generation.

    Args:
        shards: the servers.
        params_ids: the fingerprints that it must contain.
        corpus: required identity of the database.

    Raises:
        ForeignIndex: the index belongs to another database.
        IndexUnusable: there is no index, or it has other parameters.
    """
    with shards.errors():
        meta = shards.meta()
        pointer = cast("bytes | None", meta.get(LIVE))
        if pointer is None:
            raise IndexUnusable(problem="Redis contains no index")
        generation = pointer.decode()
        pipeline = meta.pipeline(transaction=True)
        pipeline.hgetall(meta_key(generation, "manifest"))
        pipeline.smembers(meta_key(generation, "dead"))
        fields, dead = pipeline.execute()
    if b"corpus" not in fields:  # no manifest, or only the stamp of a late change
        raise IndexUnusable(problem="the live generation has no manifest")
    if fields[b"corpus"].decode() != corpus:
        raise ForeignIndex
    if json.loads(fields[b"params_ids"]) != list(params_ids) or int(fields[b"format"]) != FORMAT:
        raise IndexUnusable(problem="it was built with other parameters")
    caught_up = int(fields[b"version"]), fields[b"mark"].decode()
    stamp = fields[b"stamp"].decode()
    return Manifest(generation, int(fields[b"bits"]), caught_up, stamp, tuple(map(int, dead)))


def new_name(shards: Shards) -> str:
    """Choose and record the name of a new generation, so that it can be found if its builder dies."""
    with shards.errors():
        generation = secrets.token_hex(GENERATION_BYTES)
        while not shards.meta().sadd(GENERATIONS, generation):  # an old generation has this name
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
        "runs": _shards_as_text(shards),
    }
    with shards.errors():
        shards.meta().hset(meta_key(generation, "manifest"), mapping=fields)


def stamp_of(shards: Shards, generation: str) -> str:
    """Return the stamp of the live generation.

    Raises:
        IndexUnusable: ``generation`` is not the live one.
    """
    with shards.errors():
        pipeline = shards.meta().pipeline(transaction=False)
        pipeline.get(LIVE)
        pipeline.hget(meta_key(generation, "manifest"), "stamp")
        pointer, stamp = pipeline.execute()
    if pointer is None or stamp is None or pointer.decode() != generation:
        raise IndexUnusable(problem="the index in use is missing from Redis")
    return cast("bytes", stamp).decode()


def removed_since(shards: Shards, generation: str, stamp: str) -> tuple[str, tuple[int, ...]] | None:
    """Return the stamp and the removed passages of a generation; None if it is unchanged or dropped.

    Args:
        shards: the servers.
        generation: its name.
        stamp: the stamp that the caller knows.
    """
    with shards.errors():
        present = cast("bytes | None", shards.meta().hget(meta_key(generation, "manifest"), "stamp"))
        if present is None or present.decode() == stamp:
            return None
        dead = cast("set[bytes]", shards.meta().smembers(meta_key(generation, "dead")))
    return present.decode(), tuple(map(int, dead))


def write_version(shards: Shards, generation: str, version: int, mark: str) -> None:
    """Record the corpus version, and its mark, with which a generation is up to date."""
    fields: dict[Any, Any] = {"version": version, "mark": mark}
    with shards.errors():
        shards.meta().hset(meta_key(generation, "manifest"), mapping=fields)


def are_server_runs_current(shards: Shards, generation: str) -> bool:
    """Return whether the server processes are still the recorded ones, so no server was restarted."""
    with shards.errors():
        noted = cast("bytes | None", shards.meta().hget(meta_key(generation, "manifest"), "runs"))
    return noted is not None and noted.decode() == _shards_as_text(shards)


def write_server_runs(shards: Shards, generation: str) -> None:
    """Record the ids of the server processes."""
    with shards.errors():
        shards.meta().hset(meta_key(generation, "manifest"), "runs", _shards_as_text(shards))


def _shards_as_text(shards: Shards) -> str:
    with shards.errors():
        return " ".join(sorted(str(node.info("server")["run_id"]) for node in shards.nodes()))
