"""Rounds with faults: kill -9 processes at moments that a seed draws, and compare the end with a quiet run's.

A round has servers, a worker and whatever else it needs of its own; whatever ends is started again, as
``pindna up`` does. In the end the outcome must be that of a run without faults, without ids and times: an
interrupted run may use up some.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TypeVar

import psutil

from benchmarks.report import Table
from deploy.stack import EmbeddedStack
from system.errors import PindnaError

log = logging.getLogger(__name__)

PATIENCE_S = 180.0
_SHOWN = 5
_APPEARS_S = 20.0  # that a victim which does not run is waited for

Outcome = dict[str, object]
A = TypeVar("A")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """One kill.

    Attributes:
        during: the part of the round, such as ``load``.
        victim: ``worker``, ``redis``, ``mongo``, ``beat``, ``console``, each with what runs below it; or
            ``worker process``, ``crawl``: one of the worker's.
        after_s: seconds from the beginning of that part.
    """

    during: str
    victim: str
    after_s: float


@dataclass(frozen=True, slots=True)
class Strike:
    """A fault that hit its victim; ``at_work``: before that part of the round was done."""

    victim: str
    at_work: bool


@dataclass(frozen=True, slots=True)
class Round:
    """What one run came to.

    Attributes:
        outcome: what was there in the end; empty when it never ended.
        strikes: what was really killed.
    """

    outcome: Outcome
    strikes: tuple[Strike, ...] = ()

    @property
    def killed(self) -> tuple[str, ...]:
        """The victims, in turn."""
        return tuple(strike.victim for strike in self.strikes)


@dataclass(frozen=True, slots=True)
class Played:
    """One round with faults; ``parts``: those of the outcome that differ from a quiet run's."""

    faults: tuple[Fault, ...]
    strikes: tuple[Strike, ...]
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What some rounds came to."""

    seed: int
    rounds: tuple[Played, ...]
    seconds: float


def measure(
    run: Callable[[Sequence[Fault]], Round],
    drawn: Iterator[tuple[Fault, ...]],
    *,
    seed: int,
    rounds: int,
    at_once: int = 1,
) -> Faults:
    """Run rounds with faults, and a quiet one beside the first of them.

    Args:
        run: plays a round under some faults.
        drawn: the faults of each round.
        seed: that they were drawn by.
        rounds: how many.
        at_once: side by side.

    Raises:
        StackError: the servers cannot be started.
        TimeoutError: the quiet run never ended.
    """
    start = time.perf_counter()

    def play(faults: tuple[Fault, ...]) -> Played:
        try:
            ended = run(faults)
        except TimeoutError:
            ended = Round({})
        quiet = undisturbed.result().outcome
        played = Played(faults, ended.strikes, differing(ended.outcome, quiet))
        log.info("%s; different: %s", ended.killed, ", ".join(played.parts) or "nothing")
        for part in played.parts:
            log.info("%s", _difference(ended.outcome.get(part), quiet.get(part)))
        return played

    with ThreadPoolExecutor(at_once) as pool, ThreadPoolExecutor(1) as first:
        undisturbed = first.submit(run, ())
        played = tuple(pool.map(play, [next(drawn) for _ in range(rounds)]))
    return Faults(seed=seed, rounds=played, seconds=time.perf_counter() - start)


def differing(outcome: Outcome, quiet: Outcome) -> tuple[str, ...]:
    """Return the parts of an outcome that are not those of a quiet run."""
    if not outcome:
        return ("it never ended",)
    return tuple(part for part in quiet if outcome[part] != quiet[part])


def _difference(rows: object, expected: object) -> str:
    """Return some rows of a part that only one of two runs has."""
    if not isinstance(rows, list) or not isinstance(expected, list):
        return ""
    more, less = (
        [row for row in one if row not in other] for one, other in ((rows, expected), (expected, rows))
    )
    return f"+ {more[:_SHOWN]} - {less[:_SHOWN]}"


def in_own_process(play: Callable[[A], T], argument: A) -> T:
    """Play a round in a process of its own: Celery learns where its queue is once.

    Raises:
        TimeoutError: it never ended.
    """
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(play, (argument,))


def strikes_during(
    part: str, work: Callable[[], object], stack: EmbeddedStack, faults: Sequence[Fault]
) -> list[Strike]:
    """Do one part of a round under its faults; returns those that hit."""
    killers = [_Killer(stack, fault) for fault in faults if fault.during == part]
    work()
    done = time.monotonic()
    for killer in killers:
        killer.join()
    return [Strike(killer.victim, killer.struck < done) for killer in killers if killer.struck]


class _Killer(threading.Thread):
    """A thread that runs at once and kills the fault's victim when its time has come.

    Attributes:
        victim: the fault's.
        struck: when it was killed, of the monotonic clock; 0 if it did not run then, nor soon after.
    """

    def __init__(self, stack: EmbeddedStack, fault: Fault) -> None:
        super().__init__(daemon=True)
        self._stack, self._fault = stack, fault
        self.victim = fault.victim
        self.struck = 0.0
        self.start()

    def run(self) -> None:
        time.sleep(self._fault.after_s)
        until = time.monotonic() + _APPEARS_S
        while not self._strike() and time.monotonic() < until:
            time.sleep(0.1)

    def _strike(self) -> bool:
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            for victim in _processes_of(self._stack, self.victim):
                os.kill(victim.pid, signal.SIGKILL)
                self.struck = time.monotonic()
        return self.struck > 0


def _processes_of(stack: EmbeddedStack, victim: str) -> list[psutil.Process]:
    """Return the processes to be killed; none if the victim does not run."""
    name = "worker" if victim in {"worker process", "crawl"} else victim
    pid = next((service.pid for service in stack.status() if service.name == name), None)
    if pid is None:
        return []
    main = psutil.Process(pid)
    children = main.children(recursive=True)
    crawls = [child for child in children if _is_crawl(child)]
    if victim == "crawl":
        return crawls[:1]
    if victim == "worker process":
        return [child for child in main.children() if child not in crawls][:1]
    return [main, *children]


def _is_crawl(process: psutil.Process) -> bool:
    line = process.cmdline()
    return any(line[number : number + 2] == ["-m", "crawler"] for number in range(len(line)))


def patiently(action: Callable[[], T], *, patience_s: float = PATIENCE_S) -> T:
    """Repeat an action until it answers something, through services that are down.

    Raises:
        TimeoutError: it never did.
    """
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        try:
            if answer := action():
                return answer
        except PindnaError:
            pass  # a service is down; it is started again
        time.sleep(0.2)
    raise TimeoutError("a round with faults never came to its end")


def faults_table(title: str, faults: Faults) -> Table:
    """Return a row for each victim, and one for all."""
    victims = sorted({strike.victim for played in faults.rounds for strike in played.strikes})
    rows = [_row(victim, [victim], faults.rounds) for victim in victims]
    missed = [played for played in faults.rounds if not played.strikes]
    bad = sum(bool(played.parts) for played in missed)
    rest = f"{len(missed)} without a kill, of which {bad} ended differently"
    return Table(
        f"{title}: {len(faults.rounds)} rounds, {rest}; seed {faults.seed}, {faults.seconds:.0f} s",
        ("kill -9", "times", "of them at work", "rounds", "ended as the quiet run"),
        (*rows, _row("all", victims, faults.rounds)),
    )


def _row(name: str, victims: Sequence[str], rounds: Sequence[Played]) -> tuple[str, ...]:
    own = [played for played in rounds if any(strike.victim in victims for strike in played.strikes)]
    strikes = [strike for played in own for strike in played.strikes if strike.victim in victims]
    same = sum(not played.parts for played in own)
    return (
        name,
        str(len(strikes)),
        str(sum(strike.at_work for strike in strikes)),
        str(len(own)),
        str(same),
    )
