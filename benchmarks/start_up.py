"""Processor time of commands, compared with a Python process that only imports the libraries.

Processor time is measured instead of clock time, and the commands take turns, so other load on the machine
affects all of them equally. Commands that read the database use running servers with the results of the demo.
"""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.report import Table
from deploy.stack import embedded_stack
from storage.settings import Settings

_PINDNA = str(Path(sys.executable).with_name("pindna"))
_TYPER = "python -c 'import typer'"
_DRIVERS = "python -c 'import pymongo, redis, typer'"
_HELP = {
    _TYPER: (sys.executable, "-c", "import typer"),
    "pindna --help": (_PINDNA, "--help"),
    "pindna --version": (_PINDNA, "--version"),
    "pindna corpus --help": (_PINDNA, "corpus", "--help"),
}
_READING = {
    _DRIVERS: (sys.executable, "-c", "import pymongo, redis, typer"),
    "pindna source list": (_PINDNA, "source", "list"),
    "pindna corpus list": (_PINDNA, "corpus", "list"),
    "pindna case list": (_PINDNA, "case", "list"),
    "pindna review list": (_PINDNA, "review", "list"),
    "pindna doctor": (_PINDNA, "doctor"),
    "pindna report": (_PINDNA, "report", "--output", "report.html"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StartUp:
    """Cost of a command.

    Attributes:
        command: the command as it is typed.
        cpu_ms: median processor time of the rounds.
        times: processor time divided by the peer's processor time.
    """

    command: str
    cpu_ms: float
    times: float


def measure(*, rounds: int) -> list[StartUp]:
    """Return the costs of help, version, a command's help, and ``import typer``.

    Args:
        rounds: number of rounds; an additional first round warms the file cache.
    """
    return _measure_commands(_HELP, rounds=rounds)


def measure_reading(*, rounds: int) -> list[StartUp]:
    """Return the costs of commands that read the results of the demo, and of importing the drivers.

    Args:
        rounds: number of rounds; an additional first round warms the file cache, and `doctor` tries the
            browser in it.
    """
    with _demo_results() as (folder, environment):
        return _measure_commands(_READING, rounds=rounds, folder=folder, environment=environment)


@contextmanager
def _demo_results() -> Iterator[tuple[Path, dict[str, str]]]:
    """Run the demo, start its servers again, and yield an output folder and the variables for commands."""
    with TemporaryDirectory() as name:
        data = Path(name) / "data"
        demo = (_PINDNA, "demo", "--data-dir", str(data))
        subprocess.run(demo, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # noqa: S603
        with embedded_stack(data, settings=Settings()) as stack:
            yield (
                Path(name),
                {
                    "PINDNA_STORAGE__MONGO_URL": stack.mongo_url,
                    "PINDNA_STORAGE__REDIS_URL": stack.redis_url,
                    "PINDNA_STORAGE__DATA_DIR": str(data),
                },
            )


def _measure_commands(
    commands: Mapping[str, Sequence[str]],
    *,
    rounds: int,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> list[StartUp]:
    """Return the costs of commands. The first command is the peer."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            seconds[name].append(_cpu_seconds(command, folder, {**os.environ, **(environment or {})}))
    medians = {name: median(values[1:]) for name, values in seconds.items()}
    peer = medians[next(iter(commands))]
    return [StartUp(command=name, cpu_ms=cpu * 1000, times=cpu / peer) for name, cpu in medians.items()]


def table(rows: Sequence[StartUp], title: str) -> Table:
    """Return a table of the costs of commands. The first row is the peer."""
    cells = tuple((row.command, f"{row.cpu_ms:.0f}", f"{row.times:.1f}") for row in rows)
    return Table(title, ("command", "ms of processor", "× the first"), cells)


def _cpu_seconds(command: Sequence[str], folder: Path | None, environment: Mapping[str, str]) -> float:
    """Return the processor time of a program and its child processes.

    A program must succeed, except `pindna doctor`, which also fails if it finds a problem.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(  # noqa: S603 - our own programs
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        cwd=folder,
        env=environment,
    )
    if "doctor" not in command:
        process.check_returncode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
