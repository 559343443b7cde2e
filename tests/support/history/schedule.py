"""What goes wrong in a run, and when: drawn by its seed."""

from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

FaultKind = Literal[
    "kill",  # -9, the process with its children
    "pause",  # SIGSTOP, and SIGCONT later
    "cut",  # connections end, new ones are refused
    "stall",  # what is sent does not arrive, without an error
    "slow",  # each answer is late
    "full-disk",  # Redis cannot write
    "replica",  # Redis is a replica and takes no writes
    "not-primary",  # the document server takes no writes, as after an election
    "election",  # a write in the middle of a bulk fails, as during an election
    "withheld",  # the document server does its work, and its answer is lost
    "clock",  # the clock of a process's machine is set ahead or back, and set right later
    "update",  # the process is ended as an operator ends it, and started again in this version
]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

Phase = Literal["day 1", "day 2", "notices"]
Server = Literal["mongo", "redis"]
SERVERS: tuple[Server, ...] = get_args(Server)
WORKERS = ("crawl-1", "crawl-2", "compare-1", "compare-2")
ACTORS = (*WORKERS, "beat")
SENDERS = ("sender-1", "sender-2")

# Seconds from the beginning of a phase in which faults begin, and how many there are.
_SPREAD_S: dict[Phase, float] = {"day 1": 12.0, "day 2": 12.0, "notices": 3.0}
_COUNTS: dict[Phase, int] = {"day 1": 5, "day 2": 5, "notices": 2}
_LASTS_S: dict[FaultKind, tuple[float, float]] = {
    "kill": (0.2, 1.5),  # until it is started again
    "pause": (1.0, 7.0),  # leases last three seconds
    "cut": (0.5, 4.0),
    "stall": (1.0, 7.0),  # requests are given up after three seconds
    "slow": (2.0, 6.0),
    "full-disk": (2.0, 5.0),
    "replica": (1.0, 4.0),
    "not-primary": (0.5, 3.0),
    "election": (0.5, 3.0),
    "withheld": (0.5, 2.0),
    "clock": (2.0, 9.0),  # the document server reports its time every ten seconds
    "update": (0.0, 0.5),
}
# How often each kind is drawn; those of disks and Redis change nothing for who sends notices.
_WEIGHTS: dict[FaultKind, int] = {
    "kill": 4,
    "pause": 2,
    "cut": 2,
    "stall": 2,
    "slow": 1,
    "full-disk": 1,
    "replica": 1,
    "not-primary": 1,
    "election": 1,
    "withheld": 2,
    "clock": 3,
    "update": 2,
}
_OF_REDIS: frozenset[FaultKind] = frozenset({"full-disk", "replica"})
_NEED_PROCESS: frozenset[FaultKind] = frozenset({"kill", "pause", "clock", "update"})
_NEED_WAY: frozenset[FaultKind] = frozenset({"cut", "stall", "slow"})
_JUMPS_S = (40, 900, 3_600, 86_400)  # a lease, a watch that drifted, a wrong zone, a wrong day


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        phase: of the run.
        kind: what goes wrong.
        after_s: when, in seconds from the beginning of the phase.
        lasts_s: for how many seconds.
        actor: the process that it happens to; ``all`` of them; empty: it happens to a server.
        server: to which the way is disturbed; empty: the fault disturbs no way.
        ahead_s: what a clock is set ahead by; negative: back.
    """

    phase: Phase
    kind: FaultKind
    after_s: float
    lasts_s: float
    actor: str = ""
    server: Server | Literal[""] = ""
    ahead_s: int = 0


def draw_faults(seed: int) -> tuple[Fault, ...]:
    """Return the faults of a run, in the order in which they begin; the same at every call and everywhere."""
    random = Random(f"faults {seed}")
    earlier = draw_earlier(seed)
    faults = [_fault(random, phase, earlier) for phase, count in _COUNTS.items() for _ in range(count)]
    phases = list(_COUNTS)
    return tuple(sorted(faults, key=lambda fault: (phases.index(fault.phase), fault.after_s)))


def draw_earlier(seed: int) -> frozenset[str]:
    """Return the workers of a run that are of the version before: one that crawls and one that compares."""
    random = Random(f"versions {seed}")
    return frozenset({random.choice(WORKERS[:2]), random.choice(WORKERS[2:])})


def _fault(random: Random, phase: Phase, earlier: Collection[str]) -> Fault:
    kinds = [kind for kind in FAULT_KINDS if phase != "notices" or kind not in _OF_REDIS]
    (kind,) = random.choices(kinds, [_WEIGHTS[kind] for kind in kinds])
    after_s, lasts_s = (
        round(random.uniform(0, _SPREAD_S[phase]), 1),
        round(random.uniform(*_LASTS_S[kind]), 1),
    )
    actors = SENDERS if phase == "notices" else ACTORS
    actor, server = random.choice(actors), "mongo" if phase == "notices" else random.choice(SERVERS)
    if kind in _NEED_WAY:
        return Fault(phase, kind, after_s, lasts_s, random.choice([actor, "all"]), server)
    if kind == "clock":  # the version before kept records for as long as its clock was set ahead
        actor = random.choice([name for name in actors if name not in earlier])
        ahead_s = random.choice(_JUMPS_S) * random.choice((1, -1))
        return Fault(phase, kind, after_s, lasts_s, actor, ahead_s=ahead_s)
    return Fault(phase, kind, after_s, lasts_s, actor if kind in _NEED_PROCESS else "")
