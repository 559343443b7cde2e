"""Keeps services running: a dead service is restarted after increasing delays, up to a limit.

Theory of operation. Services are checked in the order of their dependencies. A service that ends or does not
answer during its start counts as dead again, and is retried later. A service whose server ended during the
start is stopped; this death is not counted, so that the server is restarted first. A service that runs but
has failed permanently is ended and started again (WiredTiger cannot reopen its files after the disk was
full). While the disk is full, this is reported, the document server is stopped, and nothing is started. The
reason is that later writes could follow a gap in the journal and be lost at the next start. The supervisor
gives up only if a service died too often, or if waiting cannot help.
"""

import logging
import shutil
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from analysis.words.i18n import gettext as _
from deploy.stack.errors import DiskFull, ServiceExited, ServiceForsaken, ServiceKeepsDying, ServiceSilent
from deploy.stack.folder import starting
from deploy.stack.launcher import Launcher
from deploy.stack.service import last_line

logger = logging.getLogger(__name__)

POLL_S = 0.5
LIMIT = 5
WINDOW_S = 300.0
_FIRST_DELAY_S = 0.5
_DISK_S = 30.0  # time between two lines about a full disk
_MIN_FREE_BYTES = 16 << 20  # with less free space the servers may stop at any write


@dataclass(slots=True)
class _Deaths:
    """The times of a service's recent deaths, in seconds of the monotonic clock."""

    times: deque[float] = field(default_factory=deque)

    def add(self, now: float) -> int:
        """Record a death; returns the number of deaths within the window."""
        self.times.append(now)
        while now - self.times[0] > WINDOW_S:
            self.times.popleft()
        return len(self.times)

    def take_back(self) -> None:
        """Remove the last death, because another service caused it."""
        self.times.pop()


def watch(launcher: Launcher, names: Sequence[str], stop: threading.Event) -> None:
    """Start dead services again until ``stop`` is set.

    The first restart waits half a second; each further restart waits twice as long as the restart before.

    Args:
        launcher: starts them.
        names: the services to look after, in the order in which they depend on each other.
        stop: ends the watch.

    Raises:
        ServiceKeepsDying: one died ``LIMIT`` times within ``WINDOW_S`` seconds.
        StackError: one cannot be started again.
    """
    deaths = {name: _Deaths() for name in names}
    room = _Room(launcher.folder.path)
    while not stop.wait(POLL_S):
        if room.is_full():
            for name in names:
                launcher.end_for_room(name)
            continue
        for name in names:
            is_over = launcher.running(name) is None or launcher.end_panicked(name)
            if is_over and not stop.is_set():
                _restart(launcher, name, deaths[name], stop)


@dataclass(slots=True)
class _Room:
    """The free space of the disk, reported when it is nearly full."""

    path: Path
    line_due: float = 0.0

    def is_full(self) -> bool:
        """Return whether the disk is full; if it is, report it repeatedly."""
        free, now = shutil.disk_usage(self.path).free, time.monotonic()
        if free >= _MIN_FREE_BYTES:
            return False
        if now >= self.line_due:
            self.line_due = now + _DISK_S
            logger.warning("%s", DiskFull(path=self.path, problem=f"{free >> 20} MiB free"))
        return True


def _restart_line(launcher: Launcher, name: str, count: int, delay_s: float) -> str:
    """Return the line about a service that ended."""
    line = _("{service} ended unexpectedly ({count} of {limit}); it is started again in {delay_s:.1f} s.")
    title = _(launcher.describe(name).title)
    return line.format(service=title, count=count, limit=LIMIT, delay_s=delay_s)


def _restart(launcher: Launcher, name: str, deaths: _Deaths, stop: threading.Event) -> None:
    """Restart a service after its delay; a service that does not start counts as dead again."""
    log = launcher.folder.log(name)
    count = deaths.add(time.monotonic())
    if count >= LIMIT:
        title = launcher.describe(name).title
        raise ServiceKeepsDying(
            service=title, count=count, window_s=WINDOW_S, last_line=last_line(log), log=log
        )
    delay_s = _FIRST_DELAY_S * 2 ** (count - 1)
    logger.warning("%s", _restart_line(launcher, name, count, delay_s))
    if stop.wait(delay_s):
        return
    with starting(launcher.folder):
        try:
            launcher.ensure(name, fixed_port=True)
        except (ServiceExited, ServiceSilent) as error:
            logger.warning("%s could not be started again: %s", name, error)
        except DiskFull as error:
            deaths.take_back()
            logger.warning("%s has to wait: %s", name, error)
            stop.wait(_DISK_S)
        except ServiceForsaken as error:
            deaths.take_back()
            logger.warning("%s has to wait: %s", name, error)
