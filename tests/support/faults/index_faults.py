"""Faults in a load and a comparison: kill -9 the worker, Redis or MongoDB's stand-in at random points.

A round is a load of works and then a comparison of stored pages with them, on servers and with a worker of
its own. In each of the two one process, drawn by the seed, is killed at a moment drawn by the seed; loading
and waiting repeat what a service that was down refused. In the end works, passages, postings and matches must
be those of a run without faults (:mod:`support.faults.faults`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from support.faults.faults import Fault, Outcome, Round, Strike, in_own_process, patiently, strikes_during

from deploy.cli.session import export, watching
from deploy.stack import EmbeddedStack, embedded_stack
from storage.collections.stores import Stores
from storage.records import Page
from storage.settings import Settings
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms, store_works
from tracker.corpus.reading import RawWork
from tracker.indexing.fingerprints import fingerprints_of
from tracker.indexing.guard import verify
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import Runtime, open_runtime
from tracker.scans.scanning import start_scan, tick
from tracker.scans.turns import StillScanning

VICTIMS = ("worker", "worker process", "redis", "mongo")
_SPREADS_S = {"load": 1.0, "comparison": 2.0}  # they take about so long
_LEASE_S = 3.0
_ENVIRONMENT = {"PINDNA_TRACKER__LEASE_S": str(_LEASE_S)}
_HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 2500)]


def drawn(seed: int) -> Iterator[tuple[Fault, ...]]:
    """Yield the faults of one round after the other: one in the load, and one in the comparison."""
    random = Random(seed)
    while True:
        yield tuple(
            Fault(during, random.choice(VICTIMS), random.uniform(0, spread_s))
            for during, spread_s in _SPREADS_S.items()
        )


def run_round(faults: Sequence[Fault]) -> Round:
    """Load and compare under some faults, and return what is there in the end.

    Raises:
        TimeoutError: it never ended.
    """
    return in_own_process(_load_and_compare, tuple(faults))


def _load_and_compare(faults: Sequence[Fault]) -> Round:
    strikes = list[Strike]()
    with _running() as (stack, runtime):
        for during, work in (("load", _load), ("comparison", _compare)):
            strikes += strikes_during(during, partial(work, runtime), stack, faults)
        result = patiently(lambda: outcome(runtime))
    return Round(result, tuple(strikes))


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


def works() -> list[RawWork]:
    """Return the works of a round: six novels of several chapters, thirty articles; some share a stretch."""
    shared = _text(99, 120)
    novels = [
        RawWork(
            title=f"长篇{number}",
            kind="novel",
            origin="faults",
            sections=tuple(
                ChapterSection(
                    f"第{part}章", _text(number * 100 + part, 1500) + (shared if part == 1 else "")
                )
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
            sections=(ChapterSection("", _text(5000 + number, 700)),),
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

    patiently(store_all)
    patiently(is_indexed)


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

    patiently(begin)
    patiently(is_compared)


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
