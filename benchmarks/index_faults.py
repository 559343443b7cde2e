"""Faults: kill -9 the worker, Redis or MongoDB's stand-in at random points, and compare with a quiet run.

A round is a load of works and then a comparison of stored pages with them, on servers and with a worker of
its own. In each of the two one process, drawn by the seed, is killed at a moment drawn by the seed; whatever
ends is started again, as ``pindna up`` does, and loading and waiting repeat what a service that was down
refused. In the end works, passages, postings and matches must be those of a run without faults, without ids:
an interrupted run may use up some.
"""

import logging
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TypeVar

import psutil

from deploy.cli.session import export, watching
from deploy.stack import EmbeddedStack, embedded_stack
from storage.collections.stores import Stores
from storage.errors import PindnaError
from storage.records import Page
from storage.settings import Settings
from tracker.corpus.chapters import Section
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.indexing.fingerprints import fingerprints_of
from tracker.indexing.guard import verify
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import Runtime, open_runtime
from tracker.scans.scanning import start_scan, tick
from tracker.scans.turns import StillScanning

log = logging.getLogger(__name__)

VICTIMS = ("worker", "worker process", "redis", "mongo")
_SPREADS_S = {"load": 1.0, "comparison": 2.0}  # they take about so long
_LEASE_S = 3.0
_ENVIRONMENT = {"PINDNA_TRACKER__LEASE_S": str(_LEASE_S)}
_PATIENCE_S = 180.0
_HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 2500)]

Outcome = dict[str, object]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """One kill.

    Attributes:
        during: ``load`` or ``comparison``.
        victim: one of ``VICTIMS``.
        after_s: seconds from the beginning.
    """

    during: str
    victim: str
    after_s: float


