"""Waiting for other processes: a progress bar, and after ten seconds a line that says what is awaited.

If the output goes to a file, the line is repeated every minute; on a terminal it appears when there is no
progress. Only then are workers queried. A server that does not answer is reported in one line and queried
again, because the work continues without the command.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from analysis.words.i18n import gettext as _
from analysis.words.i18n import translator
from deploy.cli.console import has_bar, print_progress, progress
from deploy.cli.session import services_stay
from system.errors import PindnaError, ServiceDown
from system.exit_status import ExitStatus
from tracker.queue import Queue

_POLL_S = 0.5
_RESTS = 4.0  # the pause is this many times as long as a query, to leave the services to the workers
_FIRST_LINE_S = 10.0
_LINES_S = 60.0
_SILENCE_S = 30.0  # after this time without progress or answer there is no worker
_PING_S = 2.0
_LAST_PING_S = 10.0  # timeout of the last ping, because a busy machine answers late
_OUTAGE_S = 600.0  # how long a command waits for a server if it would not wait for a worker

T = TypeVar("T")


class NoWorker(PindnaError):
    """Work waits and no Celery worker answers."""

    template = "No worker answers. Start one with `celery -A tracker worker`; the work waits in the database."
    exit_status = ExitStatus.DOWN


@dataclass(frozen=True, slots=True)
class WaitProgress:
    """The progress of work that a command waits for.

    Attributes:
        completed: items that the bar counts.
        total: all items, as far as they are known.
        waits_for: the remaining work, in words.
        is_over: whether nothing remains.
        trace: anything else that changes while work moves.
    """

    completed: int
    total: int
    waits_for: str
    is_over: bool
    trace: object = None


def wait(
    title: str,
    look: Callable[[], WaitProgress],
    keep_going: Callable[[], object],
    queue: Queue,
    *,
    give_up: bool,
) -> None:
    """Call ``keep_going`` until the awaited work is over.

    Args:
        title: what the bar counts.
        look: how far it is.
        keep_going: sends on what waits.
        queue: where workers are asked for.
        give_up: whether to end when there is no worker, or to go on waiting for one.

    Raises:
        NoWorker: nothing moves and no worker answers.
        ServiceDown: a service did not answer at first, or is away for ten minutes and ``give_up`` is set.
    """
    situation, reporter = look(), _WaitReporter(queue, give_up=give_up)
    with progress() as bar:
        task = bar.add_task(title, total=situation.total or None)
        took_s = 0.0
        while not situation.is_over:
            reporter.attempt(keep_going)
            time.sleep(max(_POLL_S, _RESTS * took_s))
            began = time.monotonic()
            before, situation = situation, reporter.attempt(look) or situation
            took_s = time.monotonic() - began
            bar.update(task, total=situation.total or None, completed=situation.completed)
            reporter.report_recoveries()
            reporter.watch(situation, moved=situation != before)


@dataclass(slots=True)
class _Outage:
    """An outage of a server: its beginning, and when the next line about it is due."""

    error: ServiceDown
    since: float
    line_due: float


@dataclass(slots=True)
class _WaitReporter:
    """Decides when to print the awaited work and to query workers, and records which servers are down."""

    queue: Queue
    give_up: bool
    moved_at: float = field(default_factory=lambda: time.monotonic())  # noqa: PLW0108 - tests have a clock
    line_due: float = 0.0
    away: dict[str, _Outage] = field(default_factory=dict)
    missed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.line_due = self.moved_at + _FIRST_LINE_S

    def attempt(self, act: Callable[[], T]) -> T | None:
        """Call a function that needs the services; returns None, and reports it, if a service is down.

        Raises:
            ServiceDown: it is away for too long for this command.
        """
        try:
            return act()
        except ServiceDown as error:
            self._note(error)
            return None

    def _note(self, error: ServiceDown) -> None:
        """Print that a service is down: at the first failure, and then every minute."""
        now, service = time.monotonic(), str(error.data.get("service", ""))
        self.missed.add(service)
        outage = self.away.setdefault(service, _Outage(error, now, now))
        if self.give_up and now - outage.since >= _OUTAGE_S:
            raise error
        if now >= outage.line_due:
            outage.line_due = now + _LINES_S
            is_in_progress = (
                _(
                    "{problem} The running work continues without this command, which waits until the "
                    "service is back."
                )
                if services_stay()
                else _("{problem} This command waits until the service is back.")
            )
            print_progress(is_in_progress.format(problem=translator().error(error)))

    def report_recoveries(self) -> None:
        """Report the recovery of every server that no call has found down since the last report."""
        now = time.monotonic()
        for service in [service for service in self.away if service not in self.missed]:
            seconds = now - self.away.pop(service).since
            line = _("{service} was down for {seconds:.0f} s and is back.")
            print_progress(line.format(service=service, seconds=seconds))
            self.moved_at, self.line_due = now, now + _FIRST_LINE_S  # workers need time to reconnect
        self.missed.clear()

    def watch(self, situation: WaitProgress, *, moved: bool) -> None:
        """Print a line if one is due.

        Raises:
            NoWorker: see :func:`wait`.
        """
        now = time.monotonic()
        if moved:
            self.moved_at = now
        quiet_s = now - self.moved_at
        if now < self.line_due or situation.is_over:
            return
        if has_bar() and quiet_s < _FIRST_LINE_S:  # the bar shows progress
            self.line_due = self.moved_at + _FIRST_LINE_S
            return
        line = self.attempt(lambda: self._line(situation, quiet_s))
        if line is not None:
            print_progress(line)
        self.line_due = now + (_FIRST_LINE_S if self.give_up and quiet_s < _SILENCE_S else _LINES_S)

    def _line(self, situation: WaitProgress, quiet_s: float) -> str:
        """Return the line to print: the awaited work, or that no worker answers."""
        is_last = quiet_s >= _SILENCE_S
        if quiet_s < _FIRST_LINE_S or self.queue.workers(timeout_s=_LAST_PING_S if is_last else _PING_S):
            return _("Waiting: {what}").format(what=situation.waits_for)
        if self.give_up and is_last:
            raise NoWorker
        line = _("No worker has answered for {seconds:.0f} s; start one: celery -A tracker worker")
        return line.format(seconds=quiet_s + _PING_S)
