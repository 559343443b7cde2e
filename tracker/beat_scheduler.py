"""A beat scheduler that sends nothing to a queue where messages already wait.

A message of beat asks a worker to look for work, so ten waiting messages do as much as a thousand. Celery's
expiring messages compare the clocks of beat and worker: a worker whose clock is ten minutes ahead would
discard all of them.

When the machine's clock is set back, Celery would send nothing until the clock reaches its former time.

The scheduler follows the stored time of the daily scan without a restart.
"""

from contextlib import suppress
from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry
from celery.schedules import crontab

from storage.servers.redis_client import list_lengths
from storage.settings import load_settings
from system.errors import PindnaError
from tracker.beat_settings import beat_settings
from tracker.queues import ROUTES

MAX_WAITING = 10  # messages in a queue
# Each of these messages has a different due time, so none may be skipped.
ALWAYS = frozenset({"tracker.tasks.daily_scan"})
_DAILY = "daily-scan"


class Scheduler(PersistentScheduler):
    """Celery's scheduler, which skips a queue that no worker empties, and follows the stored settings."""

    _daily_line = ""

    def setup_schedule(self) -> None:
        """Read the stored time of the daily scan, then build the schedule."""
        beat_settings().follow()
        self._daily_line = _stored_line()
        if _DAILY in self.app.conf.beat_schedule:
            self.app.conf.beat_schedule[_DAILY]["schedule"] = crontab.from_string(self._daily_line)
        super().setup_schedule()

    def apply_async(self, entry: ScheduleEntry, **options: Any) -> Any:  # type: ignore[override]
        """Send the message of an entry; return None if enough messages wait already.

        Until the stored settings were read, the daily scan is not sent, because its time is not known. A scan
        that was due before is opened late by a worker.
        """
        if entry.name == _DAILY and not beat_settings().is_read:
            return None
        task = str(entry.task)
        if task not in ALWAYS and _waiting(ROUTES[task]) >= MAX_WAITING:
            return None
        return super().apply_async(entry, **options)

    def tick(self, *args: Any, **options: Any) -> float:
        """Send the due entries.

        If the clock was set back, an entry's last run may be in the future; it is then set to the present
        time.
        """
        self._follow_settings()
        now = self.app.now()
        later = [entry for entry in self.schedule.values() if entry.last_run_at and entry.last_run_at > now]
        for entry in later:
            entry.last_run_at = now
        if later:
            self._heap = None  # the heap contains times of the clock before it was set back
        return super().tick(*args, **options)

    def _follow_settings(self) -> None:
        """Apply a changed time of the daily scan; a time that has passed today is for tomorrow."""
        beat_settings().follow_later()
        line, entry = _stored_line(), self.schedule.get(_DAILY)
        if entry is None or line == self._daily_line:
            return
        self._daily_line = line
        entry.schedule = crontab.from_string(line)
        entry.schedule.app = self.app
        entry.last_run_at = self.app.now()
        self._heap = None  # the heap contains the former time


def _stored_line() -> str:
    return beat_settings().state.settings.tracker.scan_schedule


def _waiting(queue: str) -> int:
    """Return how many messages wait in a queue.

    While Redis is down, the result is 0: the attempt to send then reports the outage.
    """
    with suppress(PindnaError):
        return list_lengths(load_settings().storage, [queue])[queue]
    return 0
