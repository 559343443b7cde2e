"""The running consoles, which report themselves in Redis every few seconds (:mod:`storage.running.marks`).

A command that must be the only user of the database reads these marks to find consoles.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from storage.records import utc_now
from storage.running.marks import Marks, process_name
from storage.servers.redis_client import clock_ahead_s
from storage.settings import StorageSettings


@dataclass(frozen=True, slots=True)
class Console:
    """A process that serves the console.

    Attributes:
        name: name of the machine and process number.
        seen: time of the last mark, by the clock of Redis.
    """

    name: str
    seen: datetime


_CONSOLES = Marks("pindna:console-marks", Console)


def this_console(settings: StorageSettings) -> Console:
    """Return the mark of this process as a console.

    Raises:
        ServiceDown, RedisFailed: Redis does not return the time.
    """
    return Console(process_name(), utc_now() + timedelta(seconds=clock_ahead_s(settings)))


def record_console(settings: StorageSettings, console: Console) -> None:
    """Record that a console is alive, and delete marks older than a week.

    Raises:
        ServiceDown, RedisFailed: Redis refuses the mark.
    """
    _CONSOLES.record(settings, console)


def list_consoles(settings: StorageSettings) -> list[Console]:
    """Return the consoles of the last week, the latest first.

    Raises:
        ServiceDown, RedisFailed: Redis does not answer.
    """
    return _CONSOLES.all(settings)
