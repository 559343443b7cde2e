"""Check that a command is the only user of the database."""

import time
from contextlib import closing
from datetime import datetime, timedelta

from analysis.words.i18n import gettext as _
from deploy.cli.console import busy
from deploy.cli.session import services_stay
from storage.records import utc_now
from storage.running.beats import list_beats
from storage.running.consoles import list_consoles
from storage.servers.redis_client import clock_ahead_s
from storage.settings import Settings, StorageSettings
from system.errors import PindnaError
from system.exit_status import ExitStatus
from tracker.queue import Queue

_ANSWER_S = 2.0
_SILENCE_S = 30.0  # beats renew their mark every five seconds, consoles every three
_LOOK_S = 1.0


class StillAtWork(PindnaError):
    """Other processes use a database that a command needs exclusively. Data: ``who``."""

    template = (
        "Other programs are using the database ({who}). Stop workers, beat and console, then "
        "run the command again."
    )
    exit_status = ExitStatus.DOWN


def refuse_other_users(settings: Settings, *, embedded: bool) -> None:
    """Check that no worker, beat, console or other command uses the database.

    Beats and consoles do not answer pings, but they renew marks; a renewed mark belongs to a running process.
    If the servers are configured (not started by pindna), other commands cannot be detected.

    Raises:
        StillAtWork: one is.
        ServiceDown, RedisFailed: Redis does not answer.
    """
    if embedded and services_stay():
        raise StillAtWork(who=_("another command uses the data folder"))
    with closing(Queue(settings.storage)) as queue:
        workers = queue.workers(timeout_s=_ANSWER_S)
    if workers:
        raise StillAtWork(who=", ".join(workers))
    if not embedded:
        _refuse_renewed(settings.storage)


def _refuse_renewed(settings: StorageSettings) -> None:
    """Wait at most half a minute until all marks are old, and raise if one is renewed: a process runs."""
    ends, first = time.monotonic() + _SILENCE_S, _marks(settings)
    with busy(_("Waiting until beat and console have stopped …")):
        while _are_fresh(_marks(settings), settings) and time.monotonic() < ends:
            time.sleep(_LOOK_S)
            renewed = [name for name, last_seen in _marks(settings).items() if last_seen != first.get(name)]
            if renewed:
                raise StillAtWork(who=", ".join(renewed))


def _marks(settings: StorageSettings) -> dict[str, datetime]:
    """Return the times of the marks of beats and consoles."""
    beats = {_("beat {name}").format(name=beat.name): beat.seen for beat in list_beats(settings)}
    consoles = list_consoles(settings)
    return beats | {_("console {name}").format(name=console.name): console.seen for console in consoles}


def _are_fresh(marks: dict[str, datetime], settings: StorageSettings) -> bool:
    """Return whether a mark is less than half a minute old, by the clock of Redis, which sets the marks."""
    now = utc_now() + timedelta(seconds=clock_ahead_s(settings))
    return any(now - last_seen < timedelta(seconds=_SILENCE_S) for last_seen in marks.values())
