"""Which messages beat sends, and when it omits one: the waiting messages decide, not a clock."""

import time
from contextlib import closing
from datetime import timedelta

import pytest
from celery.beat import ScheduleEntry

from storage.records import utc_now
from storage.records.stored_settings import StoredEntry, StoredSettings
from storage.running.live_settings import LiveSettings
from tracker import beat_scheduler, celeryconfig
from tracker.beat_scheduler import MAX_WAITING, Scheduler
from tracker.queue import Queue
from tracker.queues import ROUTES

pytestmark = pytest.mark.services


@pytest.fixture
def live(settings):
    """The settings of beat, which were read; nothing is stored."""
    live = LiveSettings(settings, StoredSettings)
    live.follow()
    return live


@pytest.fixture
def send(settings, live, redis_client, monkeypatch, tmp_path):
    """A function that lets beat send an entry of its schedule, and returns how many wait in that queue."""
    queue = Queue(settings.storage)
    monkeypatch.setattr(beat_scheduler, "load_settings", lambda: settings)
    monkeypatch.setattr(beat_scheduler, "beat_settings", lambda: live)
    scheduler = Scheduler(app=queue._celery_app, lazy=True, schedule_filename=str(tmp_path / "beat"))

    def send_entry(name):
        entry = ScheduleEntry(name=name, app=queue._celery_app, **celeryconfig.beat_schedule[name])
        scheduler.apply_entry(entry, producer=None)
        return redis_client.llen(ROUTES[entry.task])

    yield send_entry
    queue.close()


def test_messages_of_beat_have_no_expiry():
    assert all("expires" not in entry.get("options", {}) for entry in celeryconfig.beat_schedule.values())


def test_messages_do_not_pile_up_without_workers(send):
    assert [send("tick") for _ in range(MAX_WAITING + 3)] == [*range(1, MAX_WAITING + 1), *[MAX_WAITING] * 3]
    assert send("scan-by-hours") == MAX_WAITING  # of the same queue
    assert send("alerts") == 1


def test_due_time_is_always_sent(send):
    for _ in range(MAX_WAITING):
        send("tick")
    assert send("daily-scan") == MAX_WAITING + 1


def test_daily_scan_waits_for_the_stored_time(send, live):
    live.is_read = False
    assert (send("daily-scan"), send("tick")) == (0, 1)
    live.is_read = True
    assert send("daily-scan") == 2  # in the same queue


def test_messages_claimed_by_a_worker_make_room(send, redis_client):
    for _ in range(MAX_WAITING):
        send("tick")
    redis_client.delete("scan")
    assert send("tick") == 1


@pytest.mark.parametrize("hours", [1, 24])
def test_clock_that_was_set_back_stops_nothing(settings, monkeypatch, tmp_path, hours):
    """Beat sent everything while its machine's clock was ahead; then the clock is set right."""
    monkeypatch.setattr(beat_scheduler, "load_settings", lambda: settings)
    with closing(Queue(settings.storage)) as queue:
        app, ahead, sent = queue._celery_app, timedelta(hours=hours), []
        now = app.now
        monkeypatch.setattr(app, "now", lambda: now() + ahead)
        scheduler = Scheduler(app=app, schedule_filename=str(tmp_path / "beat"))
        scheduler.schedule.clear()
        scheduler.update_from_dict({"alerts": {"task": "analysis.tasks.tell_alerts", "schedule": 0.2}})
        monkeypatch.setattr(scheduler, "apply_entry", lambda entry, **_: sent.append(entry.name))
        for moment in (ahead, timedelta()):
            ahead = moment
            sent.clear()
            end = time.monotonic() + 5
            while "alerts" not in sent and time.monotonic() < end:
                time.sleep(max(0.0, min(scheduler.tick(), 0.3)))
            assert "alerts" in sent
        scheduler.close()


def test_beat_follows_a_new_time_of_the_daily_scan(settings, monkeypatch, tmp_path):
    """A new time is in force without a restart; one that has passed today is for tomorrow."""
    lines = ["0 3 * * *"]

    def read():
        entry = StoredEntry(
            name="tracker.scan_schedule", value=f'"{lines[-1]}"', revision=len(lines), by="an", at=utc_now()
        )
        return StoredSettings(revision=len(lines), values=(entry,))

    live = LiveSettings(settings, read)
    monkeypatch.setattr(beat_scheduler, "load_settings", lambda: settings)
    monkeypatch.setattr(beat_scheduler, "beat_settings", lambda: live)
    monkeypatch.setattr(live, "follow_later", lambda: live.follow(max_age_s=0))
    with closing(Queue(settings.storage)) as queue:
        queue._celery_app.conf.beat_schedule = {"daily-scan": dict(celeryconfig.beat_schedule["daily-scan"])}
        scheduler = Scheduler(app=queue._celery_app, schedule_filename=str(tmp_path / "beat"))
        sent = []
        monkeypatch.setattr(scheduler, "apply_entry", lambda entry, **_: sent.append(entry.name))
        passed = scheduler.app.now() - timedelta(hours=1)
        for hour in (3, passed.hour):
            lines.append(f"{passed.minute} {hour} * * *")
            scheduler.tick()
            assert scheduler.schedule["daily-scan"].schedule.hour == {hour}
            assert sent == []
        scheduler.close()
