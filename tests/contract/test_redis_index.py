"""What only the index in Redis promises: crashes, generations, and never a false 'nothing found'."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fingerprint.fingerprints import Fingerprints
from storage.errors import IndexUnusable, ServiceDown
from storage.index.interface import PassageFingerprints
from storage.index.redis_index import BUCKET_BITS, RECORD, RedisIndex, index_lock
from storage.redis_client import RedisFailed, open_redis, ping
from storage.settings import Settings

pytestmark = pytest.mark.services
PARAMS = ("a", "b")


def passage(passage_id, *hashes):
    def made(values):
        return Fingerprints(np.array(values, np.uint64), np.arange(len(values), dtype=np.uint32))

    return PassageFingerprints(passage_id, {"a": made(hashes), "b": made(hashes[:1])})


def found(index, *wanted, params="a"):
    hits = index.lookup({params: np.array(wanted, dtype=np.uint64)})[params]
    return sorted(zip(hits.queries.tolist(), hits.passages.tolist(), hits.positions.tolist(), strict=True))


def bucket_key(index, params, value):
    return f"pindna:{index.generation}:{PARAMS.index(params)}:{value >> (64 - BUCKET_BITS):x}"


def record(value, passage_id, position):
    return np.array([(value & 0xFFFFFFFF, passage_id, position)], dtype=RECORD).tobytes()


@pytest.fixture
def index(redis_client):
    made = RedisIndex.create(redis_client, PARAMS)
    made.go_live()
    return made


def test_records_are_packed_as_documented(index, redis_client):
    value = 0xABCD_EF01_2345_6789
    index.add([passage(258, value)])
    key = f"pindna:{index.generation}:0:{value >> 46:x}"
    assert redis_client.get(key) == bytes.fromhex("896745230201000000000000")
    assert redis_client.hget(f"pindna:{index.generation}:passages", "258") == b"2"


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(min_value=0, max_value=7), st.booleans())
def test_a_broken_off_addition_is_repaired_without_doubles(redis_client, written, with_others):
    """A crash leaves the mark -1 and any prefix of the APPENDs."""
    index = RedisIndex.create(redis_client, PARAMS)
    index.go_live()
    values = [1 << 50, (1 << 50) + 1, 2 << 50, 3 << 50, (3 << 50) + 9]
    others = [passage(8, values[0], values[3]), passage(9, 5 << 50)]
    index.add(others[:1])
    redis_client.hset(f"pindna:{index.generation}:passages", 7, -1)
    appends = [("a", value, position) for position, value in enumerate(values)] + [("b", values[0], 0)]
    for params, value, position in appends[:written]:
        redis_client.append(bucket_key(index, params, value), record(value, 7, position))
    assert index.missing([7, 8]) == [7]
    assert index.statistics().unfinished == 1
    index.add([passage(7, *values), *(others if with_others else [])])
    assert [row for row in found(index, *values) if row[1] == 7] == [(each, 7, each) for each in range(5)]
    assert [row for row in found(index, *values) if row[1] == 8] == [(0, 8, 0), (3, 8, 1)]
    assert found(index, values[0], params="b") == [(0, 7, 0), (0, 8, 0)]
    assert index.missing([7, 8]) == []
    assert index.statistics().unfinished == 0


def test_a_removal_that_is_repeated_after_a_crash_does_no_harm(index):
    index.add([passage(1, 5), passage(2, 5)])
    index.remove([1])
    index.remove([1])
    assert index.missing([1, 2]) == [1]
    assert index.postings([1, 2]) == 2
    assert index.statistics().dead == 1


def test_many_passages_are_asked_for_in_slices(index, redis_client):
    redis_client.hset(f"pindna:{index.generation}:passages", mapping=dict.fromkeys(range(0, 12000, 2), 3))
    assert index.missing(range(12_000)) == list(range(1, 12_000, 2))
    assert index.postings(range(12_000)) == 18_000
    assert index.missing([]) == []


def test_the_stamp_tells_every_change(index):
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


def test_the_stamp_stays_when_nothing_changed(index):
    index.add([passage(1, 5)])
    before = index.stamp()
    index.add([passage(1, 5)])
    index.add([])
    index.remove([])
    found(index, 5)
    assert index.stamp() == before


def test_without_an_index_there_is_no_answer(redis_client):
    with pytest.raises(IndexUnusable, match="no index"):
        RedisIndex.live(redis_client, PARAMS)


@pytest.mark.parametrize("params", [("a",), ("b", "a"), ("a", "b", "c"), ("a", "other")])
def test_an_index_of_other_parameters_is_refused(index, redis_client, params):
    assert RedisIndex.live(redis_client, PARAMS).generation == index.generation
    with pytest.raises(IndexUnusable, match="other parameters"):
        RedisIndex.live(redis_client, params)


def test_an_index_of_another_format_is_refused(index, redis_client):
    redis_client.hset(f"pindna:{index.generation}:manifest", "format", 99)
    with pytest.raises(IndexUnusable, match="other parameters"):
        RedisIndex.live(redis_client, PARAMS)


def test_a_pointer_without_its_generation_is_refused(index, redis_client):
    redis_client.delete(f"pindna:{index.generation}:manifest")
    with pytest.raises(IndexUnusable, match="no manifest"):
        RedisIndex.live(redis_client, PARAMS)


def test_a_new_generation_is_built_beside_the_live_one(index, redis_client):
    index.add([passage(1, 5)])
    other = RedisIndex.create(redis_client, PARAMS)
    other.add([passage(1, 5), passage(2, 5)])
    live = RedisIndex.live(redis_client, PARAMS)
    assert live.generation == index.generation != other.generation
    assert found(live, 5) == [(0, 1, 0)]
    other.go_live()
    assert found(RedisIndex.live(redis_client, PARAMS), 5) == [(0, 1, 0), (0, 2, 0)]


def test_going_live_drops_what_answered_before_and_only_that(index, redis_client):
    index.add([passage(1, *range(0, 200 << 50, 1 << 50))])
    generations = [RedisIndex.create(redis_client, PARAMS) for _ in range(10)]
    generations[-1].add([passage(2, 6)])
    generations[-1].go_live()
    generations[-1].go_live()
    left = {key.split(b":")[1] for key in redis_client.scan_iter("pindna:[0-9]*")}
    expected = {each.generation for each in generations}
    assert left == {str(each).encode() for each in expected}
    assert found(generations[-1], 6) == [(0, 2, 0)]


def test_dropping_takes_every_key_of_its_generation_only(redis_client):
    made = [RedisIndex.create(redis_client, PARAMS) for _ in range(11)]
    made[-1].add([passage(2, 6)])
    made[0].drop()
    prefix = f"pindna:{made[0].generation}:"
    assert not list(redis_client.scan_iter(f"{prefix}*"))
    assert made[-1].missing([2]) == []


def test_a_generation_that_is_gone_has_no_stamp(index, redis_client):
    RedisIndex.create(redis_client, PARAMS).go_live()
    with pytest.raises(IndexUnusable, match="gone"):
        index.stamp()


def test_a_dropped_generation_never_answers_nothing_found(index, redis_client):
    """A worker that holds the old generation while another goes live must not call its page clear."""
    index.add([passage(1, 5)])
    assert found(index, 5) == [(0, 1, 0)]
    other = RedisIndex.create(redis_client, PARAMS)
    other.go_live()
    with pytest.raises(IndexUnusable, match="gone"):
        found(index, 5)


def test_a_flushed_redis_never_answers_nothing_found(index, redis_client):
    index.add([passage(1, 5)])
    redis_client.flushdb()
    with pytest.raises(IndexUnusable, match="gone"):
        found(index, 5)
    with pytest.raises(IndexUnusable):
        index.stamp()


def test_one_process_at_a_time_holds_the_lock(redis_client):
    with index_lock(redis_client):
        assert redis_client.get("pindna:lock") is not None
        assert 0 < redis_client.ttl("pindna:lock") <= 600
    assert redis_client.get("pindna:lock") is None


def test_a_refusal_of_the_server_is_told(index, redis_client):
    redis_client.set(bucket_key(index, "a", 5), "x")
    redis_client.delete(f"pindna:{index.generation}:passages")
    redis_client.set(f"pindna:{index.generation}:passages", "not a hash")
    with pytest.raises(RedisFailed, match="WRONGTYPE"):
        index.missing([1])


def test_a_server_that_is_down_is_told_without_its_password():
    settings_of_nothing = Settings(
        storage={"redis_url": "redis://:pass-word@127.0.0.1:1/0", "timeout_s": 0.5}
    )
    client = open_redis(settings_of_nothing.storage)
    with pytest.raises(ServiceDown, match=r"Redis at 127\.0\.0\.1:1 does not answer") as caught:
        RedisIndex.live(client, PARAMS)
    assert "pass-word" not in str(caught.value)
    client.close()


@pytest.mark.parametrize("url", [None, "http://host", "redis://host:port"])
def test_an_address_that_is_none_is_told(url):
    with pytest.raises(ServiceDown, match=r"storage\.redis_url"):
        open_redis(Settings(storage={"redis_url": url}).storage)


def test_the_server_tells_its_version(settings):
    assert ping(settings.storage)[0].isdigit()
