"""Signals of beat: record that it is alive, and add the due time to its messages."""

from contextlib import suppress

from celery.signals import before_task_publish

from storage.records import utc_now
from storage.running.beats import record_beat
from storage.servers.redis_client import clock_ahead_s
from system.errors import PindnaError
from tracker.beat_settings import beat_settings
from tracker.scans.calendar import DUE, last_due, this_beat


@before_task_publish.connect(sender="tracker.tasks.tick")  # only beat sends this task
def _note_beat(**_: object) -> None:
    """Record for `pindna doctor` that beat runs; without Redis, beat could not send the message either."""
    with suppress(PindnaError):
        settings = beat_settings().state.settings
        redis_ahead_s = clock_ahead_s(settings.storage)
        record_beat(settings.storage, this_beat(settings.tracker, now=utc_now(), redis_ahead_s=redis_ahead_s))


@before_task_publish.connect(sender="tracker.tasks.daily_scan")
def _note_due(headers: dict[str, object], **_: object) -> None:
    """Add the due time to the message, by the clock of beat and not of the worker."""
    rules = beat_settings().state.settings.tracker
    headers[DUE] = last_due(rules.scan_schedule, rules.timezone, now=utc_now()).isoformat()
