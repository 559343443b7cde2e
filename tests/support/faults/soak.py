"""Simulated days: what processes and stores hold as one daily job follows the other, in the same processes.

Everything that `pindna up` starts runs on a clock that is moved by a day whenever a day's work is done
(:mod:`support.faults.moved_clock`): the daily scan of a site that changes, the takedown watch of
confirmed cases, alerts, the evidence log, and a report of everything. Only time is simulated; messages,
crawls and pages are real. A simulated day lasts as long as its work.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

import psutil
from celery import Celery
from support.faults.faults import patiently
from support.faults.moved_clock import MovedClock, age
from support.faults.resources import Held, held_by, kept_by
from support.faults.soak_site import Site, running_site

from analysis.cases.actions import decide_open
from analysis.watch.enrolling import enrol_case
from benchmarks.report import Table
from deploy.cli.session import export, watching
from deploy.demo.samples import MOTHER_CORPUS
from deploy.stack import EmbeddedStack, embedded_stack, ports
from storage.records import Source, utc_now
from storage.servers.redis_client import open_redis
from storage.settings import load_settings
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork, read_works
from tracker.runtime import Runtime, open_runtime
from tracker.scans.calendar import DUE, last_due
from tracker.scans.scanning import tick

_PART = 3  # days at either end that are compared; the first day, on which all is new, is left out
_HOUR = timedelta(hours=3, seconds=30)  # of each day's beginning: just after the scan is due
_DAY_S = 900.0  # that a day's work may take
_WATCH_S = 20.0
_REPORTS = 5  # days between two reports of everything, but for the first days
_TASKS = ("analysis.tasks.watch_due", "analysis.tasks.follow_notices", "analysis.tasks.tell_alerts")
_LAST_TASKS = ("analysis.tasks.log_evidence", "analysis.tasks.sign_evidence", "tracker.tasks.keep_compact")
_RULES = {
    "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
    "PINDNA_CRAWLER__DELAY_S": "0",
    "PINDNA_TRACKER__TIMEZONE": "UTC",
}
_SERVICES = ("worker", "beat", "console", "mongo", "redis")


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """How things stand when a day's work is done.

    Attributes:
        seconds: that its scan took.
        services: what each service and all below it hold, by name.
        report_mb: the most that the process of the last report had.
        disk_mb: the data folder.
    """

    day: int
    seconds: float
    services: Mapping[str, Held]
    keys: int
    redis_mb: float
    rows: Mapping[str, int]
    report_mb: float
    disk_mb: float


def live_through(days: int) -> Iterator[Day]:
    """Live through some days, and yield how things stand at the end of each.

    Raises:
        StackError: the servers cannot be started.
        TimeoutError: a day's work never ended.
    """
    with _running() as (stack, runtime, clock, site):
        report_mb = 0.0
        begin = utc_now().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        for day in range(1, days + 1):
            clock.move_to(begin + timedelta(days=day) + _HOUR)
            site.day = day
            seconds = _work(runtime)
            if day <= 1 + _PART or day % _REPORTS == 0:
                report_mb = _report(stack.folder.path)
            yield _note(day, seconds, report_mb, stack, runtime)
            with closing(open_redis(runtime.settings.storage)) as client:
                age(client)


@contextmanager
def _running() -> Iterator[tuple[EmbeddedStack, Runtime, MovedClock, Site]]:
    """Run everything, with works that are indexed and a site that is to be crawled."""
    raws = [raw for path in MOTHER_CORPUS for raw in read_works(path) if isinstance(raw, RawWork)]
    passages = [section.text for raw in raws for section in raw.sections]
    with TemporaryDirectory(ignore_cleanup_errors=True) as name, running_site(passages) as site:
        folder = Path(name)
        clock = MovedClock(folder)
        own = {"PINDNA_ANALYSIS__SERVER__PORT": str(ports.choose("console"))}
        rules = {**_RULES, **own, **clock.environment}
        os.environ.update(rules)
        settings = load_settings(storage={"mongo_url": None, "redis_url": None})
        data = folder / "data"
        with (
            embedded_stack(data, worker=True, beat=True, console=True, settings=settings, env=rules) as stack,
            watching(stack),
        ):
            export(stack.settings, rules)
            with closing(open_runtime(stack.settings)) as runtime:
                _prepare(runtime, raws, site)
                yield stack, runtime, clock, site


def _prepare(runtime: Runtime, raws: Sequence[RawWork], site: Site) -> None:
    store_works(raws, runtime.stores, runtime.guard.live(), terms=Terms())

    def is_indexed() -> bool:
        tick(runtime.stores, runtime.settings, runtime.queue.send)
        return not runtime.stores.works.count("stored")

    patiently(is_indexed)
    follow = r"/\d+-\d+\.html"
    source = Source(name="site", kind="news", start_urls=(site.url,), follow=follow, delay_s=0.0)
    runtime.stores.sources.save(source)


def _work(runtime: Runtime) -> float:
    """Do a day's work; returns how many seconds its scan took."""
    stores, began, known = runtime.stores, time.monotonic(), runtime.stores.scans.count()
    rules = runtime.settings.tracker
    due = last_due(rules.scan_schedule, rules.timezone, now=utc_now())
    _send(["tracker.tasks.daily_scan"], {DUE: due.isoformat()})
    patiently(lambda: stores.scans.count() > known and not stores.scans.running(), patience_s=_DAY_S)
    seconds = time.monotonic() - began
    for case in stores.cases.listed(state="new"):
        decide_open(case, stores, state="confirmed", by="soak", reason="", at=utc_now())
        enrol_case(stores.cases.get(case.name), stores, runtime.settings.analysis.watch, now=utc_now())
    _send(_TASKS)
    with suppress(TimeoutError):  # what is left of the watch is gone on with the next day
        patiently(lambda: not stores.watches.count_due(utc_now()), patience_s=_WATCH_S)
    _send(_LAST_TASKS)
    patiently(lambda: not stores.evidence_log.count_unlogged())
    return seconds


