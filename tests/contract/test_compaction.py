"""Compaction deletes removed records and keeps all others, even if the index changes at the same time."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.strategies import story

from fingerprint.fingerprints import Fingerprints
from storage.index.compaction import compact, needs_compaction
from storage.index.interface import POSTINGS_CAP, PassageFingerprints
from storage.index.memory import MemoryIndex
from storage.index.redis_index import RedisIndex
from storage.index.upkeep import index_lock
from system.errors import IndexBusy, IndexUnusable
from tracker import tasks
from tracker.indexing.adding import index_works
from tracker.indexing.generations import keep_compact
from tracker.indexing.guard import IndexGuard
from tracker.queue import Queue
from tracker.runtime import Runtime

pytestmark = pytest.mark.services
PARAMS = ("a", "b")
HASHES = [bucket << 11 | tag << 24 | 3 for bucket in range(5) for tag in range(4)]


def passage(passage_id, *hashes):
    created = Fingerprints(np.array(hashes, np.uint64), np.arange(len(hashes), dtype=np.uint32))
    return PassageFingerprints(
        passage_id, {"a": created, "b": Fingerprints(created.hashes[:1], created.positions[:1])}
    )


def answers(index):
    hits = index.lookup({params_id: np.array(HASHES, np.uint64) for params_id in PARAMS})
    return {
        params_id: sorted(
            zip(
                page_hits.queries.tolist(),
                page_hits.passages.tolist(),
                page_hits.positions.tolist(),
                strict=True,
            )
        )
        for params_id, page_hits in hits.items()
    }


def records(redis_client, index):
    """Return all records of a generation: (key, record)."""
    keys = [key for key in redis_client.scan_iter(f"pindna:{index.generation}{{*") if b"intact" not in key]
    values = {key: redis_client.get(key) for key in keys}
    return sorted(
        (key, value[at : at + 9]) for key, value in values.items() for at in range(0, len(value), 9)
    )


def whole_round(index, buckets=30_000):
    cut = 0
    while (step := compact(index, buckets=buckets)).share < 1:
        cut += step.cut
    return cut + step.cut


@pytest.fixture
def index(redis_client):
    created = RedisIndex.create(redis_client, PARAMS, corpus="of the tests")
    created.go_live()
    return created


def test_round_deletes_only_removed_records(index, redis_client):
    index.add([passage(1, *HASHES), passage(2, *HASHES[::2]), passage(3, *HASHES[:3])])
    index.remove([2])
    before = answers(index)
    assert needs_compaction(index)
    assert whole_round(index) == 10 + 1
    assert answers(index) == before
    assert len(records(redis_client, index)) == 20 + 1 + 3 + 1
    assert index.statistics().dead == 0
    assert not needs_compaction(index)
    assert answers(RedisIndex.live(redis_client, PARAMS, corpus="of the tests")) == before


def test_index_without_removals_needs_no_compaction_until_it_grows(index, redis_client):
    index.add([passage(1, *HASHES)])
    assert not needs_compaction(index)
    redis_client.hset(index.key("manifest"), "postings", 300_000)
    assert needs_compaction(index)
    whole_round(index)
    assert not needs_compaction(index)


def test_capped_hashes_are_counted_at_the_end_of_a_round(index):
    index.add([passage(number, HASHES[0], HASHES[1]) for number in range(1, POSTINGS_CAP + 2)])
    index.add([passage(1000, HASHES[2])])
    assert index.statistics().capped == 0
    whole_round(index)
    assert index.statistics().capped == 2 + 1
    index.remove([1])
    whole_round(index)
    assert index.statistics().capped == 0


def test_interrupted_round_resumes_at_its_last_position(index, redis_client):
    index.add([passage(1, *HASHES), passage(2, *HASHES)])
    index.remove([1])
    assert compact(index, buckets=40_000).share == pytest.approx(40_000 / 131_072)
    again = RedisIndex.live(redis_client, PARAMS, corpus="of the tests")
    assert needs_compaction(again)
    assert compact(again, buckets=40_000).share == pytest.approx(80_000 / 131_072)
    whole_round(again)
    assert again.statistics().dead == 0
    assert len(records(redis_client, again)) == 21


def test_passage_removed_during_a_round_goes_in_the_next(index, redis_client):
    index.add([passage(1, *HASHES), passage(2, *HASHES), passage(3, *HASHES)])
    index.remove([1])
    compact(index, buckets=100_000)
    index.remove([2])
    whole_round(index)
    assert index.statistics().dead == 1
    assert {passage for _, passage, _ in answers(index)["a"]} == {3}
    whole_round(index)
    assert index.statistics().dead == 0
    assert len(records(redis_client, index)) == 21


@pytest.mark.parametrize("at", [1, 65_537, 100_000])
def test_passage_that_comes_back_during_a_round_stays(index, redis_client, at):
    index.add([passage(1, *HASHES), passage(2, *HASHES)])
    before = answers(index)
    index.remove([1])
    compact(index, buckets=at)
    index.add([passage(1, *HASHES)])
    whole_round(index)
    assert answers(index) == before
    assert len(records(redis_client, index)) == 42
    assert index.missing([1, 2]) == []


class Meanwhile:
    """Shards that call a function once after reading."""

    def __init__(self, shards, action):
        self._shards, self._action = shards, action

    def __getattr__(self, name):
        return getattr(self._shards, name)

    def read_many(self, generation, codes):
        values = self._shards.read_many(generation, codes)
        action, self._action = self._action, lambda: None
        action()
        return values


@pytest.mark.parametrize(
    "change",
    [
        lambda index: index.add([passage(3, *HASHES)]),
        lambda index: index.remove([2]),
        lambda index: index.add([passage(1, *HASHES)]),
        lambda index: (index.add([passage(1, *HASHES)]), index.remove([1]), index.add([passage(1, *HASHES)])),
    ],
    ids=["added", "removed", "back", "back again"],
)
def test_change_between_reading_and_writing_is_not_lost(index, redis_client, change):
    """A reader and a writer use the same buckets at the worst moment."""
    index.add([passage(1, *HASHES), passage(2, *HASHES)])
    index.remove([1])
    other = RedisIndex.live(redis_client, PARAMS, corpus="of the tests")
    index.shards = Meanwhile(index.shards, lambda: change(other))
    while compact(index).share < 1:
        pass
    expected = MemoryIndex()
    expected.add(
        [passage(passage_id, *HASHES) for passage_id in (1, 2, 3) if not other.missing([passage_id])]
    )
    fresh = RedisIndex.live(redis_client, PARAMS, corpus="of the tests")
    assert answers(fresh) == answers(expected)
    whole_round(fresh)
    assert answers(fresh) == answers(expected)
    assert len(records(redis_client, fresh)) == sum(
        map(len, answers(expected)["a"] and answers(expected).values())
    )


def test_compaction_ignores_a_dropped_generation(index, redis_client):
    index.add([passage(1, *HASHES)])
    index.remove([1])
    compact(index, buckets=10)
    RedisIndex.create(redis_client, PARAMS, corpus="of the tests").go_live()
    with pytest.raises(IndexUnusable, match="missing"):
        whole_round(index)
    assert records(redis_client, index) == []


def test_only_a_single_process_has_the_index_lock(redis_client):
    with index_lock(redis_client), pytest.raises(IndexBusy), index_lock(redis_client, wait=False):
        pytest.fail("both are")
    with index_lock(redis_client, wait=False):
        pass


changes = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "tend", "fresh"]), st.integers(1, 6), st.integers(0, len(HASHES))
    ),
    max_size=14,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes)
def test_index_equals_the_sum_of_its_changes(redis_client, steps):
    """After any additions, removals and compactions, the index equals a new one, in Redis and in memory."""
    live = RedisIndex.create(redis_client, PARAMS, corpus="of the tests")
    live.go_live()
    memory, held, added = MemoryIndex(), {}, {}
    for what, number, size in steps:
        if what == "add":  # an id always belongs to the same text
            held[number] = added.setdefault(number, passage(number, *HASHES[:size]))
        for index in (live, memory):
            if what == "add":
                index.add([held[number]])
            elif what == "remove":
                index.remove([number])
        if what == "remove":
            held.pop(number, None)
        elif what == "tend":
            compact(live, buckets=50_000)
        elif what == "fresh":
            live = RedisIndex.live(redis_client, PARAMS, corpus="of the tests")
    rebuilt = RedisIndex.create(redis_client, PARAMS, corpus="of the tests")
    rebuilt.add(list(held.values()))
    assert answers(live) == answers(memory) == answers(rebuilt)
    assert live.statistics().postings == memory.statistics().postings == rebuilt.statistics().postings
    while needs_compaction(live):
        compact(live, buckets=200_000)
    assert answers(live) == answers(rebuilt)
    stored = [record for _, record in records(redis_client, live)]
    assert sorted(stored) == sorted(record for _, record in records(redis_client, rebuilt))
    rebuilt.go_live()
    assert answers(rebuilt) == answers(memory)


def test_task_compacts_removed_passages(stores, save_work, redis_client, monkeypatch, settings):
    """Beat sends this task every five minutes: it does a bounded amount until nothing remains."""
    work = save_work(1, {1: story(400, 1), 2: story(400, 2)})
    guard = IndexGuard(stores, redis_client)
    index_works([work], stores, guard.index())
    guard.index().remove([2])
    sent, queue = [], Queue(settings.storage)
    monkeypatch.setattr(queue, "send_again", sent.append)
    monkeypatch.setattr(
        tasks, "worker_runtime", lambda: Runtime(settings, stores, redis_client, guard, queue)
    )
    rounds = 0
    while tasks.keep_compact()["more"]:
        rounds += 1
    assert rounds == len(sent) >= 1
    assert set(sent) == {"keep_compact"}
    assert guard.live().statistics().dead == 0
    with index_lock(redis_client):
        assert tasks.keep_compact() == {"more": False}


def test_overgrown_index_is_rebuilt(stores, save_work, redis_client):
    work = save_work(1, {1: story(400, 1)})
    guard = IndexGuard(stores, redis_client)
    index_works([work], stores, guard.index())
    old = guard.index()
    redis_client.hset(old.key("manifest"), "postings", 10**9)
    index, more = keep_compact(stores, redis_client)
    assert (index.generation == old.generation, more) == (False, False)
    assert index.missing([1]) == []
    assert not index.is_crowded()
