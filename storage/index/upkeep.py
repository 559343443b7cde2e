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
_KEYS = 5_000  # keys in one command: bounds the client's and the server's buffers


def drop_abandoned(client: Client) -> None:
    """Delete every generation except the live one: replaced ones, and those of dead builders."""
    shards = Shards(client)
    with shards.errors():
        live = shards.meta().get(LIVE)
        for generation in cast("set[bytes]", shards.meta().smembers(GENERATIONS)):
            if generation != live:
                _delete_generation(shards, generation.decode())
                shards.meta().srem(GENERATIONS, generation)


def _delete_generation(shards: Shards, generation: str) -> None:
    """Delete the keys of a generation, its marks first, so a look-up that finds the marks was complete."""
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
    """Delete keys of any slots on one node."""
    pipeline = node.pipeline(transaction=False)
    for key in keys:
        pipeline.unlink(key)
    pipeline.execute()


def refuse_evicting(client: Client) -> None:
    """Check that no server evicts keys when memory runs out; a server that hides its setting passes.

    Raises:
        MayEvict: a server evicts keys.
    """
    shards = Shards(client)
    with shards.errors():
        if any(map(_may_evict, shards.nodes())):
            raise MayEvict


def _may_evict(node: redis.Redis) -> bool:
    try:
        memory = node.info("memory")  # managed servers hide CONFIG; INFO contains the same setting
    except redis.ResponseError:  # a user without the right to it, as on crawl machines
        return False
    return bool(memory["maxmemory"]) and memory["maxmemory_policy"] != "noeviction"


@contextmanager
def index_lock(client: Client, *, wait: bool = True) -> Iterator[Callable[[], object]]:
    """Lock the index for repair, rebuild or compaction; yields a function to call during long work.

    The lock expires a minute after its holder dies.

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