def _send(tasks: Sequence[str], headers: Mapping[str, str] | None = None) -> None:
    """Send what beat sends; its own clock is not the moved one."""
    with Celery("soak", set_as_current=False, config_source="tracker.celeryconfig") as app:
        for task in tasks:
            app.send_task(task, headers=dict(headers or {}))


def _note(day: int, seconds: float, report_mb: float, stack: EmbeddedStack, runtime: Runtime) -> Day:
    pids = {status.name: status.pid for status in stack.status()}
    services = {name: held_by([psutil.Process(pid)]) for name in _SERVICES if (pid := pids.get(name))}
    with closing(open_redis(runtime.settings.storage)) as client:
        kept = kept_by(runtime.stores, client)
    files = (path for path in stack.folder.path.rglob("*") if path.is_file())
    return Day(
        day=day,
        seconds=round(seconds, 1),
        services=services,
        keys=kept.keys,
        redis_mb=kept.redis_mb,
        rows=kept.rows,
        report_mb=report_mb,
        disk_mb=round(sum(_size(path) for path in files) / 2**20, 1),
    )


def _report(folder: Path) -> float:
    """Write a report of everything, as a user does; returns the most memory that it took, in megabytes."""
    command = [sys.executable, "-P", "-m", "deploy.cli", "report", "-o", str(folder / "report.html")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return round(usage.ru_maxrss / 1024, 1)


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def tables(noted: Sequence[Day]) -> list[Table]:
    """Return what is held and what is kept: on some days, and the last ones beside the first."""
    return [_held_table(noted), _rows_table(noted)]


def _parts(noted: Sequence[Day]) -> tuple[Sequence[Day], Sequence[Day]]:
    return noted[1 : 1 + _PART], noted[-_PART:]


def _held_table(noted: Sequence[Day]) -> Table:
    """Return memory and open files: medians of the first days and of the last, and their ratio."""
    figures: dict[str, Callable[[Day], float]] = {}
    for name in noted[-1].services:
        figures[f"{name}: MB"] = partial(_held, name, "megabytes")
        figures[f"{name}: open files"] = partial(_held, name, "files")
        figures[f"{name}: threads"] = partial(_held, name, "threads")
    figures |= {
        "keys in Redis": lambda day: day.keys,
        "MB that Redis counts": lambda day: day.redis_mb,
        "MB of the data folder": lambda day: day.disk_mb,
        "MB of the report's process": lambda day: day.report_mb,
        "seconds of the scan": lambda day: day.seconds,
    }
    early, late = _parts(noted)
    rows = []
    for name, figure in figures.items():
        first, last = median(map(figure, early)), median(map(figure, late))
        rows.append((name, f"{first:g}", f"{last:g}", f"{last / first:.2f}" if first else "–"))
    return Table(f"{len(noted)} days", ("", *_heads(early, late), "ratio"), tuple(rows))


def _held(service: str, what: str, day: Day) -> float:
    return float(getattr(day.services[service], what))


def _rows_table(noted: Sequence[Day]) -> Table:
    """Return how many rows a day each collection gains: mean of the first days and of the last."""
    early, late = _parts(noted)
    rows = []
    for name, total in sorted(noted[-1].rows.items()):
        gains = [_gain(noted, own, name) for own in (early, late)]
        if any(gains):
            rows.append((name, *(f"{gain:.1f}" for gain in gains), str(total)))
    head = ("rows a day", *_heads(early, late), "rows in the end")
    return Table(f"What {len(noted)} days add", head, tuple(rows))


def _gain(noted: Sequence[Day], own: Sequence[Day], name: str) -> float:
    by_day = {day.day: day.rows.get(name, 0) for day in noted}
    return mean(by_day[day.day] - by_day.get(day.day - 1, 0) for day in own)


def _heads(early: Sequence[Day], late: Sequence[Day]) -> tuple[str, str]:
    return (f"days {early[0].day} to {early[-1].day}", f"days {late[0].day} to {late[-1].day}")
