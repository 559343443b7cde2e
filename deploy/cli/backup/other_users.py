"""Whether a command has the database for itself."""

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
_SILENCE_S = 30.0  # of beats, which note themselves every five seconds, and consoles, every three
_LOOK_S = 1.0


class StillAtWork(PindnaError):
    """Others use a database that a command needs for itself. Data: ``who``."""

    template = (
        "Other programs are using the database ({who}). Stop workers, beat and console, then "
        "run the command again."
    )
    exit_status = ExitStatus.DOWN


def refuse_other_users(settings: Settings, *, embedded: bool) -> None:
    """See that no worker, beat, console or other user of the data folder is at work.

    Beats and consoles answer no question, but leave marks: one that is renewed is of a process that runs.
    With configured servers other commands are not seen.

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
    """Wait while marks are fresh, half a minute at most: those of processes that stopped grow old."""
    ends, first = time.monotonic() + _SILENCE_S, _marks(settings)
    with busy(_("Waiting until beat and console have stopped …")):
        while _are_fresh(_marks(settings), settings) and time.monotonic() < ends:
            time.sleep(_LOOK_S)
            renewed = [name for name, last_seen in _marks(settings).items() if last_seen != first.get(name)]
            if renewed:
                raise StillAtWork(who=", ".join(renewed))


def _marks(settings: StorageSettings) -> dict[str, datetime]:
    """Return when beats and consoles were seen last."""
    beats = {_("beat {name}").format(name=beat.name): beat.seen for beat in list_beats(settings)}
    consoles = list_consoles(settings)
    return beats | {_("console {name}").format(name=console.name): console.seen for console in consoles}


def _are_fresh(marks: dict[str, datetime], settings: StorageSettings) -> bool:
    """Return whether one is of less than half a minute ago, by the clock of Redis, which they go by."""
    now = utc_now() + timedelta(seconds=clock_ahead_s(settings))
    return any(now - last_seen < timedelta(seconds=_SILENCE_S) for last_seen in marks.values())
