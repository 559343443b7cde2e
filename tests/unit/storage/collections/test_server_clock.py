"""What a process learns of the document server's clock from answers to heartbeats."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from storage.collections.server_clock import ServerClock

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def answer(ahead_s, *, awaited=False, duration=0.0, is_writable=True):
    server_time = (NOON + timedelta(seconds=ahead_s)).replace(
        tzinfo=None
    )  # as the driver hands it to its listeners
    reply = SimpleNamespace(document={"localTime": server_time}, is_writable=is_writable)
    return SimpleNamespace(reply=reply, awaited=awaited, duration=duration)


def told(*answers):
    clock = ServerClock(lambda: NOON, lambda: 0.0)
    for event in answers:
        clock.succeeded(event)
    return (clock.now() - NOON).total_seconds()


def test_local_time_is_used_until_the_server_answers():
    assert told() == 0


@pytest.mark.parametrize("ahead_s", [600, 2, -2, -600])
def test_different_server_clock_is_followed(ahead_s):
    assert told(answer(ahead_s)) == ahead_s


@pytest.mark.parametrize("ahead_s", [1, 0.5, -0.5, -1])
def test_clock_difference_below_a_second_is_ignored(ahead_s):
    assert told(answer(ahead_s)) == 0


def test_answer_time_is_halfway_through_the_call():
    assert told(answer(-600, duration=8)) == -596
    assert told(answer(-8, duration=8)) == 0
    assert told(answer(0, duration=8)) == 0


def test_awaited_answer_was_held_back_by_the_server():
    assert told(answer(-600, awaited=True, duration=9)) == -600


def test_last_answer_counts():
    assert told(answer(600), answer(0)) == 0


def test_members_that_accept_no_writes_are_ignored():
    assert told(answer(600, is_writable=False)) == 0
    assert told(answer(60), answer(600, is_writable=False)) == 60


def test_server_without_a_time_changes_nothing():
    silent = SimpleNamespace(
        reply=SimpleNamespace(document={}, is_writable=True), awaited=False, duration=0.0
    )
    assert told(answer(60), silent) == 60


@pytest.mark.parametrize("jump_s", [3600, -3600])
def test_machine_whose_clock_is_set_goes_on_with_the_last_answer(jump_s):
    set_by = elapsed = 0.0
    clock = ServerClock(lambda: NOON + timedelta(seconds=elapsed + set_by), lambda: elapsed)
    clock.succeeded(answer(0))
    set_by, elapsed = jump_s, 7.5
    assert clock.now() == NOON + timedelta(seconds=7.5)
    clock.succeeded(answer(7.5))
    elapsed = 9.0
    assert clock.now() == NOON + timedelta(seconds=9)
