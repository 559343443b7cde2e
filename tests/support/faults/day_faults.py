"""Faults in the daily job: kill -9 any process of it at random points, and compare with a quiet day.

A round is a day on the sample sites of the demo: beat sends for the scan when it is due, a worker crawls five
sources and compares their pages, cases are opened, evidence is logged, and the console runs beside it. Five
victims, of all that run, are killed at moments drawn by the seed. The due time is the next full minute, so a
beat, a worker or a server that is away just then is among what is tried.
"""

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import sleep

from support.faults import index_faults
from support.faults.faults import Fault, Outcome, Round, in_own_process, patiently, strikes_during

from analysis.evidence.log import append_pending
from analysis.evidence.log_verifying import LogVerifier
from deploy.cli.session import export, watching
from deploy.demo.plan import licences, sources
from deploy.demo.samples import MOTHER_CORPUS
from deploy.demo.sites import RunningSites, start_sites
from deploy.stack import EmbeddedStack, embedded_stack, ports
from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records import utc_now
from storage.settings import Settings, load_settings
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork, read_works
from tracker.runtime import Runtime, open_runtime
from tracker.scans.scanning import tick

VICTIMS = ("worker", "crawl", "beat", "redis", "mongo", "console", "worker process")
_KILLS = 5  # in a round
_SPREAD_S = 20.0  # a quiet day takes about so long from its due time on
READY_S = (30.0, 90.0, 240.0)  # from the start of the services until works are indexed and sources stored
_PATIENCE_S = 900.0  # who is killed while it opens the scan has it for ten minutes
_DELAY_S = 0.5  # between two requests to a site: a crawl takes some seconds
_DAY_H = 20.0
RULES = {
    "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
    "PINDNA_CRAWLER__FRONTIER_LEASE_S": "2",
    "PINDNA_TRACKER__BATCH_PAGES": "3",
    "PINDNA_TRACKER__LEASE_S": "3",
    "PINDNA_TRACKER__TIMEZONE": "UTC",
}
# What each collection must hold once, besides what its _id is made of.
_NATURAL_KEYS: Mapping[str, Sequence[str]] = {
    "cases": ("work_id", "site"),
    "events": ("case", "kind", "subject", "before", "after"),
    "evidence_leaves": ("kind", "record"),
    "matches": ("page_id", "passage_id", "profile"),
    "page_events": ("url", "kind", "page_id"),
    "pages": ("url", "content_hash"),
    "passages": ("work_id", "ordinal"),
    "visits": ("url",),
    "works": ("title",),
}
# Of a scan's counts: what the crawlers had to ask, and not what came of it.
_EFFORT = ("requests", "bytes", "retries", "unchanged", "captures")


def drawn(seed: int) -> Iterator[tuple[Fault, ...]]:
    """Yield the faults of one round after the other; each victim has its turn equally often."""
    random, victims = Random(seed), itertools.cycle(VICTIMS)
    while True:
        yield tuple(Fault("day", next(victims), random.uniform(0, _SPREAD_S)) for _ in range(_KILLS))


def run_round(faults: Sequence[Fault]) -> Round:
    """Play a day under some faults, and return what is there in the end.

    Raises:
        TimeoutError: it never ended.
    """
    return in_own_process(_day, tuple(faults))


def _day(faults: Sequence[Fault]) -> Round:
    for ready_s in READY_S:
        due = next_minute(ready_s)
        with _running(due) as (stack, runtime, sites):
            prepare(runtime, sites)
            if utc_now() >= due:  # the machine is busy, and the day began without its works
                continue
            sleep((due - utc_now()).total_seconds())
            strikes = strikes_during("day", partial(await_end, runtime), stack, faults)
            patiently(lambda: is_logged(runtime))
            result = patiently(lambda: outcome(runtime, sites))
            return Round(result, tuple(strikes))
    raise TimeoutError("works were not indexed before the scan was due")


def next_minute(ready_s: float) -> datetime:
    """Return the first full minute for which there are so many seconds left."""
    return (utc_now() + timedelta(seconds=ready_s + 59)).replace(second=0, microsecond=0)


