"""Waiting for what others do: a bar that counts one thing, and, after ten seconds, a line that says for what.

Where nobody sees a bar, because the output goes to a file, the line comes again every minute. Where there is
one, it comes when nothing moves. A worker is asked for only when nothing moves.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from analysis.i18n import gettext as _
from deploy.cli.console import has_bar, print_progress, progress
from storage.errors import PindnaError
from storage.exit_status import ExitStatus
from tracker.queue import Queue

_POLL_S = 0.5
_RESTS = 4.0  # times as long as it takes to look, so that looking leaves the services to the workers
_FIRST_LINE_S = 10.0
_LINES_S = 60.0
_SILENCE_S = 30.0  # without any progress and without an answer: there is no worker
_PING_S = 2.0
_LAST_PING_S = 10.0  # a busy machine answers late


class NoWorker(PindnaError):
    """Work waits and no Celery worker answers."""

    template = "No worker answers. Start one with `celery -A tracker worker`; the work waits in the database."
    exit_status = ExitStatus.DOWN


@dataclass(frozen=True, slots=True)
class Situation:
    """How far something is that a command waits for.

    Attributes:
        done: of what the bar counts.
        total: of the same, as far as it is known.
        waits_for: what is still to be done, in words.
        is_over: nothing is.
        trace: what else changes while it moves.
    """

    done: int
    total: int
    waits_for: str
    is_over: bool
    trace: object = None


def wait(
    title: str,
    look: Callable[[], Situation],
    keep_going: Callable[[], object],
    queue: Queue,
    *,
    give_up: bool,
) -> None:
    """Call ``keep_going`` until what is waited for is over.

    Args:
        title: what the bar counts.
        look: how far it is.
        keep_going: sends on what waits.
        queue: where workers are asked for.
        give_up: whether to end when there is no worker, or to go on waiting for one.

    Raises:
        NoWorker: nothing moves and no worker answers.
        ServiceDown: a service does not answer.
    """
    situation, patience = look(), _Patience(queue, give_up=give_up)
    with progress() as bar:
        task = bar.add_task(title, total=situation.total or None)
        took_s = 0.0
        while not situation.is_over:
            keep_going()
            time.sleep(max(_POLL_S, _RESTS * took_s))
            began = time.monotonic()
            before, situation = situation, look()
            took_s = time.monotonic() - began
            bar.update(task, total=situation.total or None, completed=situation.done)
            patience.watch(situation, moved=situation != before)


@dataclass(slots=True)
class _Patience:
    """When to say what is waited for, and when to ask for a worker."""

    queue: Queue
    give_up: bool
    moved_at: float = field(default_factory=lambda: time.monotonic())  # noqa: PLW0108 - tests have a clock
    line_due: float = 0.0

    def __post_init__(self) -> None:
        self.line_due = self.moved_at + _FIRST_LINE_S

    def watch(self, situation: Situation, *, moved: bool) -> None:
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
        if has_bar() and quiet_s < _FIRST_LINE_S:  # the bar moves
            self.line_due = self.moved_at + _FIRST_LINE_S
            return
        print_progress(self._line(situation, quiet_s))
        self.line_due = now + (_FIRST_LINE_S if self.give_up and quiet_s < _SILENCE_S else _LINES_S)

    def _line(self, situation: Situation, quiet_s: float) -> str:
        """Return what is waited for: a worker, if nothing moves and none answers.

        Raises:
            NoWorker: see :func:`wait`.
        """
        is_last = quiet_s >= _SILENCE_S
        if quiet_s < _FIRST_LINE_S or self.queue.workers(timeout_s=_LAST_PING_S if is_last else _PING_S):
            return _("Waiting: {what}").format(what=situation.waits_for)
        if self.give_up and is_last:
            raise NoWorker
        line = _("No worker has answered for {seconds:.0f} s; start one: celery -A tracker worker")
        return line.format(seconds=quiet_s + _PING_S)
