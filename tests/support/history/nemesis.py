"""What brings the faults of a schedule about, each in a thread, and takes them back."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, field

import redis
from support.faults.ways import Way
from support.history.actors import Actor
from support.history.recording import Recorder
from support.history.schedule import Fault, FaultKind, Phase
from support.history.servers import Servers
from support.strict_mongo import Fault as Failure

_WRITES = frozenset({"insert", "update", "delete", "findAndModify"})
_ANY = frozenset({*_WRITES, "find", "aggregate", "getMore"})
_NOT_PRIMARY, _STEPPED_DOWN = 10107, 189
_LATE_S = (0.05, 0.5)
_FOR_EVER = 1_000_000


@dataclass(slots=True)
class Nemesis:
    """Brings faults about.

    Attributes:
        servers: of the run.
        actors: of the run, by name.
        recorder: of what it does.
    """

    servers: Servers
    actors: dict[str, Actor]
    recorder: Recorder
    _busy: set[str] = field(default_factory=set)
    _threads: list[threading.Thread] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def during(self, phase: Phase, faults: Sequence[Fault]) -> Iterator[None]:
        """Let the faults of a phase happen while the block runs; what has not begun by its end never does."""
        over = threading.Event()
        self._threads = [
            threading.Thread(target=self._bring, args=(fault, over), daemon=True)
            for fault in faults
            if fault.phase == phase
        ]
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            over.set()
            for thread in self._threads:
                thread.join()

    def is_busy(self) -> bool:
        """Return whether a fault of this phase is still to come, or goes on."""
        return any(thread.is_alive() for thread in self._threads)

    def _bring(self, fault: Fault, over: threading.Event) -> None:
        if over.wait(fault.after_s) or not self._claim(fault):
            return
        self.recorder.record("nemesis", "fault begins", fault=asdict(fault))
        try:
            with BRING[fault.kind](self, fault):
                time.sleep(fault.lasts_s)
        except Exception as error:  # noqa: BLE001 - a thread's; the checker reports it
            self.recorder.record("nemesis", "fault failed", fault=asdict(fault), error=repr(error))
        finally:
            self._release(fault)
            self.recorder.record("nemesis", "fault ends", fault=asdict(fault))

    def _claim(self, fault: Fault) -> bool:
        """Keep two faults from the same victim; returns whether this one may begin."""
        with self._lock:
            if _victim(fault) in self._busy:
                return False
            self._busy.add(_victim(fault))
            return True

    def _release(self, fault: Fault) -> None:
        with self._lock:
            self._busy.remove(_victim(fault))

    def _ways(self, fault: Fault) -> list[Way]:
        actors = self.actors.values() if fault.actor == "all" else [self.actors[fault.actor]]
        return [actor.ways[fault.server] for actor in actors if fault.server]

    @contextmanager
    def _kill(self, fault: Fault) -> Iterator[None]:
        actor = self.actors[fault.actor]
        actor.kill()
        yield
        actor.start()

    @contextmanager
    def _pause(self, fault: Fault) -> Iterator[None]:
        actor = self.actors[fault.actor]
        actor.signal(signal.SIGSTOP)
        yield
        actor.signal(signal.SIGCONT)

    @contextmanager
    def _clock(self, fault: Fault) -> Iterator[None]:
        clock = self.actors[fault.actor].clock
        if clock is None:
            raise RuntimeError(f"{fault.actor} has no separate clock")
        clock.set(fault.ahead_s)
        yield
        clock.set(0)

    @contextmanager
    def _update(self, fault: Fault) -> Iterator[None]:
        actor = self.actors[fault.actor]
        actor.end()
        yield
        actor.start_in_this_version()

    @contextmanager
    def _cut(self, fault: Fault) -> Iterator[None]:
        for way in self._ways(fault):
            way.cut()
        yield
        for way in self._ways(fault):
            way.join()

    @contextmanager
    def _stall(self, fault: Fault) -> Iterator[None]:
        for way in self._ways(fault):
            way.stall()
        yield
        for way in self._ways(fault):
            way.join()

    @contextmanager
    def _slow(self, fault: Fault) -> Iterator[None]:
        for way in self._ways(fault):
            way.delay_s = _LATE_S
        yield
        for way in self._ways(fault):
            way.delay_s = (0.0, 0.0)

    @contextmanager
    def _full_disk(self, _fault: Fault) -> Iterator[None]:
        disk = self.servers.disk
        if disk is None:
            raise RuntimeError("Redis has no disk of its own")
        disk.fill()
        yield
        disk.make_room()

    @contextmanager
    def _replica(self, _fault: Fault) -> Iterator[None]:
        """Redis follows a primary that does not exist; it keeps its data, and takes no writes."""
        self.servers.redis.replicaof("127.0.0.1", "1")
        yield
        with suppress(redis.ResponseError):
            self.servers.redis.replicaof("NO", "ONE")

    @contextmanager
    def _failing(self, *failures: Failure) -> Iterator[None]:
        proxy = self.servers.mongo
        proxy.faults[:] = [*proxy.faults, *failures]
        yield
        proxy.faults[:] = [failure for failure in proxy.faults if failure not in failures]

    def _not_primary(self, _fault: Fault) -> AbstractContextManager[None]:
        return self._failing(Failure(_ANY, code=_NOT_PRIMARY, times=_FOR_EVER, message="not primary"))

    def _election(self, _fault: Fault) -> AbstractContextManager[None]:
        failure = Failure(
            _WRITES, code=_STEPPED_DOWN, form="write", at=1, times=_FOR_EVER, message="stepped down"
        )
        return self._failing(failure)

    def _withheld(self, _fault: Fault) -> AbstractContextManager[None]:
        return self._failing(Failure(_WRITES, form="silence", times=_FOR_EVER))


def _victim(fault: Fault) -> str:
    """Return what a fault happens to: a process, its way, its clock, or a server."""
    if fault.server:
        return f"way to {fault.server}"
    if fault.actor:
        return f"clock of {fault.actor}" if fault.kind == "clock" else fault.actor
    return "redis" if fault.kind in {"full-disk", "replica"} else "mongo"


BRING: Mapping[FaultKind, Callable[[Nemesis, Fault], AbstractContextManager[None]]] = {
    "kill": Nemesis._kill,
    "pause": Nemesis._pause,
    "cut": Nemesis._cut,
    "stall": Nemesis._stall,
    "slow": Nemesis._slow,
    "full-disk": Nemesis._full_disk,
    "replica": Nemesis._replica,
    "not-primary": Nemesis._not_primary,
    "election": Nemesis._election,
    "withheld": Nemesis._withheld,
    "clock": Nemesis._clock,
    "update": Nemesis._update,
}
