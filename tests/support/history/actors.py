"""The processes of a run, each with its own ways to the servers, started again when one ends."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from support.faults.ways import Way, way_to
from support.history.clocks import Clock
from support.history.earlier import environment_in
from support.history.recording import Recorder
from support.history.schedule import Server
from support.history.servers import Servers
from support.processes import environment_of

from storage.settings import Settings

_CELERY = (sys.executable, "-m", "celery", "-A", "tracker")
_WORKER = (*_CELERY, "worker", "-l", "info", "--without-gossip", "--without-mingle")
COMMANDS: Mapping[str, Sequence[str]] = {
    "crawl-1": (*_WORKER, "-c", "2", "-n", "crawl-1@test", "-Q", "crawl,scan"),
    "crawl-2": (*_WORKER, "-c", "2", "-n", "crawl-2@test", "-Q", "crawl,scan"),
    "compare-1": (*_WORKER, "-c", "1", "-n", "compare-1@test", "-Q", "compare,index,report,watch"),
    "compare-2": (*_WORKER, "-c", "1", "-n", "compare-2@test", "-Q", "compare,index,report,watch"),
    "beat": (*_CELERY, "beat", "-l", "info", "--pidfile="),
}
# One worker for all queues is enough where nothing fails: each process costs two seconds of a processor.
QUIET: Mapping[str, Sequence[str]] = {
    "worker": (*_WORKER, "-c", "3", "-n", "worker@test", "-Q", "crawl,scan,compare,index,report,watch")
}
_END_S = 20.0
_ANSWER_MS = 4_000  # that an answer may take; the default is five minutes


@dataclass(slots=True)
class Actor:
    """A process that runs all the time, or would like to.

    Attributes:
        name: in schedule and history.
        command: that starts it.
        environment: of the process.
        log: a file for what it prints.
        ways: to the servers.
        recorder: of what happens to it.
        repeats: it is started again when it ends with status 0.
        clock: that of its machine; None: everybody's.
        tree: of the version before; None: it is of this version.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    ways: Mapping[Server, Way]
    recorder: Recorder
    repeats: bool = True
    clock: Clock | None = None
    tree: Path | None = None
    process: subprocess.Popen | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Start the process, unless it runs."""
        with self._lock, self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                env={**self.environment, **(environment_in(self.tree) if self.tree else {})},
                cwd=self.log.parent,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.recorder.record(self.name, "started", version="before" if self.tree else "this")

    def start_in_this_version(self) -> None:
        """Start the process, whichever version it had."""
        self.tree = None
        self.start()

    def signal(self, number: int) -> None:
        """Send a signal to the process and its children."""
        process = self.process
        if process is not None and process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)

    def kill(self) -> None:
        """Kill -9 the process with its children; :meth:`start` starts it again."""
        with self._lock:
            process, self.process = self.process, None
            if process is not None:
                _kill_group(process)
        self.recorder.record(self.name, "killed")

    def end(self) -> None:
        """End the process as an operator does: it returns its work. :meth:`start` starts it again."""
        with self._lock:
            process, self.process = self.process, None
            if process is not None:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_END_S)
                _kill_group(process)
        self.recorder.record(self.name, "ended")

    def check(self) -> None:
        """Record an end that no fault brought about, and start the process again, as systemd does."""
        process = self.process
        if process is None or (status := process.poll()) is None:
            return
        if status == 0 and not self.repeats:
            return
        self.recorder.record(self.name, "ended by itself", status=status, log=_tail(self.log))
        self.start()

    def has_finished(self) -> bool:
        """Return whether the process ended with status 0."""
        return self.process is not None and self.process.poll() == 0

    def stop(self) -> None:
        """End the process."""
        process = self.process
        if process is None or process.poll() is not None:
            return
        self.signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.kill()


def _kill_group(process: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-2000:]


@dataclass(frozen=True, slots=True)
class Stage:
    """What the processes of a run share.

    Attributes:
        servers: that they work on.
        settings: of the run.
        variables: of their environment, in addition.
        folder: for their logs.
        recorder: of what happens to them.
        clocks: of machines, by the names of their processes.
        trees: of the version before, by the names of the processes that have it.
    """

    servers: Servers
    settings: Settings
    variables: Mapping[str, str]
    folder: Path
    recorder: Recorder
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    trees: Mapping[str, Path] = field(default_factory=dict)


@contextmanager
def running_actors(
    commands: Mapping[str, Sequence[str]], stage: Stage, *, repeat: bool = True
) -> Iterator[dict[str, Actor]]:
    """Start some processes, each with ways of its own; ends them in the end.

    Args:
        commands: name → command.
        stage: what they share.
        repeat: see :attr:`Actor.repeats`.
    """
    with ExitStack() as opened:
        actors = {
            name: opened.enter_context(_actor(name, command, stage, repeat=repeat))
            for name, command in commands.items()
        }
        for actor in actors.values():
            actor.start()
        yield actors
        stop_all(actors.values())


def stop_all(actors: Collection[Actor]) -> None:
    """End processes: signal all of them, then wait for each. A worker finishes its task."""
    for actor in actors:
        actor.signal(signal.SIGCONT)
        if actor.process is not None and actor.process.poll() is None:
            actor.process.terminate()
    for actor in actors:
        actor.stop()


@contextmanager
def _actor(name: str, command: Sequence[str], stage: Stage, *, repeat: bool) -> Iterator[Actor]:
    """Open a process's ways, and describe it; ends it in the end."""
    servers = stage.servers
    with way_to("127.0.0.1", servers.mongo.port) as mongo, way_to("127.0.0.1", servers.redis_port) as redis:
        log, clock = stage.folder / f"{name}.log", stage.clocks.get(name)
        environment = {
            **environment_of(stage.settings),
            **stage.variables,
            **(clock.environment if clock else {}),
            "PINDNA_STORAGE__MONGO_URL": f"{mongo_url(mongo.port)}&socketTimeoutMS={_ANSWER_MS}",
            "PINDNA_STORAGE__REDIS_URL": f"redis://127.0.0.1:{redis.port}/0",
        }
        ways: dict[Server, Way] = {"mongo": mongo, "redis": redis}
        actor = Actor(
            name,
            command,
            environment,
            log,
            ways,
            stage.recorder,
            repeats=repeat,
            clock=clock,
            tree=stage.trees.get(name),
        )
        try:
            yield actor
        finally:
            actor.stop()


def mongo_url(port: int) -> str:
    """Return the address of the document server, or of a way to it, for one that is asked directly."""
    return f"mongodb://127.0.0.1:{port}/?directConnection=true"
