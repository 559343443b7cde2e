"""The frontier and the pace of a trial, where they differ from those in Redis: there is one process."""

import pytest

from storage.frontier import memory
from storage.frontier.interface import End, Entry, Frontier, LeaseBatch, Pace
from storage.frontier.memory import MemoryFrontier, MemoryPace


def entry(number, **fields):
    return Entry(id=f"e{number}", url=f"http://x.example/{number}", **{"kind": "text", **fields})


@pytest.fixture
def frontier():
    frontier = MemoryFrontier(max_texts=9)
    frontier.push([entry(1), entry(2, priority=5), entry(3)])
    return frontier


def test_memory_frontier_and_pace_implement_their_interfaces(frontier):
    """mypy checks the types where a trial passes them to its job."""
    for protocol, service in ((Frontier, frontier), (Pace, MemoryPace())):
        names = {name for name in vars(protocol) if not name.startswith("_")}
        assert names
        assert all(callable(getattr(service, name)) for name in names)


def test_memory_frontier_never_gives_up_or_isolates_an_entry(frontier):
    assert frontier.lease(2, held=4) == LeaseBatch((entry(2, priority=5), entry(1)), ())
    assert frontier.lease(2) == LeaseBatch((entry(3),), ())
    assert frontier.lease(2) == LeaseBatch((), ())


def test_repeated_end_still_adds_its_entries(frontier):
    frontier.lease(1)
    ends = [End(entry_id="e2", ending="list", entries=(entry(4),))] * 2
    assert frontier.end_many([*ends, End(entry_id="e1", ending="new")]) == [True, False, False]
    assert frontier.tally().ended == {"list": 1}
    assert frontier.pending() == 3


def test_released_entry_follows_entries_of_its_priority(frontier):
    frontier.lease(2)
    frontier.release(["e1", "unknown"])
    assert frontier.extend(["e1", "e2"]) == 1
    assert [leased.id for leased in frontier.lease(9).entries] == ["e3", "e1"]


def test_addresses_beyond_the_limit_are_counted_up_to_a_bound(monkeypatch):
    monkeypatch.setattr(memory, "MAX_BEYOND", 2)
    frontier = MemoryFrontier(max_texts=1)
    for _ in range(2):
        frontier.push(entry(number) for number in range(9))
    assert frontier.tally().beyond == 2


def test_finishing_a_memory_frontier_changes_nothing(frontier):
    frontier.finish()
    assert frontier.pending() == 3


def test_host_is_requested_in_steps_and_a_longer_hold_wins(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(memory.time, "monotonic", lambda: now[0])
    pace = MemoryPace()
    assert [pace.reserve("h", gap_s=2) for _ in range(3)] == [0, 2, 4]
    pace.hold("h", seconds=3)
    assert pace.reserve("h", gap_s=2) == 6
    pace.hold("h", seconds=30)
    pace.hold("h", seconds=5)
    now[0] += 10
    assert pace.reserve("h", gap_s=0) == 20
    assert pace.reserve("other", gap_s=0) == 0
