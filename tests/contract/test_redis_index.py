"""What only the index in Redis promises: crashes, generations, and never a false 'nothing found'."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fingerprint.fingerprints import Fingerprints
from storage.index.buckets import bits_for
from storage.index.interface import POSTINGS_CAP, PassageFingerprints
from storage.index.keys import LOCK, MIN_BITS, codes_of, keys_of
from storage.index.records import MAX_POSITION, PositionTooLarge, bucket_of, pack
from storage.index.redis_index import RedisIndex
from storage.index.upkeep import drop_abandoned, index_lock, refuse_evicting
from storage.servers.redis_client import RedisFailed, open_redis, ping
from storage.settings import Settings, load_settings
from system.errors import BadSettings, ForeignIndex, IndexUnusable, MayEvict, ServiceDown

pytestmark = pytest.mark.services
PARAMS = ("a", "b")
OWN = "0123456789abcdef"


def passage(passage_id, *hashes):
    def fingerprints_of(values):
        return Fingerprints(np.array(values, np.uint64), np.arange(len(values), dtype=np.uint32))

    return PassageFingerprints(passage_id, {"a": fingerprints_of(hashes), "b": fingerprints_of(hashes[:1])})


def look_up(index, *hashes, params="a"):
    hits = index.lookup({params: np.array(hashes, dtype=np.uint64)})[params]
    return sorted(zip(hits.queries.tolist(), hits.passages.tolist(), hits.positions.tolist(), strict=True))


def bucket_key(index, params, value):
    bucket = bucket_of(np.array([value], np.uint64), index.bits)
    return keys_of(index.generation, codes_of(PARAMS.index(params), bucket, index.bits))[0]


def record(value, passage_id, position):
    prints = Fingerprints(np.array([value], np.uint64), np.array([position], np.uint32))
    return pack([PassageFingerprints(passage_id, {"a": prints})], "a", MIN_BITS).data


@pytest.fixture
def index(redis_client):
    fingerprints_of = RedisIndex.create(redis_client, PARAMS, corpus=OWN)
    fingerprints_of.go_live()
    return fingerprints_of


def test_records_are_packed_as_documented(index, redis_client):
    """20 bits of the hash from the 24th, 20 of the position, the passage; buckets by the lowest 16."""
    value, position = 0xABC1_2345_6789_ABCD, 0x98765
    prints = Fingerprints(np.array([value], np.uint64), np.array([position], np.uint32))
    index.add([PassageFingerprints(258, {"a": prints, "b": prints})])
    tag, high_bits, passage_id = 0x34567 << 12 | 0x765, 0x98, 258
    expected = tag.to_bytes(4, "little") + bytes([high_bits]) + passage_id.to_bytes(4, "little")
    tags = "100321320b1a3c2d110220330c1d3b2a120123300d1c3a2b130022310a1b3d2c"
    group = 0xABCD >> 11
    key = f"pindna:{index.generation}{{{tags[2 * group : 2 * group + 2]}}}"
    assert redis_client.get(f"{key}00abcd") == redis_client.get(f"{key}10abcd") == expected
    assert redis_client.get(f"{key}intact") == b"1"
    assert redis_client.hget(f"pindna:{{index}}:{index.generation}:passages", "258") == b"2"
    assert look_up(index, value) == [(0, 258, position)]


def test_oversized_position_is_refused(index):
    far = Fingerprints(np.array([5], np.uint64), np.array([MAX_POSITION + 1], np.uint32))
    with pytest.raises(PositionTooLarge):
        index.add([PassageFingerprints(1, {"a": far, "b": far})])
    assert index.missing([1]) == [1]


@pytest.mark.parametrize(
    ("postings", "bits"),
    [(0, 16), (1000, 16), (3_000_000, 16), (6_000_000, 17), (25_000_000, 19), (10**12, 20)],
)
def test_new_generation_has_as_many_buckets_as_its_postings_need(postings, bits):
    assert bits_for(postings, 2) == bits


def test_generations_of_any_size_answer_alike(redis_client):
    values = [number * 0x9E3779B97F4A7C15 % 2**64 for number in range(1, 200)]
    answers = []
    for bits in (16, 17, 20):
        index = RedisIndex.create(redis_client, PARAMS, corpus=OWN, bits=bits)
        index.add([passage(1, *values), passage(2, *values[::3])])
        answers.append(look_up(index, *values))
        index.go_live()
        assert RedisIndex.live(redis_client, PARAMS, corpus=OWN).bits == bits
    assert len(answers[0]) == 199 + 67
    assert answers[0] == answers[1] == answers[2]


def test_overgrown_index_is_recognised(index, redis_client):
    assert not index.is_crowded()
    redis_client.hset(index.key("manifest"), "postings", 2 * 2**16 * 48 * 4 + 1)
    assert index.is_crowded()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(min_value=0, max_value=7), st.booleans())
def test_interrupted_addition_is_repaired_without_duplicates(redis_client, written, with_others):
    """A crash leaves the mark -1 and any prefix of the APPENDs."""
    index = RedisIndex.create(redis_client, PARAMS, corpus=OWN)
    index.go_live()
    values = [1, 1 | 1 << 24, 2, 3, 3 | 9 << 24]
    other_passages = [passage(8, values[0], values[3]), passage(9, 5)]
    index.add(other_passages[:1])
    redis_client.hset(index.key("passages"), 7, -1)
    appends = [("a", value, position) for position, value in enumerate(values)] + [("b", values[0], 0)]
    for params, value, position in appends[:written]:
        redis_client.append(bucket_key(index, params, value), record(value, 7, position))
    assert index.missing([7, 8]) == [7]
    assert index.statistics().unfinished == 1
    index.add([passage(7, *values), *(other_passages if with_others else [])])
    assert [row for row in look_up(index, *values) if row[1] == 7] == [
        (number, 7, number) for number in range(5)
    ]
    assert [row for row in look_up(index, *values) if row[1] == 8] == [(0, 8, 0), (3, 8, 1)]
    assert look_up(index, values[0], params="b") == [(0, 7, 0), (0, 8, 0)]
    assert index.missing([7, 8]) == []
    assert index.statistics().unfinished == 0


def test_removal_that_is_repeated_after_a_crash_does_no_harm(index):
    index.add([passage(1, 5), passage(2, 5)])
    index.remove([1])
    index.remove([1])
    assert index.missing([1, 2]) == [1]
    assert index.postings([1, 2]) == {2: 2}
    assert index.statistics().dead == 1


def test_many_passages_are_read_in_slices(index, redis_client):
    redis_client.hset(index.key("passages"), mapping=dict.fromkeys(range(0, 12000, 2), 3))
    assert index.missing(range(12_000)) == list(range(1, 12_000, 2))
    assert index.postings(range(12_000)) == dict.fromkeys(range(0, 12_000, 2), 3)
    assert index.missing([]) == []


def test_stamp_changes_with_every_change(index):
    stamps = [index.stamp()]
    for change in (
        lambda: index.add([passage(1, 5)]),
        lambda: index.add([passage(2, 5)]),
        lambda: index.remove([1]),
    ):
        change()
        stamps.append(index.stamp())
    assert len(set(stamps)) == len(stamps)
    assert {generation for generation, _ in stamps} == {index.generation}


def test_stamp_stays_when_nothing_changed(index):
    index.add([passage(1, 5)])
    before = index.stamp()
    index.add([passage(1, 5)])
    index.add([])
    index.remove([])
    look_up(index, 5)
    assert index.stamp() == before


def test_changes_by_other_processes_reach_an_open_index(index, redis_client):
    index.add([passage(1, 5), passage(2, 5)])
    other = RedisIndex.live(redis_client, PARAMS, corpus=OWN)
    index.remove([1])
    assert look_up(other, 5) == [(0, 2, 0)]
    index.add([passage(1, 5)])
    assert look_up(other, 5) == [(0, 1, 0), (0, 2, 0)]


def test_missing_index_raises_instead_of_answering(redis_client):
    with pytest.raises(IndexUnusable, match="no index"):
        RedisIndex.live(redis_client, PARAMS, corpus=OWN)


@pytest.mark.parametrize("params", [("a",), ("b", "a"), ("a", "b", "c"), ("a", "other")])
def test_index_of_other_parameters_is_refused(index, redis_client, params):
    assert RedisIndex.live(redis_client, PARAMS, corpus=OWN).generation == index.generation
    with pytest.raises(IndexUnusable, match="other parameters"):
        RedisIndex.live(redis_client, params, corpus=OWN)


def test_index_of_another_format_is_refused(index, redis_client):
    redis_client.hset(index.key("manifest"), "format", 99)
    with pytest.raises(IndexUnusable, match="other parameters"):
        RedisIndex.live(redis_client, PARAMS, corpus=OWN)


def test_pointer_without_its_generation_is_refused(index, redis_client):
    redis_client.delete(index.key("manifest"))
    with pytest.raises(IndexUnusable, match="no manifest"):
        RedisIndex.live(redis_client, PARAMS, corpus=OWN)
    with pytest.raises(IndexUnusable, match="missing"):
        index.add([passage(1, 5)])
    with pytest.raises(IndexUnusable, match="no manifest"):
        RedisIndex.live(redis_client, PARAMS, corpus=OWN)


def test_new_generation_is_built_next_to_the_live_index(index, redis_client):
    index.add([passage(1, 5)])
    other = RedisIndex.create(redis_client, PARAMS, corpus=OWN)
    other.add([passage(1, 5), passage(2, 5)])
    live = RedisIndex.live(redis_client, PARAMS, corpus=OWN)
    assert live.generation == index.generation != other.generation
    assert look_up(live, 5) == [(0, 1, 0)]
    other.go_live()
    assert look_up(RedisIndex.live(redis_client, PARAMS, corpus=OWN), 5) == [(0, 1, 0), (0, 2, 0)]


def kept_keys(redis_client, generation):
    return [
        key
        for pattern in (f"pindna:{generation}{{*", f"pindna:{{index}}:{generation}:*")
        for key in redis_client.scan_iter(pattern)
    ]


def test_going_live_drops_every_other_generation_whole(index, redis_client):
    index.add([passage(1, *range(200))])
    generations = [RedisIndex.create(redis_client, PARAMS, corpus=OWN) for _ in range(10)]
    generations[0].add([passage(3, 7)])
    generations[-1].add([passage(2, 6)])
    generations[-1].go_live()
    generations[-1].go_live()
    for gone in (index, *generations[:-1]):
        assert kept_keys(redis_client, gone.generation) == []
    assert redis_client.smembers("pindna:{index}:generations") == {generations[-1].generation.encode()}
    assert look_up(generations[-1], 6) == [(0, 2, 0)]
    assert generations[-1].missing([2]) == []


def test_dropping_deletes_only_the_keys_of_its_generation(index, redis_client):
    """Neither generations with a similar name nor other keys in Redis are deleted."""
    index.add([passage(2, 6)])
    other_keys = [f"pindna:{index.generation}0{{10}}intact", "pindna:nshash:{x}:ids", "celery"]
    for key in other_keys:
        redis_client.set(key, "kept")
    before = set(kept_keys(redis_client, index.generation))
    abandoned = index.generation[:-1]
    redis_client.sadd("pindna:{index}:generations", abandoned)
    redis_client.set(f"pindna:{abandoned}{{10}}000abc", "x")
    drop_abandoned(redis_client)
    assert kept_keys(redis_client, abandoned) == []
    assert set(kept_keys(redis_client, index.generation)) == before
    assert [redis_client.get(key) for key in other_keys] == [b"kept"] * 3


def test_abandoned_generation_is_dropped_by_the_next_that_goes_live(index, redis_client):
    """A killed builder leaves a generation without a pointer to it."""
    abandoned = RedisIndex.create(redis_client, PARAMS, corpus=OWN)
    abandoned.add([passage(1, 5, 6, 7)])
    drop_abandoned(redis_client)
    assert kept_keys(redis_client, abandoned.generation) == []
    assert RedisIndex.live(redis_client, PARAMS, corpus=OWN).generation == index.generation


@pytest.mark.parametrize(
    "late", [lambda index: index.add([passage(2, 6)]), lambda index: index.remove([1])], ids=["add", "remove"]
)
def test_change_of_a_dropped_generation_does_not_recreate_it(index, redis_client, late):
    """A worker may still write to it; the result must neither count as an index nor stay."""
    index.add([passage(1, 5)])
    reader = RedisIndex.live(redis_client, PARAMS, corpus=OWN)
    other = RedisIndex.create(redis_client, PARAMS, corpus=OWN)
    other.go_live()
    with pytest.raises(IndexUnusable, match="missing"):
        late(index)
    with pytest.raises(IndexUnusable, match="missing"):
        look_up(reader, 5)
    drop_abandoned(redis_client)
    assert kept_keys(redis_client, index.generation) == []
    assert RedisIndex.live(redis_client, PARAMS, corpus=OWN).generation == other.generation


def test_index_of_another_database_is_foreign(index, redis_client):
    index.add([passage(1, 5)])
    with pytest.raises(ForeignIndex, match="another MongoDB database"):
        RedisIndex.live(redis_client, PARAMS, corpus="another")
    assert look_up(RedisIndex.live(redis_client, PARAMS, corpus=OWN), 5) == [(0, 1, 0)]


def test_version_is_kept_in_the_manifest(index, redis_client):
    assert index.caught_up == RedisIndex.live(redis_client, PARAMS, corpus=OWN).caught_up == (0, "")
    index.record_version(7, "m")
    assert index.caught_up == RedisIndex.live(redis_client, PARAMS, corpus=OWN).caught_up == (7, "m")


def test_removed_passages_do_not_use_up_the_cap_of_a_bucket(index, redis_client):
    """Their records stay in the bucket before the records of live passages."""
    index.add([passage(number, 5) for number in range(1, POSTINGS_CAP + 1)])
    index.add([passage(900, 5)])
    index.remove(range(1, POSTINGS_CAP + 1))
    for opened in (index, RedisIndex.live(redis_client, PARAMS, corpus=OWN)):
        hits = opened.lookup({"a": np.array([5], np.uint64)})["a"]
        assert hits.passages.tolist() == [900]
        assert hits.capped == 0


@pytest.mark.parametrize(
    ("maxmemory", "policy", "expected"),
    [
        ("8gb", "allkeys-lru", True),
        ("8gb", "allkeys-random", True),
        ("8gb", "volatile-ttl", True),
        ("8gb", "noeviction", False),
        ("0", "allkeys-lru", False),
    ],
)
def test_server_that_may_evict_is_refused(lenient_redis, maxmemory, policy, expected):
    lenient_redis.config_set("maxmemory", maxmemory)
    lenient_redis.config_set("maxmemory-policy", policy)
    with pytest.raises(MayEvict) if expected else nullcontext():
        refuse_evicting(lenient_redis)


def test_missing_generation_has_no_stamp(index, redis_client):
    RedisIndex.create(redis_client, PARAMS, corpus=OWN).go_live()
    with pytest.raises(IndexUnusable, match="missing"):
        index.stamp()


def test_dropped_generation_raises_instead_of_an_empty_answer(index, redis_client):
    """A worker that uses the old generation after a swap must not call its page clear."""
    index.add([passage(1, 5)])
    assert look_up(index, 5) == [(0, 1, 0)]
    other = RedisIndex.create(redis_client, PARAMS, corpus=OWN)
    other.go_live()
    with pytest.raises(IndexUnusable, match="missing"):
        look_up(index, 5)


def test_flushed_redis_raises_instead_of_an_empty_answer(index, redis_client):
    index.add([passage(1, 5)])
    redis_client.flushdb()
    with pytest.raises(IndexUnusable, match="missing"):
        look_up(index, 5)
    with pytest.raises(IndexUnusable):
        index.stamp()


def test_index_lock_is_kept_and_released(redis_client):
    with index_lock(redis_client) as keep:
        assert redis_client.get(LOCK) is not None
        assert 0 < redis_client.ttl(LOCK) <= 60
        redis_client.expire(LOCK, 5)
        keep()
        assert 50 < redis_client.ttl(LOCK) <= 60
    assert redis_client.get(LOCK) is None


def test_lost_lock_raises_in_its_former_owner(redis_client):
    def mend():
        with index_lock(redis_client) as keep:
            redis_client.set(LOCK, "another process")
            keep()
            pytest.fail("it went on without the lock")

    with pytest.raises(RedisFailed):
        mend()
    assert redis_client.get(LOCK) == b"another process"


def test_server_refusal_is_reported(index, redis_client):
    redis_client.delete(index.key("passages"))
    redis_client.set(index.key("passages"), "not a hash")
    with pytest.raises(RedisFailed, match="WRONGTYPE"):
        index.missing([1])


def test_unreachable_redis_index_is_reported_without_its_password():
    settings_of_nothing = Settings(
        storage={"redis_url": "redis://:pass-word@127.0.0.1:1/0", "timeout_s": 0.5}
    )
    client = open_redis(settings_of_nothing.storage)
    with pytest.raises(
        ServiceDown, match=r"Nothing listens at 127\.0\.0\.1:1, the address of Redis"
    ) as caught:
        RedisIndex.live(client, PARAMS, corpus=OWN)
    assert "pass-word" not in str(caught.value)
    client.close()


def test_missing_redis_address_is_reported():
    with pytest.raises(ServiceDown, match=r"storage\.redis_url"):
        open_redis(Settings(storage={"redis_url": None}).storage)


@pytest.mark.parametrize("url", ["http://host", "redis://host:port"])
def test_bad_redis_address_is_refused(url):
    with pytest.raises(BadSettings, match=r"storage\.redis_url"):
        open_redis(load_settings(storage={"redis_url": url}).storage)


def test_ping_returns_the_server_version(settings):
    assert ping(settings.storage)[0].isdigit()
