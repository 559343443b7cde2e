"""The desk: whatever is handed in is taken out once, by one process at a time, whoever dies."""

import multiprocessing
import os
import signal
from contextlib import closing

import pytest

from tracker.scans.crawl_inbox import Assignment, CrawlInbox

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def desk():
    with closing(CrawlInbox()) as desk:
        yield desk


def test_submitted_assignments_are_claimed_once_and_in_order(desk):
    assignments = [Assignment(f"s:源{number}", f"t{number}") for number in range(3)]
    assert not desk.has_pending()
    assert all(desk.submit(assignment) for assignment in assignments)
    assert desk.has_pending()
    assert list(desk.take_all()) == assignments
    assert not desk.has_pending()
    assert list(desk.take_all()) == []


def test_full_desk_says_so_and_takes_again_when_there_is_room(desk):
    accepted = 0
    while desk.submit(Assignment("s:a", str(accepted))):
        accepted += 1
        assert accepted < 1_000_000
    assert [taken.token for taken in desk.take_all()] == [str(number) for number in range(accepted)]
    assert desk.submit(Assignment("s:a", "t"))


def hold_until_killed(desk, is_held):
    with desk.turn() as is_ours:
        is_held.value = is_ours
        os.kill(os.getpid(), signal.SIGSTOP)


def test_process_has_the_turn_until_it_is_killed(desk):
    is_held = FORK.Value("b", 0)
    child = FORK.Process(target=hold_until_killed, args=(desk, is_held))
    child.start()
    os.waitpid(child.pid, os.WUNTRACED)
    assert is_held.value
    with desk.turn() as is_ours:
        assert not is_ours
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    with desk.turn() as is_ours:
        assert is_ours
    with desk.turn() as is_ours:
        assert is_ours


def crawl_all(desk, count, done):
    """What each process of a worker does with a message."""
    for number in range(count):
        while not desk.submit(Assignment(f"{os.getpid()}", f"{number}")):
            pass
        while desk.has_pending():
            with desk.turn() as is_ours:
                if not is_ours:
                    break
                with done.get_lock():
                    done.value += sum(1 for _ in desk.take_all())


def test_nothing_stays_at_the_desk_however_processes_meet_there(desk):
    done = FORK.Value("l", 0)
    children = [FORK.Process(target=crawl_all, args=(desk, 300, done)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * 4
    assert (done.value, desk.has_pending()) == (1200, False)