@contextmanager
def _running(due: datetime) -> Iterator[tuple[EmbeddedStack, Runtime, RunningSites]]:
    """Run everything that `pindna up` runs, and the sites."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, start_sites() as sites:
        rules = {
            **RULES,
            "PINDNA_ANALYSIS__EVIDENCE__FOLDER": f"{folder}/evidence",
            "PINDNA_ANALYSIS__SERVER__PORT": str(ports.choose("console")),
            "PINDNA_TRACKER__SCAN_SCHEDULE": f"{due.minute} {due.hour} * * *",
        }
        settings = settings_of(rules)
        with (
            embedded_stack(
                Path(folder) / "data", worker=True, beat=True, console=True, settings=settings, env=rules
            ) as stack,
            watching(stack),
        ):
            export(stack.settings, rules)
            runtime = open_runtime(stack.settings)
            try:
                yield stack, runtime, sites
            finally:
                runtime.close()


def settings_of(rules: Mapping[str, str]) -> Settings:
    """Return settings under some rules, which every process of the round reads from its environment."""
    os.environ.update(rules)
    return load_settings(storage={"mongo_url": None, "redis_url": None})


def prepare(runtime: Runtime, sites: RunningSites) -> None:
    """Load the works, wait until they are indexed, and store what is to be crawled."""
    allowed = licences(sites.base_urls)
    for path in MOTHER_CORPUS:
        raws = [raw for raw in read_works(path) if isinstance(raw, RawWork)]
        for raw in raws:
            terms = Terms("pindna", allowed.get(raw.title, ()))
            store_works([raw], runtime.stores, runtime.guard.live(), terms=terms)

    def is_indexed() -> bool:
        tick(runtime.stores, runtime.settings, runtime.queue.send)
        return not runtime.stores.works.count("stored")

    patiently(is_indexed)
    for source in sources(sites.base_urls):
        runtime.stores.sources.save(replace(source, delay_s=_DELAY_S, interval_h=_DAY_H))


def await_end(runtime: Runtime, *, patience_s: float = _PATIENCE_S) -> None:
    """Wait until the day's scan is finished; nothing but the services' own work carries it on.

    Raises:
        TimeoutError: it never was.
    """

    def is_over() -> bool:
        scans = runtime.stores.scans.newest(5)
        return bool(scans) and all(scan.status != "running" for scan in scans)

    patiently(is_over, patience_s=patience_s)


def is_logged(runtime: Runtime) -> bool:
    """Log what waits for the evidence log; return whether nothing is left."""
    append_pending(runtime.stores, runtime.settings)
    return not runtime.stores.evidence_log.count_unlogged()


def outcome(runtime: Runtime, sites: RunningSites) -> Outcome:
    """Return what is stored and indexed, without ids, times and ports.

    Raises:
        PindnaError: a service does not answer.
    """
    names = {f"127.0.0.1:{port}": site for site, port in sites.ports.items()}

    def plain(rows: object) -> list[str]:
        rows = list(rows.items()) if isinstance(rows, Counter) else rows
        texts = map(repr, rows) if isinstance(rows, list) else [repr(rows)]
        return sorted(_renamed(text, names) for text in texts)

    stored = {part: plain(rows) for part, rows in index_faults.outcome(runtime).items()}
    parts: dict[str, Callable[[Runtime], object]] = {
        "scans": _scans,
        "cases": _cases,
        "events": _events,
        "doubled": _doubled,
        "evidence": _evidence,
        "rows": _rows,
    }
    return {**stored, **{part: plain(rows_of(runtime)) for part, rows_of in parts.items()}}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for place, name in names.items():
        text = text.replace(place, name)
    return text


def _scans(runtime: Runtime) -> list[object]:
    """Return what the scans say of themselves, and what became of the addresses of their crawls."""
    rows = list[object]()
    for scan in runtime.stores.scans.newest(10):
        counts = {name: count for name, count in sorted(scan.counts.items()) if name not in _EFFORT}
        not_compared, left = sorted(scan.not_compared.items()), sorted(scan.left.items())
        rows.append((scan.trigger, scan.status, counts, not_compared, left, scan.error))
        for crawl in runtime.stores.scans.crawls(scan.id):
            addresses = {
                name: crawl.addresses.get(name, 0) for name in ("entries", "failed", "left", "beyond")
            }
            rows.append((crawl.source, crawl.state, crawl.end, addresses, crawl.error, crawl.fault))
    return rows


def _cases(runtime: Runtime) -> list[object]:
    return [
        (case.work_title, case.site, case.verdict, case.state, case.pages, case.passages, case.copied_chars)
        for case in runtime.stores.cases.listed()
    ]


def _events(runtime: Runtime) -> list[object]:
    """Return what happened to addresses, and to cases."""
    stores = runtime.stores
    scans = stores.scans.newest(10)
    happened = [(event.url, event.kind) for scan in scans for event in stores.page_events.of_scan(scan.id)]
    told = [(row.get("kind"), row.get("after")) for row in _collection(runtime, "events")]
    return [*happened, *told]


def _doubled(runtime: Runtime) -> list[object]:
    """Return what stands more than once in a collection that must hold it once."""
    doubled = list[object]()
    for name, fields in _NATURAL_KEYS.items():
        keys = Counter(tuple(str(row.get(field)) for field in fields) for row in _collection(runtime, name))
        doubled += [(name, key) for key, number in keys.items() if number > 1]
    return doubled


def _evidence(runtime: Runtime) -> list[object]:
    """Return what is wrong with the evidence log, and how many captures are in it once or not."""
    leaves = Counter(row["record"] for row in _collection(runtime, "evidence_leaves"))
    wrong = [row["_id"] for row in _collection(runtime, "captures") if leaves[row["_id"]] != 1]
    return [("captures that are not logged once", len(wrong)), *_log_problems(runtime)]


def _log_problems(runtime: Runtime) -> list[object]:
    return [
        (problem.code, problem.location)
        for problem in LogVerifier(runtime.stores, runtime.settings).problems()
    ]


def _rows(runtime: Runtime) -> list[object]:
    """Return the number of rows of the collections that hold one for each thing that was found."""
    named = (
        "cases",
        "crawls",
        "fingerprints",
        "matches",
        "page_events",
        "pages",
        "passages",
        "scans",
        "visits",
    )
    return [(name, sum(1 for _ in _collection(runtime, name))) for name in (*named, "works")]


def _collection(runtime: Runtime, name: str) -> Iterator[Document]:
    return iter(CheckedDatabase(runtime.stores.database)[name].find({}))
