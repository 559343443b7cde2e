"""When beat sends: what its schedule says, but for what already waits in the queue that it would go to.

A message of beat asks a worker to look for work, so ten of them that wait are as good as a thousand. Celery's
own means, messages that expire, compares the clock of beat with that of the worker: a worker whose clock is
ten minutes ahead would throw all of them away.
"""

from contextlib import suppress
from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry

from storage.servers.redis_client import list_lengths
from storage.settings import load_settings
from system.errors import PindnaError
from tracker.queues import ROUTES

MAX_WAITING = 10  # messages in a queue
# Each of these is about a due time of its own, and is never left out.
ALWAYS = frozenset({"tracker.tasks.daily_scan"})


class Scheduler(PersistentScheduler):
    """Celery's scheduler, which sends nothing to a queue that nobody takes from."""

    def apply_async(self, entry: ScheduleEntry, **options: Any) -> Any:  # type: ignore[override]
        """Send the message of an entry; None where enough wait already."""
        task = str(entry.task)
        if task not in ALWAYS and _waiting(ROUTES[task]) >= MAX_WAITING:
            return None
        return super().apply_async(entry, **options)


def _waiting(queue: str) -> int:
    """Return how many messages wait in a queue; 0 while Redis is away, which sending then tells."""
    with suppress(PindnaError):
        return list_lengths(load_settings().storage, [queue])[queue]
    return 0
