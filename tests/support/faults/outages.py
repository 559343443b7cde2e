"""Outages in the daily job: servers that answer late, stall or are gone; the end must be a quiet day's.

A round is the day of :mod:`support.faults.day_faults`, with everybody's leases and five crawls at once.
Two workers, beat and console reach their servers by ways which can be slow, stall or be cut
(:mod:`support.faults.ways`); one of the workers only compares. Nobody starts anything again: whoever ends
stays away, and the round fails.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlsplit

import psutil
from support.faults import day_faults
from support.faults.faults import Outcome, differing, in_own_process, patiently
from support.faults.slow_disk import slow_disk
from support.faults.ways import Way, way_to

from benchmarks.report import Table
from deploy.cli.session import export
from deploy.demo.sites import RunningSites, start_sites
from deploy.stack import embedded_stack, ports
from storage.records import utc_now
from tracker.runtime import Runtime, open_runtime

_RULES = {
    "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
    "PINDNA_CRAWLER__PROCESSES": "5",
    "PINDNA_TRACKER__TIMEZONE": "UTC",
}
_PATIENCE_S = 5400.0
_LATE_S = (0.5, 3.0)  # each answer
_STALL_S, _FLOW_S = 30.0, 20.0  # in turn
_GONE_S = 600.0
_WRITES_PER_S = 5
_BEGIN_S = 8.0  # after the due time the scan is under way
_END_S = 20.0
_PORT = "PINDNA_ANALYSIS__SERVER__PORT"
_WORKER = ("celery", "-A", "tracker", "worker", "-l", "info", "-c")
_PROGRAMS: Mapping[str, Sequence[str]] = {
    "worker": (*_WORKER, "4", "-n", "near@here"),
    "comparing": (*_WORKER, "1", "-n", "far@here", "-Q", "compare"),
    "beat": ("celery", "-A", "tracker", "beat", "-l", "info"),
    "console": ("deploy.cli", "serve"),
}
_COMPARED = re.compile(r"pages compared: (\d+) of (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outage:
    """What one round came to.

    Attributes:
        name: of the outage.
        seconds: from the due time until the scan was closed.
        parts: those of the outcome that differ from a quiet day's.
        compared: pages whose comparison was stored, once for each time.
        asked: pages that workers were given to compare.
        tracebacks: in the logs.
        ready: whether the console was ready in the end.
    """

    name: str
    seconds: float
    parts: tuple[str, ...]
    compared: int
    asked: int
    tracebacks: int
    ready: bool


Ways = Mapping[str, Way]  # by server


def _be_late(ways: Ways, _over: threading.Event) -> None:
    for way in ways.values():
        way.delay_s = _LATE_S


def _stall(ways: Ways, over: threading.Event) -> None:
    while not over.wait(_FLOW_S):
        for way in ways.values():
            way.stall()
        over.wait(_STALL_S)
        for way in ways.values():
            way.join()


def _be_gone(server: str, ways: Ways, over: threading.Event) -> None:
    over.wait(_BEGIN_S)
    ways[server].cut()
    over.wait(_GONE_S)
    ways[server].join()


def _write_slowly(_ways: Ways, over: threading.Event) -> None:
    """Needs root, and control groups that know of disks."""
    servers = [own for own in psutil.Process().children(recursive=True) if "secantus" in own.cmdline()]
    with slow_disk(servers, Path(servers[0].cwd()), writes_per_s=_WRITES_PER_S):
        over.wait()


OUTAGES: Mapping[str, Callable[[Ways, threading.Event], None]] = {
    "nothing": lambda _ways, _over: None,
    "each answer of both servers 0.5 to 3 s late": _be_late,
    "both servers silent for 30 s of each 50": _stall,
    "document server gone for ten minutes": partial(_be_gone, "MONGO"),
    "Redis gone for ten minutes": partial(_be_gone, "REDIS"),
    "the document server's disk writes five times a second": _write_slowly,
}


def measure(names: Sequence[str], *, tell: Callable[[str], None]) -> Iterator[Outage]:
    """Play a quiet day, and one for each of some outages; yield what became of these.

    Raises:
        StackError: the servers cannot be started.
        TimeoutError: the quiet day never ended.
    """
    quiet = day_faults.run_round(()).outcome
    for name in names:
        try:
            played = in_own_process(_day, name)
        except TimeoutError:
            played = _Played({}, _PATIENCE_S, "", is_ready=False)
        ended = _ended(name, played, quiet)
        tell(f"{name}: {ended.seconds:.0f} s, different: {', '.join(ended.parts) or 'nothing'}")
        yield ended


class _Played(NamedTuple):
    """What a round left, the last of it the logs of its processes."""

    outcome: Outcome
    seconds: float
    logs: str
    is_ready: bool


def _ended(name: str, played: _Played, quiet: Outcome) -> Outage:
    counts = [tuple(map(int, pair)) for pair in _COMPARED.findall(played.logs)]
    return Outage(
        name=name,
        seconds=round(played.seconds, 1),
        parts=differing(played.outcome, quiet),
        compared=sum(done for done, _ in counts),
        asked=sum(asked for _, asked in counts),
        tracebacks=played.logs.count("Traceback"),
        ready=played.is_ready,
    )


def _day(name: str) -> _Played:
    for ready_s in day_faults.READY_S:
        due = day_faults.next_minute(ready_s)
        with _running(due) as (ways, runtime, sites, logs):
            day_faults.prepare(runtime, sites)
            if utc_now() >= due:  # the machine is busy, and the day began without its works
                continue
            time.sleep((due - utc_now()).total_seconds())
            seconds = _live_through(OUTAGES[name], ways, runtime)
            patiently(lambda: day_faults.is_logged(runtime))
            result = patiently(lambda: day_faults.outcome(runtime, sites))
            is_ready = _is_ready(os.environ[_PORT])
            return _Played(result, seconds, _texts_of(logs), is_ready)
    raise TimeoutError("works were not indexed before the scan was due")


def _live_through(bring: Callable[[Ways, threading.Event], None], ways: Ways, runtime: Runtime) -> float:
    """Let an outage come while the day's scan goes on; returns how many seconds that took."""
    over, began = threading.Event(), time.monotonic()
    outage = threading.Thread(target=bring, args=(ways, over), daemon=True)
    outage.start()
    try:
        day_faults.await_end(runtime, patience_s=_PATIENCE_S)
        return time.monotonic() - began
    finally:
        over.set()
        outage.join()
        for way in ways.values():
            way.delay_s = (0.0, 0.0)
            way.join()


