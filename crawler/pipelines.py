"""Stores what came of an entry: the evidence, the page, what is known of the address; then ends the entry.

In this order everything can be done again: a process that is killed in between leaves the entry in the
frontier, and every write is an upsert on a natural key. Outcomes that come in while others are being stored
are stored together.
"""

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from crawler.batches import Batches
from crawler.failures import READING_REASONS, ROBOTS_UNREACHABLE
from crawler.learning import Learner
from crawler.outcomes import Done, Failed, Outcome, Same, Text
from crawler.storing import store
from storage.errors import PindnaError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawler.job import Job

_NOT_THE_SITE = frozenset(
    {"inner-address", "robots", ROBOTS_UNREACHABLE, "site-refuses", "dns", *READING_REASONS}
)  # says nothing about being let in


class StorePipeline:
    """Writes to MongoDB, ends entries in the frontier, and counts."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._learner = Learner()
        self._endings: Batches[Done, Counter[str]] = Batches(self._end)

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "StorePipeline":
        """Build the pipeline; the job is known only once the spider is."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Store an outcome and end its entry.

        Raises:
            DropItem: a service refused; the job keeps the error and the crawl ends.
        """
        job: Job = self._crawler.spider.job  # type: ignore[union-attr]
        if not isinstance(item, Done):
            return item
        try:
            counts = await self._endings.ask(item)
        except PindnaError as error:
            raise DropItem("a service refused") from error
        job.held.discard(item.entry.id)
        job.has_found = job.has_found or bool(item.found)
        job.counts.update(counts)
        _judge(job, item.outcome)
        if isinstance(item.outcome, Text) and item.outcome.seen.page.state == "fetched":
            seen = item.outcome.seen
            self._learner.see(seen.page.site, seen.whole)
        return item

    async def _end(self, items: list[Done]) -> list[Counter[str]]:
        job: Job = self._crawler.spider.job  # type: ignore[union-attr]
        return await job.store(_end, job, items)

    async def close_spider(self) -> None:
        """Keep what was learnt of the sites; a crawl whose database went away learns again next time."""
        job: Job = self._crawler.spider.job  # type: ignore[union-attr]
        with suppress(PindnaError):  # the job keeps it
            await job.store(self._learner.store, job.stores.repeats)


def _end(job: "Job", items: list[Done]) -> list[Counter[str]]:
    """Store what came of entries, then end them; returns what is to be counted of each."""
    outcomes = [item.outcome for item in items if item.outcome is not None]
    stored = iter(store(job, outcomes) if outcomes else ())
    counts = [Counter[str]() if item.outcome is None else next(stored) for item in items]
    job.frontier.complete_many([(item.entry.id, item.found) for item in items])
    return counts


def _judge(job: "Job", outcome: Outcome | None) -> None:
    """Note what an answer says about being let in at all."""
    if isinstance(outcome, Same):
        job.note_answer(outcome.visit.url, kind="article", status=200)
    elif isinstance(outcome, Text):
        job.note_answer(outcome.asked, kind=outcome.seen.page.kind, status=outcome.seen.page.status)
    elif isinstance(outcome, Failed) and outcome.reason not in _NOT_THE_SITE:
        job.note_answer(outcome.asked, kind="error", status=outcome.status)
