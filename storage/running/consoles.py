"""Which consoles run, as they say themselves every few seconds by marks (:mod:`storage.running.marks`).

Whoever wants the database for himself sees them so.
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
        name: of its machine, with its process number.
        seen: when it last noted itself, by the clock of Redis.
    """

    name: str
    seen: datetime


_CONSOLES = Marks("pindna:console-marks", Console)


def this_console(settings: StorageSettings) -> Console:
    """Return what this process says of itself as a console.

    Raises:
        ServiceDown, RedisFailed: Redis does not tell the time.
    """
    return Console(process_name(), utc_now() + timedelta(seconds=clock_ahead_s(settings)))


def record_console(settings: StorageSettings, console: Console) -> None:
    """Note that a console is alive, and forget those that were not seen for a week.

    Raises:
        ServiceDown, RedisFailed: Redis does not take it.
    """
    _CONSOLES.record(settings, console)


def list_consoles(settings: StorageSettings) -> list[Console]:
    """Return the consoles of the last week, the one seen last first.

    Raises:
        ServiceDown, RedisFailed: Redis does not answer.
    """
    return _CONSOLES.all(settings)