@contextmanager
def _running(due: datetime) -> Iterator[tuple[Ways, Runtime, RunningSites, Path]]:
    """Run servers, and by ways to them two workers, beat and console; the runtime has no ways."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))
        sites = opened.enter_context(start_sites())
        rules = {
            **_RULES,
            "PINDNA_ANALYSIS__EVIDENCE__FOLDER": f"{folder}/evidence",
            _PORT: str(ports.choose("console")),
            "PINDNA_TRACKER__SCAN_SCHEDULE": f"{due.minute} {due.hour} * * *",
        }
        settings = day_faults.settings_of(rules)
        stack = opened.enter_context(embedded_stack(folder / "data", settings=settings, env=rules))
        environment = {**os.environ, "PINDNA_STORAGE__DATA_DIR": str(stack.folder.path)}
        ways = dict[str, Way]()
        for server, url in (("MONGO", stack.mongo_url), ("REDIS", stack.redis_url)):
            port = urlsplit(url).port or 0
            way = ways[server] = opened.enter_context(way_to("127.0.0.1", port))
            environment[f"PINDNA_STORAGE__{server}_URL"] = url.replace(f":{port}", f":{way.port}")
        logs = folder / "logs"
        logs.mkdir()
        for name, arguments in _PROGRAMS.items():
            opened.enter_context(_program(name, arguments, environment, logs))
        export(stack.settings, rules)
        runtime = opened.enter_context(closing(open_runtime(stack.settings)))
        patiently(partial(_is_ready, rules[_PORT]))
        yield ways, runtime, sites, logs


@contextmanager
def _program(
    name: str, arguments: Sequence[str], environment: Mapping[str, str], logs: Path
) -> Iterator[None]:
    """Run a program of ours; it is not started again."""
    command = [sys.executable, "-P", "-m", *arguments]
    with (logs / name).open("wb") as log:
        process = subprocess.Popen(
            command, env=dict(environment), stdout=log, stderr=log, cwd=logs.parent, start_new_session=True
        )
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _is_ready(port: str) -> bool:
    """Return whether the console says that it can be used."""
    with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
        return bool(answer.status == HTTPStatus.OK)
    return False


def _texts_of(logs: Path) -> str:
    return "".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted(logs.iterdir()))


def table(ended: Sequence[Outage]) -> Table:
    """Return a row for each outage."""
    head = (
        "outage",
        "s until the scan was over",
        "different from a quiet day",
        "given to compare",
        "compared",
    )
    rows = [
        (
            outage.name,
            f"{outage.seconds:.0f}",
            ", ".join(outage.parts) or "nothing",
            str(outage.asked),
            str(outage.compared),
            str(outage.tracebacks),
            "yes" if outage.ready else "no",
        )
        for outage in ended
    ]
    return Table("Outages during the daily job", (*head, "tracebacks", "console ready"), tuple(rows))
