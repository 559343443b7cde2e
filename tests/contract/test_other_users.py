"""A command that needs the database alone waits for ending processes, and fails if one continues."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from analysis.console.background import _run_background_tasks
from deploy.cli.backup import other_users
from deploy.cli.backup.other_users import StillAtWork, refuse_other_users
from storage.records import utc_now
from storage.running.beats import Beat, record_beat
from storage.running.consoles import Console, list_consoles, record_console, this_console
from tracker.queue import Queue
from tracker.runtime import Runtime

pytestmark = pytest.mark.services


@pytest.fixture
def waits(monkeypatch):
    """What happens while a command waits: a function a second, instead of the second; no worker answers."""
    events, now = [], [0.0]

    def sleep(seconds):
        now[0] += seconds
        if events:
            events.pop(0)()

    monkeypatch.setattr(other_users, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: now[0]))
    monkeypatch.setattr(Queue, "workers", lambda *_, **__: [])
    return SimpleNamespace(events=events, now=now)


def note(settings, seen):
    record_beat(settings.storage, Beat("m:1", seen, "0 3 * * *", "UTC"))


def test_working_console_is_detected(settings, stores, redis_client, waits):
    installation = SimpleNamespace(runtime=Runtime(settings, stores, redis_client), stores=stores)
    _run_background_tasks(installation)
    (console,) = list_consoles(settings.storage)
    waits.events += [lambda: None, lambda: _run_background_tasks(installation)]
    with pytest.raises(StillAtWork, match=f"console {console.name}"):
        refuse_other_users(settings, embedded=False)
    assert waits.now == [2.0]


def test_working_beat_and_a_starting_beat_are_detected(settings, waits):
    begun = utc_now()
    for before in (begun - timedelta(seconds=4), begun - timedelta(seconds=1)):
        note(settings, before)
        waits.events.append(lambda: note(settings, begun))
        with pytest.raises(StillAtWork, match="beat m:1"):
            refuse_other_users(settings, embedded=False)


def test_recently_stopped_programs_are_waited_for(settings, waits):
    refuse_other_users(settings, embedded=False)
    note(settings, utc_now() - timedelta(seconds=31))
    record_console(settings.storage, Console("m:2", utc_now() - timedelta(seconds=31)))
    refuse_other_users(settings, embedded=False)
    assert waits.now == [0.0]
    record_console(settings.storage, this_console(settings.storage))
    note(settings, utc_now() + timedelta(days=1))  # the clock of Redis was set back since
    refuse_other_users(settings, embedded=False)
    assert waits.now == [30.0]


def test_records_of_old_consoles_are_deleted(settings):
    now = utc_now()
    for name, age in (
        ("m:1", timedelta(days=7, seconds=1)),
        ("m:2", timedelta(days=7)),
        ("m:3", timedelta()),
    ):
        record_console(settings.storage, Console(name, now - age))
    assert [console.name for console in list_consoles(settings.storage)] == ["m:3", "m:2"]
