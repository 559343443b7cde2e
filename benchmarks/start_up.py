"""How long `pindna --help` takes, beside a bare `import typer`: what a command costs before it does anything.

Processor time, not the clock's, and the two in turns, so that other work on the machine disturbs both alike.
"""

import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.report import Table

_PINDNA = str(Path(sys.executable).with_name("pindna"))
_PEER = "python -c 'import typer'"
_COMMANDS = {
    _PEER: (sys.executable, "-c", "import typer"),
    "pindna --help": (_PINDNA, "--help"),
    "pindna --version": (_PINDNA, "--version"),
    "pindna corpus --help": (_PINDNA, "corpus", "--help"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StartUp:
    """What starting a program costs.

    Attributes:
        command: as it is typed.
        cpu_ms: processor time, the median of the rounds.
        times: how many times that of ``import typer``.
    """

    command: str
    cpu_ms: float
    times: float


def measure(*, rounds: int) -> list[StartUp]:
    """Return the figures of help, of a command's help, and of the bare import.

    Args:
        rounds: of the interleaved timing; one more warms the file cache.
    """
    seconds: dict[str, list[float]] = {name: [] for name in _COMMANDS}
    for _ in range(rounds + 1):
        for name, command in _COMMANDS.items():
            seconds[name].append(_cpu_seconds(command))
    medians = {name: median(values[1:]) for name, values in seconds.items()}
    return [
        StartUp(command=name, cpu_ms=value * 1000, times=value / medians[_PEER])
        for name, value in medians.items()
    ]


def table(rows: Sequence[StartUp]) -> Table:
    """Return what starting costs."""
    cells = tuple((row.command, f"{row.cpu_ms:.0f}", f"{row.times:.1f}") for row in rows)
    return Table("Starting", ("command", "ms of processor", "× import typer"), cells)


def _cpu_seconds(command: Sequence[str]) -> float:
    """Return the processor time of a program of ours."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
