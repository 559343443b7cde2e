"""Which Celery beats run, as they say themselves: one hash in Redis, a field for each beat process.

Beat answers no ping, so it notes itself each time it sends the message that it sends every five seconds.
Several may run, for what they send for is done once; each has a field of its own, so that all are seen.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from pydantic import TypeAdapter

from storage.redis_client import open_redis, redis_errors
from storage.settings import StorageSettings

KEY = "pindna:beats"
_FORGOTTEN = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Beat:
    """A beat process.

    Attributes:
        name: of its machine, with its process number.
        seen: when it last sent a message, by the clock of Redis.
        schedule: when it opens a scan, as a cron line.
        timezone: of that line.
        version: of pindna; empty in what earlier versions noted.
        ahead_s: by how many seconds its clock is ahead of that of Redis; negative: behind.
    """

    name: str
    seen: datetime
    schedule: str
    timezone: str
    version: str = ""
    ahead_s: float = 0.0


_BEAT = TypeAdapter(Beat)


def note_beat(settings: StorageSettings, beat: Beat) -> None:
    """Note that a beat is alive, and forget those that were not seen for a week.

    Raises:
        ServiceDown, RedisFailed: Redis does not take it.
    """
    with open_redis(settings) as client, redis_errors(client):
        client.hset(KEY, beat.name, _BEAT.dump_json(beat))
        old = [known.name for known in _all(client.hgetall(KEY)) if beat.seen - known.seen > _FORGOTTEN]
        if old:
            client.hdel(KEY, *old)


def known_beats(settings: StorageSettings) -> list[Beat]:
    """Return the beats of the last week, the one seen last first.

    Raises:
        ServiceDown, RedisFailed: Redis does not answer.
    """
    with open_redis(settings) as client, redis_errors(client):
        beats = _all(client.hgetall(KEY))
    return sorted(beats, key=lambda beat: beat.seen, reverse=True)


def _all(row: object) -> list[Beat]:
    return [_BEAT.validate_json(value) for value in cast("dict[bytes, bytes]", row).values()]
