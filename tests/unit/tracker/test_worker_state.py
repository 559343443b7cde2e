"""What a worker says of itself, and what is made of the answer of another version."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from storage.records import utc_now
from system.clocks import clock_lead_seconds
from system.version import VERSION
from tracker.queue import WorkerState, _state_of
from tracker.worker_state import _report_state


def test_worker_reports_its_version_clock_and_queues():
    queues = [SimpleNamespace(name="crawl"), SimpleNamespace(name="watch")]
    state = SimpleNamespace(consumer=SimpleNamespace(task_consumer=SimpleNamespace(queues=queues)))
    asked = utc_now()
    told = _report_state(state)
    assert _state_of(told, asked) == WorkerState(VERSION, frozenset({"crawl", "watch"}), 0.0)
    assert _report_state(SimpleNamespace(consumer=None))["queues"] == []


def test_worker_without_a_state_answer_is_an_earlier_version():
    assert _state_of({"error": "KeyError('pindna_state')"}, utc_now()) == WorkerState()


@pytest.mark.parametrize(("told_s", "ahead"), [(-600, -600), (0, 0), (1.5, 0), (2, 0), (75, 73)])
def test_clock_difference_exceeds_any_delay(told_s, ahead):
    asked = utc_now()
    told, answered = asked + timedelta(seconds=told_s), asked + timedelta(seconds=2)
    assert clock_lead_seconds(told, asked_at=asked, answered_at=answered) == ahead
