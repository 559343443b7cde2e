"""Groups of longest sentences: the same in memory and in Redis, also when many write at once."""

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from random import Random

import numpy as np
import pytest

from fingerprint.nshash import MemoryGroups
from storage.errors import ServiceDown
from storage.nshash_groups import RedisGroups
from storage.redis_client import open_redis
from storage.settings import StorageSettings

pytestmark = pytest.mark.services


def texts(count, digests, seed):
    """Texts with up to three of so many digests: the fewer, the more of them are linked."""
    random = Random(seed)
    return [
        np.array(
            sorted({random.randrange(digests) * 0x0101_0101_0101 for _ in range(random.randrange(4))}),
            np.uint64,
        )
        for _ in range(count)
    ]


@pytest.fixture
def groups(redis_client):
    return RedisGroups(redis_client, "test")


@pytest.mark.parametrize(("digests", "seed"), [(5, 1), (300, 2), (1_500, 3), (90_000, 4)])
def test_groups_are_those_in_memory(groups, digests, seed):
    batch, memory = texts(1_200, digests, seed), MemoryGroups()
    ids = groups.group(batch)
    assert ids == memory.group(batch)
    assert groups.current(ids) == memory.current(ids)


def test_bytes_of_digests_may_be_anything(groups):
    digests = np.array([0, 0x0A0D, 0x2000_0000_0000_0000, 2**64 - 1], dtype=np.uint64)
    assert groups.group([digests[:2], digests[2:], digests[1:3]]) == [1, 2, 1]
    assert groups.current([1, 2]) == [1, 1]


def test_a_batch_sent_again_gives_the_same_groups(groups):
    batch = [each for each in texts(300, 400, 5) if len(each)]
    first, again = groups.group(batch), groups.group(batch)
    assert groups.current(first) == again


def test_groups_outlive_the_connection(groups, settings):
    ids = groups.group(texts(50, 40, 6))
    client = open_redis(settings.storage)
    assert RedisGroups(client, "test").current(ids) == groups.current(ids)
    client.close()


def test_names_are_apart_and_can_be_cleared(groups, redis_client):
    other = RedisGroups(redis_client, "other")
    batch = [np.array([7], dtype=np.uint64)]
    assert (groups.group(batch), other.group([*batch, *batch])) == ([1], [1, 1])
    groups.clear()
    assert not [key for key in redis_client.keys("*") if b"{test}" in key]
    assert other.group(batch) == [1]


def test_many_writers_never_split_a_group(settings, groups):
    batches = [texts(100, 150, seed) for seed in range(8)]

    def write(batch):
        client = open_redis(settings.storage)
        try:
            return RedisGroups(client, "test").group(batch)
        finally:
            client.close()

    with ThreadPoolExecutor(4) as pool:
        ids = list(chain.from_iterable(pool.map(write, batches)))
    memory, everything = MemoryGroups(), list(chain.from_iterable(batches))
    expected = memory.current(memory.group(everything))
    current = groups.current(ids)
    assert len(set(current)) == len(set(expected)) == len(set(zip(current, expected, strict=True)))


def test_a_server_that_is_down_is_named():
    client = open_redis(StorageSettings(redis_url="redis://127.0.0.1:1/0", timeout_s=1))
    with pytest.raises(ServiceDown, match=r"127\.0\.0\.1:1"):
        RedisGroups(client, "test").group(texts(3, 3, 7))
