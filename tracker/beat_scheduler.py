"""A beat scheduler that sends nothing to a queue where messages already wait.

A message of beat asks a worker to look for work, so ten waiting messages do as much as a thousand. Celery's
expiring messages compare the clocks of beat and worker: a worker whose clock is ten minutes ahead would
discard all of them.

When the machine's clock is set back, Celery would send nothing until the clock reaches its former time.
"""

from contextlib import suppress
from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry

from storage.servers.redis_client import list_lengths
from storage.settings import load_settings
from system.errors import PindnaError
from tracker.queues import ROUTES

MAX_WAITING = 10  # messages in a queue
# Each of these messages has a different due time, so none may be skipped.
ALWAYS = frozenset({"tracker.tasks.daily_scan"})


class Scheduler(PersistentScheduler):
    """Celery's scheduler, which skips a queue that no worker empties."""

    def apply_async(self, entry: ScheduleEntry, **options: Any) -> Any:  # type: ignore[override]
        """Send the message of an entry; return None if enough messages wait already."""
        task = str(entry.task)
        if task not in ALWAYS and _waiting(ROUTES[task]) >= MAX_WAITING:
            return None
        return super().apply_async(entry, **options)

    def tick(self, *args: Any, **options: Any) -> float:
        """Send the due entries.

        If the clock was set back, an entry's last run may be in the future; it is then set to the present
        time.
        """
        now = self.app.now()
        later = [entry for entry in self.schedule.values() if entry.last_run_at and entry.last_run_at > now]
        for entry in later:
            entry.last_run_at = now
        if later:
            self._heap = None  # the heap contains times of the clock before it was set back
        return super().tick(*args, **options)


def _waiting(queue: str) -> int:
    """Return how many messages wait in a queue.

    While Redis is down, the result is 0: the attempt to send then reports the outage.
    """
    with suppress(PindnaError):
        return list_lengths(load_settings().storage, [queue])[queue]
    return 0
