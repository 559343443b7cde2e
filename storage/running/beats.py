"""The running Celery beats, which report themselves in Redis (:mod:`storage.running.marks`).

A beat does not answer pings, so it records a mark in Redis whenever it sends its message, every five seconds.
Several beats may run, because each due time is processed only once. Each beat has its own mark.
"""

from dataclasses import dataclass
from datetime import datetime

from storage.running.marks import Marks
from storage.settings import StorageSettings


@dataclass(frozen=True, slots=True)
class Beat:
    """A process of Celery beat, with the time of its last mark.

    Attributes:
        name: name of the machine and process number.
        seen: time of the last message, by the clock of Redis.
        schedule: when it starts a scan, as a cron line.
        timezone: time zone of that line.
        version: version of pindna; empty in marks of earlier versions.
        ahead_s: seconds by which its clock is ahead of that of Redis; negative: behind.
    """

    name: str
    seen: datetime
    schedule: str
    timezone: str
    version: str = ""
    ahead_s: float = 0.0


_BEATS = Marks("pindna:beats", Beat)


def record_beat(settings: StorageSettings, beat: Beat) -> None:
    """Record that a beat is alive, and delete marks older than a week.

    Raises:
        ServiceDown, RedisFailed: Redis refuses the mark.
    """
    _BEATS.record(settings, beat)


def list_beats(settings: StorageSettings) -> list[Beat]:
    """Return the beats of the last week, the latest first.

    Raises:
        ServiceDown, RedisFailed: Redis does not answer.
    """
    return _BEATS.all(settings)
