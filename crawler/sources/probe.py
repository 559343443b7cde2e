"""A few pages of a source, fetched as a crawl would, and what each step saw: ``pindna source test``.

It runs the source's own spider, scheduler and middlewares in a process of its own (``python -m
crawler.sources.probe``, the source as JSON on standard input), over a frontier in memory, and stores nothing.
Each step is one line of JSON.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from pydantic import TypeAdapter
from scrapy.crawler import Crawler

from crawler.addresses import canonical
from crawler.job import Job, job_of
from crawler.pages.outcomes import Done, Text, ending_of
from crawler.program import open_readers, run_alone
from crawler.reasons import advice_on
from storage.child_process import last_line, report_error
from storage.collections.stores import open_stores
from storage.errors import PindnaError
from storage.frontier.memory import MemoryFrontier, MemoryPace
from storage.records import Source
from storage.settings import load_settings

_SOURCE = TypeAdapter(Source)
_TIMEOUT_S = 600
_MAX_LISTS = 4
_MAX_SHOWN = 5


class ProbeFailed(PindnaError):
    """The source could not be tried. Data: ``source``, ``problem``."""

    template = "Source {source} could not be tried: {problem}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What came of one address.

    Attributes:
        asked: as what: ``index``, ``text``, ``sitemap``, ``feed``, ``query``.
        reason: why there is no text; empty otherwise.
        advice: what the user can do about it.
        kind: of the page, for a text.
        characters: of the text.
        parts: responses that the text was taken from.
        rendered: a browser showed the page, and what its scripts made of it was read.
        texts: how many texts a list leads to, ``lists`` how many further lists; ``first`` some of them.
    """

    url: str
    asked: str
    status: int = 0
    reason: str = ""
    advice: str = ""
    kind: str = ""
    title: str = ""
    characters: int = 0
    confidence: float = 0.0
    encoding: str = ""
    parts: int = 0
    rendered: bool = False
    texts: int = 0
    lists: int = 0
    first: tuple[str, ...] = ()


def probe(
    source: Source,
    *,
    texts: int,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = _TIMEOUT_S,
) -> Iterator[Step]:
    """Fetch a source's first pages and yield what came of each.

    Args:
        source: to try; it need not be stored.
        texts: how many at most.
        environment: variables that go over this process's own.
        timeout_s: how long it may take, in seconds.

    Raises:
        ProbeFailed: the process ended without an answer.
    """
    command = [sys.executable, "-P", "-m", "crawler.sources.probe", str(texts)]
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command,
            input=_SOURCE.dump_json(source),
            capture_output=True,
            timeout=timeout_s,
            check=False,
            env={**os.environ, **(environment or {})},
        )
    except subprocess.TimeoutExpired as error:
        raise ProbeFailed(source=source.name, problem="it takes too long") from error
    if done.returncode:
        problem = last_line(done.stderr).rstrip(".") or "no answer"
        raise ProbeFailed(source=source.name, problem=problem)
    for line in done.stdout.splitlines():
        values = json.loads(line)
        yield Step(**{**values, "first": tuple(values["first"])})


class ProbePipeline:
    """Tells what came of each entry, and ends it."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._lists = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ProbePipeline":
        """Build the pipeline."""
        return cls(crawler)

    def process_item(self, item: Any) -> Any:
        """Print the step and go on with what was found."""
        job = job_of(self._crawler)
        if not isinstance(item, Done):
            return item
        _print(step_of(item))
        texts = [entry for entry in item.entries if entry.kind == "text"]
        lists = [entry for entry in item.entries if entry.kind != "text"][: max(0, _MAX_LISTS - self._lists)]
        self._lists += len(lists)
        job.frontier.end(item.entry.id, ending_of(item), [*lists, *texts])
        job.held_ids.discard(item.entry.id)
        job.has_new_entries = True
        return item


def step_of(done: Done) -> Step:
    """Return the step that the end of an entry stands for."""
    texts = [entry for entry in done.entries if entry.kind == "text"]
    links = {
        "texts": len(texts),
        "lists": len(done.entries) - len(texts),
        "first": tuple(entry.url for entry in done.entries[:_MAX_SHOWN]),
    }
    url, asked = done.entry.url, done.entry.kind
    if done.outcome is None:
        return Step(url=url, asked=asked, status=200, rendered=done.rendered, **cast("Any", links))
    if isinstance(done.outcome, Text):
        page = done.outcome.seen.page
        return Step(
            url=page.url if page.url != canonical(url) else url,
            asked=asked,
            status=page.status,
            reason=page.reason,
            kind=page.kind,
            title=page.title,
            characters=len(page.text),
            confidence=page.confidence,
            encoding=page.encoding,
            parts=len(page.snapshots),
            rendered=done.rendered,
            **cast("Any", links),
        )
    reason = getattr(done.outcome, "reason", "")
    status = getattr(done.outcome, "status", 0)
    return Step(url=url, asked=asked, status=status, reason=reason, advice=advice_on(reason))


def main() -> int:
    """Try the source on standard input; returns the exit status."""
    source, texts = _SOURCE.validate_json(sys.stdin.buffer.read()), int(sys.argv[1])
    settings = load_settings()
    stores = open_stores(settings.storage) if source.kind == "discovery" else None
    job = Job(
        source=source,
        scan_id="",
        crawl_id="",
        database=stores,
        frontier=MemoryFrontier(max_texts=texts),
        pace=MemoryPace(),
        settings=settings.crawler,
        readers=open_readers(settings.crawler),
    )
    run_alone(job, pipeline="crawler.sources.probe.ProbePipeline")
    job.readers.close()
    for url, problem in job.problems:
        if problem in ("login", "login-elsewhere", "not an http(s) address"):
            _print(Step(url=url, asked="index", reason=problem, advice=advice_on(problem)))
    if stores is not None:
        stores.close()
    if job.fatal is not None:
        return report_error(job.fatal)
    return 0


def _print(step: Step) -> None:
    sys.stdout.write(json.dumps(asdict(step)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except PindnaError as raised:
        sys.exit(report_error(raised))
