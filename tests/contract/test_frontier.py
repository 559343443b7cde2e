"""The frontier: every address once, nothing lost with a dead process, nothing twice, a limit for all."""

import threading
import time

import pytest
from support.waiting import wait_until

from storage.frontier.interface import (
    MAX_ATTEMPTS,
    MAX_BEYOND,
    End,
    Entry,
    FrontierLost,
    FrontierTally,
)
from storage.frontier.memory import MemoryFrontier, MemoryPace
from storage.frontier.redis import RedisFrontier, RedisPace
from storage.servers.redis_client import open_redis
from system.errors import ServiceDown


def entry(number, **fields):
    return Entry(id=f"e{number}", url=f"http://x.example/{number}", **{"kind": "text", **fields})


@pytest.fixture(params=["memory", pytest.param("real", marks=pytest.mark.services)])
def alone(request):
    """A function that returns the frontier of a crawl with one process, in memory or in Redis."""

    def make(*, max_texts=10_000):
        if request.param == "memory":
            return MemoryFrontier(max_texts=max_texts)
        frontier = RedisFrontier(
            request.getfixturevalue("redis_client"), "c", lease_s=60.0, max_texts=max_texts
        )
        frontier.open()
        return frontier

    return make


@pytest.fixture(params=["memory", pytest.param("real", marks=pytest.mark.services)])
def pace(request):
    return MemoryPace() if request.param == "memory" else RedisPace(request.getfixturevalue("redis_client"))


@pytest.fixture
def process(redis_client):
    """A function that opens the crawl's frontier like a separate process."""

    def join(crawl="c", *, lease_s=60.0, max_texts=10_000):
        frontier = RedisFrontier(redis_client, crawl, lease_s=lease_s, max_texts=max_texts)
        frontier.open()
        return frontier

    return join


def ids(leased):
    return [entry.id for entry in leased.entries]


def test_address_is_pushed_once_in_a_crawl_and_again_in_the_next(process):
    first, other = process(), process()
    assert first.push([entry(1), entry(2), entry(1)]) == 2
    assert other.push([entry(2)]) == 0
    assert ids(first.lease(9)) == ["e1", "e2"]
    assert first.end("e1", "new")
    assert other.push([entry(1)]) == 0
    assert process("next").push([entry(1)]) == 1


def test_entries_are_read_back_unchanged(alone):
    pushed = entry(1, kind="index", priority=-3, depth=2, note="第二页")
    frontier = alone()
    frontier.push([pushed])
    assert frontier.lease(1).entries == (pushed,)


def test_entries_come_by_priority_and_then_in_order_of_pushing(alone):
    frontier = alone()
    frontier.push(
        [entry(1, priority=-5), entry(2), entry(3), entry(4, priority=7), entry(5, priority=-1_000_000)]
    )
    assert ids(frontier.lease(9)) == ["e4", "e2", "e3", "e1", "e5"]


def test_two_processes_never_hold_the_same_entry(process, settings):
    process().push(entry(number) for number in range(300))
    ended, errors = [], []

    def work():
        client = open_redis(settings.storage)
        frontier = RedisFrontier(client, "c", lease_s=60, max_texts=10_000)
        try:
            while taken := frontier.lease(7).entries:
                ended.extend(leased.id for leased in taken)
                errors.extend(leased.id for leased in taken if not frontier.end(leased.id, "new"))
        finally:
            client.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(ended) == sorted(f"e{number}" for number in range(300))
    assert errors == []
    assert process().pending() == 0


def test_entry_of_a_dead_process_comes_first_and_its_late_answer_is_void(process):
    dead, alive = process(lease_s=0.05), process()
    dead.push([entry(1), entry(2)])
    assert ids(dead.lease(1)) == ["e1"]
    time.sleep(0.1)
    assert ids(alive.lease(9)) == ["e1", "e2"]
    assert not dead.end("e1", "new")
    assert alive.pending() == 2
    assert alive.end("e1", "new")


