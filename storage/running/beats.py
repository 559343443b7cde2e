"""The running Celery beats, as they report in Redis (:mod:`storage.running.marks`).

Beat does not answer pings, so it records a mark with the message that it sends every five seconds. Several
beats may run, because their work is done once. Each has its own mark.
"""

from dataclasses import dataclass
from datetime import datetime

from storage.running.marks import Marks
from storage.settings import StorageSettings


@dataclass(frozen=True, slots=True)
class Beat:
    """A beat process.

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
