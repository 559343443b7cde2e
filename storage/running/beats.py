"""Which Celery beats run, as they say themselves by marks (:mod:`storage.running.marks`).

Beat answers no ping, so it notes itself each time it sends the message that it sends every five seconds.
Several may run, for what they send for is done once; each has a field of its own, so that all are seen.
"""

from dataclasses import dataclass
from datetime import datetime

from storage.running.marks import Marks
from storage.settings import StorageSettings


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


_BEATS = Marks("pindna:beats", Beat)


def record_beat(settings: StorageSettings, beat: Beat) -> None:
    """Note that a beat is alive, and forget those that were not seen for a week.

    Raises:
        ServiceDown, RedisFailed: Redis does not take it.
    """
    _BEATS.record(settings, beat)


def list_beats(settings: StorageSettings) -> list[Beat]:
    """Return the beats of the last week, the one seen last first.

    Raises:
        ServiceDown, RedisFailed: Redis does not answer.
    """
    return _BEATS.all(settings)