def test_extended_lease_stays(process):
    holder, other = process(lease_s=3), process()
    holder.push([entry(1)])
    holder.lease(1)
    holder._lease_ms = 60_000
    assert holder.extend(["e1", "unknown"]) == 1
    time.sleep(3.1)
    assert other.lease(1).entries == ()
    assert holder.end("e1", "new")


def test_completion_adds_new_entries_in_the_same_step(alone):
    frontier = alone()
    frontier.push([entry(1)])
    frontier.lease(1)
    assert frontier.end("e1", "list", [entry(2), entry(1), entry(3)])
    assert frontier.pending() == 2


def test_entries_completed_together_count_as_if_completed_alone(process):
    holder, other = process(), process()
    holder.push([entry(1), entry(2), entry(3)])
    holder.lease(2)
    other.lease(1)
    # Another process has the third entry: its links count, but its end does not.
    ends = [
        End(entry_id="e1", ending="list", entries=(entry(4),)),
        End(entry_id="e2", ending="failed"),
        End(entry_id="e3", ending="new", entries=(entry(4), entry(5))),
    ]
    assert holder.end_many(ends) == [True, True, False]
    assert holder.tally() == FrontierTally(entries=5, ended={"list": 1, "failed": 1}, remaining=3, beyond=0)
    assert other.end("e3", "new")
    assert ids(other.lease(9)) == ["e4", "e5"]
    assert holder.end_many([]) == []


def test_entry_that_kills_every_process_is_returned_to_be_ended(process):
    """The entry stays with the process that should end it; if that dies, the next process takes it."""
    frontier = process(lease_s=0.02)
    frontier.push([entry(1)])
    for _ in range(MAX_ATTEMPTS):
        assert ids(frontier.lease(1)) == ["e1"]
        time.sleep(0.04)
    for _ in range(2):
        last = frontier.lease(1)
        assert (last.entries, last.given_up) == ((), (entry(1),))
        assert frontier.pending() == 1
        time.sleep(0.04)
    alive = process()
    assert alive.lease(1).given_up == (entry(1),)
    assert alive.end("e1", "failed")
    assert alive.tally() == FrontierTally(entries=1, ended={"failed": 1}, remaining=0, beyond=0)


def test_entry_of_two_dead_processes_is_worked_on_alone(process):
    """An entry that kills processes blocks no other entry for good."""
    frontier = process(lease_s=0.02)
    frontier.push([entry(1), entry(2), entry(3)])
    for _ in range(2):
        assert ids(frontier.lease(2)) == ["e1", "e2"]
        time.sleep(0.04)
    assert (frontier.lease(9, held=1).entries, process().lease(0).entries) == ((), ())
    alive = process()
    for expected in ("e1", "e2"):
        leased = alive.lease(9)
        assert (ids(leased), leased.is_alone) == ([expected], True)
    rest = alive.lease(9, held=2)
    assert (ids(rest), rest.is_alone) == (["e3"], False)


def test_tally_stays_right_whatever_process_dies(alone):
    frontier = alone(max_texts=3)
    frontier.push([entry(1, kind="index"), entry(2)])
    assert frontier.tally() == FrontierTally(entries=2, ended={}, remaining=2, beyond=0)
    frontier.lease(9)
    assert frontier.end("e1", "list", [entry(number) for number in (2, 3, 4, 5, 6, 5)])
    assert not frontier.end("e1", "list")
    frontier.end("e2", "unchanged", [entry(6)])
    tally = frontier.tally()
    assert tally == FrontierTally(entries=4, ended={"list": 1, "unchanged": 1}, remaining=2, beyond=2)
    assert tally.entries == sum(tally.ended.values()) + tally.remaining


