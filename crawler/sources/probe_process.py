"""The program that tests a source: its spider, scheduler and middlewares with a frontier in memory.

:func:`crawler.sources.probe.probe` starts it as ``python -m crawler.sources.probe_process``, with the source
as JSON on standard input. It prints each step as one line of JSON and stores nothing.
"""

import json
import sys
from dataclasses import asdict, replace
from typing import Any, cast

from pydantic import TypeAdapter
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Request, Response

from crawler.addresses import canonical
from crawler.job import Job, job_of
from crawler.meta import ENTRY
from crawler.pages.outcomes import EntryResult, Text, ending_of
from crawler.pages.reading import declared_charset
from crawler.program import open_readers, run_alone
from crawler.readers.pool import CannotRead
from crawler.readers.questions import InertQuestion
from crawler.reasons import ROBOTS_UNREACHABLE, advice_on
from crawler.sources.probe import ProbeStep
from storage.collections.stores import open_stores
from storage.frontier.memory import MemoryFrontier, MemoryPace
from storage.records import Source
from storage.settings import load_settings
from system.child_process import report_error
from system.errors import PindnaError

_SOURCE = TypeAdapter(Source)
_MAX_LISTS = 4
_MAX_SHOWN = 5
_MAX_TEXT_CHARS = 20_000
_MAX_PAGE_CHARS = 1_000_000
# The result of robots.txt by the reason of a failure; empty for addresses that were refused before.
_ROBOTS = {
    "robots": "forbidden",
    ROBOTS_UNREACHABLE: "unreachable",
    **dict.fromkeys(("inner-address", "long-address", "dns", "address"), ""),
}


class ProbePipeline:
    """Prints the result of each entry, and ends the entry."""

    wants_pages = False

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._lists = 0
        self._answers: dict[str, Response] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "ProbePipeline":
        """Build the pipeline."""
        pipeline = cls(crawler)
        if cls.wants_pages:
            crawler.signals.connect(pipeline.record_answer, signal=signals.response_received)
        return pipeline

    def record_answer(self, response: Response, request: Request) -> None:
        """Keep a response until its entry ends."""
        if ENTRY in request.meta:
            self._answers[request.meta[ENTRY].id] = response

    async def process_item(self, item: Any) -> Any:
        """Print the step and continue with its addresses."""
        job = job_of(self._crawler)
        if not isinstance(item, EntryResult):
            return item
        page = await _page_of(self._answers.pop(item.entry.id, None), job)
        _print_step(replace(step_of(item, obeys=job.source.obey_robots), page=page))
        texts = [entry for entry in item.entries if entry.kind == "text"]
        lists = [entry for entry in item.entries if entry.kind != "text"][: max(0, _MAX_LISTS - self._lists)]
        self._lists += len(lists)
        job.frontier.end(item.entry.id, ending_of(item), [*lists, *texts])
        job.held_ids.discard(item.entry.id)
        job.has_new_entries = True
        return item


class PagesPipeline(ProbePipeline):
    """Prints the pages, too."""

    wants_pages = True


async def _page_of(response: Response | None, job: Job) -> str:
    """Return a response as HTML without active content; empty if it is missing or unreadable."""
    if response is None or not response.body:
        return ""
    question = InertQuestion(response.body, response.url, declared_charset(response))
    try:
        return (await job.readers.ask(question))[:_MAX_PAGE_CHARS]
    except CannotRead:
        return ""


def step_of(result: EntryResult, *, obeys: bool = True) -> ProbeStep:
    """Return the step for the end of an entry.

    Args:
        result: of the entry.
        obeys: whether the source obeys robots.txt.
    """
    robots = _ROBOTS.get(getattr(result.outcome, "reason", ""), "allowed") if obeys else "disregarded"
    return replace(_step_of(result), robots=robots)


def _step_of(result: EntryResult) -> ProbeStep:
    texts = [entry for entry in result.entries if entry.kind == "text"]
    links = {
        "texts": len(texts),
        "lists": len(result.entries) - len(texts),
        "first": tuple(entry.url for entry in result.entries[:_MAX_SHOWN]),
    }
    url, entry_kind = result.entry.url, result.entry.kind
    if result.outcome is None:
        return ProbeStep(
            url=url, asked=entry_kind, status=200, rendered=result.rendered, **cast("Any", links)
        )
    if isinstance(result.outcome, Text):
        page = result.outcome.record.page
        return ProbeStep(
            url=page.url if page.url != canonical(url) else url,
            asked=entry_kind,
            status=page.status,
            reason=page.reason,
            kind=page.kind,
            title=page.title,
            characters=len(page.text),
            confidence=page.confidence,
            encoding=page.encoding,
            parts=len(page.text_snapshots),
            rendered=result.rendered,
            author=page.author or "",
            published=str(page.published or ""),
            text=page.text[:_MAX_TEXT_CHARS],
            following=tuple(fetched.text_part.url for fetched in result.outcome.fetched[1:]),
            **cast("Any", links),
        )
    reason = getattr(result.outcome, "reason", "")
    status = getattr(result.outcome, "status", 0)
    return ProbeStep(url=url, asked=entry_kind, status=status, reason=reason, advice=advice_on(reason))


def main() -> int:
    """Test the source on standard input; return the exit status."""
    source, texts, minutes = (
        _SOURCE.validate_json(sys.stdin.buffer.read()),
        int(sys.argv[1]),
        float(sys.argv[2]),
    )
    source = replace(source, max_minutes=min(source.max_minutes, minutes))
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
    kind = "PagesPipeline" if "pages" in sys.argv[3:] else "ProbePipeline"
    run_alone(job, pipeline=f"crawler.sources.probe_process.{kind}")
    job.readers.close()
    for url, problem in job.problems:
        if problem in ("login", "login-elsewhere", "not an http(s) address"):
            _print_step(ProbeStep(url=url, asked="index", reason=problem, advice=advice_on(problem)))
    if stores is not None:
        stores.close()
    if job.fatal is not None:
        return report_error(job.fatal)
    return 0


def _print_step(step: ProbeStep) -> None:
    sys.stdout.write(json.dumps(asdict(step)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except PindnaError as raised:
        sys.exit(report_error(raised))
