"""Which consoles run, as they say themselves: one sorted set in Redis, a member for each process.

Each notes itself every few seconds, by the clock of Redis, so that whoever wants the database for himself
sees them (:mod:`storage.beats` does the same for beats).
"""

import os
import socket
from datetime import UTC, datetime, timedelta
from typing import cast

from storage.redis_client import open_redis, redis_errors
from storage.settings import StorageSettings

KEY = "pindna:consoles"
_FORGOTTEN = timedelta(days=7)


def note_console(settings: StorageSettings) -> None:
    """Note that this process is a console that is alive, and forget those that were not seen for a week.

    Raises:
        ServiceDown, RedisFailed: Redis does not take it.
    """
    with open_redis(settings) as client, redis_errors(client):
        seconds, _ = cast("tuple[int, int]", client.time())
        client.zadd(KEY, {f"{socket.gethostname()}:{os.getpid()}": seconds})
        client.zremrangebyscore(KEY, 0, seconds - _FORGOTTEN.total_seconds())


def known_consoles(settings: StorageSettings) -> dict[str, datetime]:
    """Return when each console of the last week was seen last, by the clock of Redis, to the second.

    Raises:
        ServiceDown, RedisFailed: Redis does not answer.
    """
    with open_redis(settings) as client, redis_errors(client):
        rows = cast("list[tuple[bytes, float]]", client.zrange(KEY, 0, -1, withscores=True))
    return {name.decode(): datetime.fromtimestamp(seconds, UTC) for name, seconds in rows}