def test_addresses_beyond_the_limit_are_counted_up_to_a_bound(process, monkeypatch):
    monkeypatch.setattr("storage.frontier.redis.MAX_BEYOND", 5)
    frontier = process(max_texts=1)
    for _ in range(2):
        frontier.push([entry(number) for number in range(9)])
    assert frontier.tally().beyond == 5
    assert MAX_BEYOND > 5


def test_released_entries_count_no_attempt(alone):
    frontier = alone()
    frontier.push([entry(1)])
    for _ in range(MAX_ATTEMPTS + 2):
        assert ids(frontier.lease(1)) == ["e1"]
        frontier.release(["e1"])
    assert frontier.pending() == 1


def test_limit_of_texts_holds_over_all_processes(process):
    first, other = process(max_texts=3), process(max_texts=3)
    first.push([entry(1), entry(2), entry(9, kind="index")])
    other.push([entry(3), entry(4), entry(5)])
    assert first.push([entry(1)]) == 0
    assert first.tally() == FrontierTally(entries=4, ended={}, remaining=4, beyond=2)
    assert sorted(ids(first.lease(99))) == ["e1", "e2", "e3", "e9"]


def test_limit_of_texts_spares_lists_and_is_counted(alone):
    frontier = alone(max_texts=1)
    assert frontier.push([entry(1), entry(2), entry(3, kind="index")]) == 2
    assert frontier.tally().beyond == 1
    assert frontier.contains("e1")
    assert not frontier.contains("e2")
    assert frontier.lease(1).entries == (entry(1),)
    assert (frontier.extend(["e1"]), frontier.pending()) == (1, 2)


def test_frontier_lost_by_redis_is_not_a_complete_crawl(process, redis_client):
    frontier = process()
    frontier.push([entry(1)])
    redis_client.flushdb()
    for call in (
        frontier.pending,
        frontier.tally,
        lambda: frontier.lease(1),
        lambda: frontier.push([entry(2)]),
        lambda: frontier.end("e1", "new"),
    ):
        with pytest.raises(FrontierLost):
            call()


def test_finished_frontier_expires_by_itself(process, redis_client):
    frontier = process()
    frontier.push([entry(1)])
    frontier.lease(1)
    frontier.end("e1", "new")
    frontier.finish()
    assert frontier.pending() == 0
    assert all(0 < redis_client.ttl(key) <= 3600 for key in redis_client.keys("pindna:frontier:*"))


def test_host_has_a_single_pace(pace):
    waits = [pace.reserve("h", gap_s=60.0) for _ in range(3)]
    assert waits[0] == 0
    assert 40 < waits[1] <= 60
    assert 100 < waits[2] <= 120
    assert pace.reserve("another", gap_s=60.0) == 0


def test_pace_is_shared_by_all_processes(redis_client):
    assert RedisPace(redis_client).reserve("h", gap_s=60) == 0
    assert 40 < RedisPace(redis_client).reserve("h", gap_s=60) <= 60


def test_shorter_hold_of_a_host_does_not_shorten_the_longer(pace):
    pace.hold("h", seconds=60)
    pace.hold("h", seconds=5)
    assert 40 < pace.reserve("h", gap_s=0) <= 60


def test_budget_is_spent_once_and_returns_with_the_next_period(pace):
    assert [pace.spend("a.example", most=2, seconds=1) for _ in range(4)] == [True, True, False, False]
    assert pace.spend("b.example", most=1, seconds=60)
    assert not pace.spend("c.example", most=0, seconds=60)
    wait_until(lambda: pace.spend("a.example", most=2, seconds=60))
    assert pace.spend("a.example", most=2, seconds=60)
    assert not pace.spend("a.example", most=2, seconds=60)


def test_unreachable_redis_is_reported(settings):
    down = settings.storage.model_copy(
        update={"redis_url": type(settings.storage.redis_url)("redis://127.0.0.1:9/0")}
    )
    with pytest.raises(ServiceDown):
        RedisFrontier(open_redis(down), "c", lease_s=1, max_texts=1).open()
