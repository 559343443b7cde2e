"""Maintenance of generations: drop old ones, lock the index, refuse servers that evict keys."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

import numpy as np
import redis

from storage.index import scripts
from storage.index.keys import GENERATIONS, GROUPS, LIVE, LOCK, PREFIX, intact_codes, keys_of, meta_key
from storage.index.shards import Shards
from storage.servers.redis_client import Client
from system.errors import IndexBusy, MayEvict

_LOCK_S = 60
_KEYS = 5_000  # keys in one command; limits the buffers of client and server


def drop_abandoned(client: Client) -> None:
    """Delete all generations except the live one: replaced generations, and those whose builder died."""
    shards = Shards(client)
    with shards.errors():
        live = shards.meta().get(LIVE)
        for generation in cast("set[bytes]", shards.meta().smembers(GENERATIONS)):
            if generation != live:
                _delete_generation(shards, generation.decode())
                shards.meta().srem(GENERATIONS, generation)


def _delete_generation(shards: Shards, generation: str) -> None:
    """Delete the keys of a generation, marks first: a look-up that finds its marks was complete."""
    marks = keys_of(generation, intact_codes(np.arange(GROUPS)))
    shards.run_script(scripts.UNLINK, {group: (1, key) for group, key in enumerate(marks)})
    for node in shards.nodes():
        keys: list[bytes] = []
        for key in node.scan_iter(match=f"{PREFIX}:{generation}{{*", count=10_000):
            keys.append(key)
            if len(keys) == _KEYS:
                _unlink_keys(node, keys)
                keys.clear()
        _unlink_keys(node, keys)
    names = ("manifest", "passages", "dead", "buried")
    shards.meta().unlink(*(meta_key(generation, name) for name in names))


def _unlink_keys(node: redis.Redis, keys: Sequence[bytes]) -> None:
    """Delete keys on one node; they may be in different slots."""
    pipeline = node.pipeline(transaction=False)
    for key in keys:
        pipeline.unlink(key)
    pipeline.execute()


def refuse_evicting(client: Client) -> None:
    """Check that no server evicts keys when its memory is full; a server that hides its setting passes.

    Raises:
        MayEvict: a server evicts keys.
    """
    shards = Shards(client)
    with shards.errors():
        if any(map(_may_evict, shards.nodes())):
            raise MayEvict


def _may_evict(node: redis.Redis) -> bool:
    try:
        memory = node.info("memory")  # INFO contains the setting too; managed servers hide CONFIG
    except redis.ResponseError:  # this user may not read the setting, as on crawl machines
        return False
    return bool(memory["maxmemory"]) and memory["maxmemory_policy"] != "noeviction"


@contextmanager
def index_lock(client: Client, *, wait: bool = True) -> Iterator[Callable[[], object]]:
    """Lock the index for repair, rebuild or compaction; yields a function that extends the lock.

    The lock expires a minute after the process that has it dies.

    Args:
        client: Redis.
        wait: wait until the lock is free.

    Raises:
        IndexBusy: another process has the lock, and ``wait`` is false.
        RedisFailed: the lock was lost, because the function was not called in time.
    """
    shards = Shards(client)
    with shards.errors():
        lock = shards.meta().lock(LOCK, timeout=_LOCK_S)
        if not lock.acquire(blocking=wait):
            raise IndexBusy
        try:
            yield lock.reacquire
        finally:
            lock.release()