@dataclass(frozen=True, slots=True)
class Different:
    """A round that did not end as a quiet one, with the parts of the outcome that differ."""

    number: int
    faults: tuple[Fault, ...]
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """What one run came to.

    Attributes:
        outcome: what was there in the end; empty when it never ended.
        killed: the victims that were really killed.
        at_work: how many of them before the load or the comparison was done.
    """

    outcome: Outcome
    killed: tuple[str, ...] = ()
    at_work: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What some rounds came to."""

    rounds: int
    seed: int
    killed: dict[str, int]
    at_work: int
    different: tuple[Different, ...]
    seconds: float


def measure(*, seed: int, rounds: int) -> Faults:
    """Run the rounds.

    Args:
        seed: of works, pages, victims and moments.
        rounds: how many.

    Raises:
        StackError: the servers cannot be started.
        TimeoutError: the quiet run never ended.
    """
    start = time.perf_counter()
    random = Random(seed)
    quiet = run_round(()).outcome
    killed: Counter[str] = Counter()
    at_work = 0
    different = []
    for number in range(rounds):
        faults = tuple(
            Fault(during, random.choice(VICTIMS), random.uniform(0, spread_s))
            for during, spread_s in _SPREADS_S.items()
        )
        ended = _run_to_end(faults)
        killed.update(ended.killed)
        at_work += ended.at_work
        if parts := differing(ended.outcome, quiet):
            different.append(Different(number, faults, parts))
        log.info("round %d: %s; different: %s", number, ended.killed, ", ".join(parts) or "nothing")
    return Faults(
        rounds=rounds,
        seed=seed,
        killed=dict(killed),
        at_work=at_work,
        different=tuple(different),
        seconds=time.perf_counter() - start,
    )


def differing(outcome: Outcome, quiet: Outcome) -> tuple[str, ...]:
    """Return the parts of an outcome that are not those of a quiet run."""
    if not outcome:
        return ("it never ended",)
    return tuple(part for part in quiet if outcome[part] != quiet[part])


def _run_to_end(faults: Sequence[Fault]) -> Round:
    try:
        return run_round(faults)
    except TimeoutError:
        return Round({})


def run_round(faults: Sequence[Fault]) -> Round:
    """Load and compare under some faults, and return what is there in the end.

    In a process of its own: Celery learns where its queue is once.

    Raises:
        TimeoutError: it never ended.
    """
    with get_context("spawn").Pool(1) as pool:
        result: Round = pool.apply(_load_and_compare, (tuple(faults),))
    return result


def _load_and_compare(faults: Sequence[Fault]) -> Round:
    killed: list[tuple[str, bool]] = []
    with _running() as (stack, runtime):
        for during, work in (("load", _load), ("comparison", _compare)):
            killers = [_Killer(stack, fault) for fault in faults if fault.during == during]
            work(runtime)
            done = time.monotonic()
            for killer in killers:
                killer.join()
            killed += [(killer.victim, killer.struck < done) for killer in killers if killer.struck]
        result = _patiently(lambda: outcome(runtime))
    return Round(result, tuple(victim for victim, _ in killed), sum(at_work for _, at_work in killed))


@contextmanager
def _running() -> Iterator[tuple[EmbeddedStack, Runtime]]:
    settings = Settings.model_validate(
        {"tracker": {"worker_processes": 2, "lease_s": _LEASE_S, "batch_pages": 3}}
    )
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        embedded_stack(Path(folder) / "data", worker=True, settings=settings, env=_ENVIRONMENT) as stack,
        watching(stack),
    ):
        export(stack.settings, _ENVIRONMENT)
        runtime = open_runtime(stack.settings)
        try:
            yield stack, runtime
        finally:
            runtime.close()


class _Killer(threading.Thread):
    """A thread that runs at once and kills the fault's victim when its time has come.

    Attributes:
        victim: the fault's.
        struck: when it was killed, of the monotonic clock; 0 if it was being started just then.
    """

    def __init__(self, stack: EmbeddedStack, fault: Fault) -> None:
        super().__init__(daemon=True)
        self._stack, self._fault = stack, fault
        self.victim = fault.victim
        self.struck = 0.0
        self.start()

    def run(self) -> None:
        time.sleep(self._fault.after_s)
        name = self.victim.split()[0]
        pid = next((service.pid for service in self._stack.status() if service.name == name), None)
        if pid is None:
            return
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            process = psutil.Process(pid)
            children = process.children(recursive=True)
            victims = children[:1] if self.victim == "worker process" else [process, *children]
            for victim in victims:
                os.kill(victim.pid, signal.SIGKILL)
                self.struck = time.monotonic()


def works() -> list[RawWork]:
    """Return the works of a round: six novels of several chapters, thirty articles; some share a stretch."""
    shared = _text(99, 120)
    novels = [
        RawWork(
            title=f"长篇{number}",
            kind="novel",
            origin="faults",
            sections=tuple(
                Section(f"第{part}章", _text(number * 100 + part, 1500) + (shared if part == 1 else ""))
                for part in range(1, 9)
            ),
        )
        for number in range(1, 7)
    ]
    articles = [
        RawWork(
            title=f"新闻{number}",
            kind="news",
            origin="faults",
            url=f"http://news.example.cn/{number}",
            sections=(Section("", _text(5000 + number, 700)),),
        )
        for number in range(1, 31)
    ]
    return novels + articles


def pages() -> list[Page]:
    """Return the pages of a round: copies, parts, mixtures, and pages that copy nothing."""
    loaded = works()
    texts = [loaded[number].sections[3].text for number in range(6)]
    texts += [_text(9000 + number, 300) + loaded[number].sections[0].text[:400] for number in range(6, 24)]
    texts += [loaded[0].sections[1].text[:500] + loaded[1].sections[2].text[:500]]
    texts += [_text(9500 + number, 900) for number in range(12)]
    return [
        Page(
            id=f"p{number:03}",
            url=f"http://site.example.cn/{number}",
            host="site.example.cn",
            source="s",
            kind="article",
            text=text,
        )
        for number, text in enumerate(texts)
    ]


def _text(seed: int, length: int) -> str:
    random = Random(seed)
    return "".join(random.choices(_HAN, k=length))


def _load(runtime: Runtime) -> None:
    stores = runtime.stores

    def store_all() -> bool:
        index = runtime.guard.live()
        raws = works()
        for start in range(0, len(raws), 6):
            store_works(raws[start : start + 6], stores, index, terms=Terms())
        return True

    def is_indexed() -> bool:
        tick(stores, runtime.settings, runtime.queue.send)
        return not stores.works.count("stored")

    _patiently(store_all)
    _patiently(is_indexed)


def _compare(runtime: Runtime) -> None:
    stores = runtime.stores

    def begin() -> bool:
        # As beat does: MongoDB may have lost that works are indexed.
        tick(stores, runtime.settings, runtime.queue.send)
        for page in pages():
            stores.pages.see_many([page])
        with suppress(StillScanning):  # it is open, and only the answer was lost
            start_scan(stores, runtime.guard, runtime.settings.tracker, sources=(), trigger="corpus")
        return True

    def is_compared() -> bool:
        tick(stores, runtime.settings, runtime.queue.send)
        return all(page.state == "compared" for page in stores.pages.all())

    _patiently(begin)
    _patiently(is_compared)


def _patiently(action: Callable[[], T]) -> T:
    """Repeat an action until it answers something, through services that are down.

    Raises:
        TimeoutError: it never did.
    """
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        try:
            if answer := action():
                return answer
        except PindnaError:
            pass  # a service is down; it is started again
        time.sleep(0.2)
    raise TimeoutError("a round with faults never came to its end")


def outcome(runtime: Runtime) -> Outcome:
    """Return what is stored and indexed, without ids and times.

    Raises:
        PindnaError: a service does not answer.
    """
    stores = runtime.stores
    held = {work.id: work for work in stores.works.all()}
    passages = {passage.id: passage for work in held.values() for passage in stores.passages.of_work(work.id)}
    names = {
        passage.id: (held[passage.work_id].title, passage.ordinal, passage.sha256)
        for passage in passages.values()
    }
    return {
        "works": sorted(
            (work.title, work.status, work.sha256, work.characters, work.postings) for work in held.values()
        ),
        "passages": sorted(names.values()),
        "postings": _postings(runtime, names),
        "missing": verify(stores, runtime.redis, runtime.params),
        "pages": sorted(
            (page.url, page.state, page.verdict, page.copied_chars) for page in stores.pages.all()
        ),
        "matches": _matches(stores, names),
    }


def _postings(runtime: Runtime, names: dict[int, tuple[str, int, str]]) -> Counter[object]:
    """Return how often the index holds each posting of the passages that there are."""
    index, stores = runtime.guard.index(), runtime.stores
    prints = fingerprints_of(stores.passages.get_many(list(names)).values(), DEFAULT_PARAMS)
    asked = [
        {params_id: fingerprints.hashes for params_id, fingerprints in passage.sets.items()}
        for passage in prints
    ]
    postings: Counter[object] = Counter()
    for passage, answers in zip(prints, index.lookup_many(asked), strict=True):
        for params_id, hits in answers.items():
            postings.update(
                (names[passage.passage_id], params_id, query, names.get(holder_id), position)
                for query, holder_id, position in zip(
                    hits.queries.tolist(), hits.passages.tolist(), hits.positions.tolist(), strict=True
                )
            )
    return postings


def _matches(stores: Stores, names: dict[int, tuple[str, int, str]]) -> list[object]:
    """Return every match of every page, without what differs between runs."""
    matches = []
    for page in stores.pages.all():
        for match in stores.matches.of_page(page.id):
            spans = [
                tuple(sorted((key, str(value)) for key, value in asdict(span).items()))
                for span in match.spans
            ]
            matches.append((match.url, names[match.passage_id], match.verdict, match.copied_chars, spans))
    return sorted(matches, key=str)
