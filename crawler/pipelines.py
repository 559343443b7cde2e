"""Stores the result of an entry (evidence, page, visit), then ends the entry.

This order makes every step repeatable: a process that is killed leaves the entry in the frontier, and every
write is an upsert on a natural key. Outcomes that arrive during a write are stored together.

Guarantees: an entry ends only after its outcome was stored. A page that the database cannot store is stored
as failed, with the reason ``unstorable``; if that fails too, the crawl ends with an error.
"""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from crawler.bans import SiteAnswer
from crawler.batches import Batches
from crawler.job import Job, job_of
from crawler.pages.learning import Learner, book_of
from crawler.pages.looks import SOFT_404, sort_of_answer
from crawler.pages.outcomes import EntryResult, FailedFetch, Outcome, Text, UnchangedText
from crawler.pages.page_records import text_hash
from crawler.pages.reading import failed_outcome
from crawler.pages.storing import store_lists, store_outcomes
from crawler.pages.template_learning import TemplateLearner
from crawler.protected_sentences import removable_sentences
from crawler.reasons import BAD_ADDRESS, GAVE_UP, INTERNAL, READING_REASONS, ROBOTS_UNREACHABLE, UNSTORABLE
from storage.collections.documents import Unstorable
from storage.frontier.interface import End, Ending
from system.bugs import record_bug
from system.errors import PindnaError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_NOT_THE_SITE = frozenset(
    {
        "inner-address",
        "robots",
        ROBOTS_UNREACHABLE,
        "site-refuses",
        "dns",
        "wait",
        *READING_REASONS,
        UNSTORABLE,
        GAVE_UP,
        BAD_ADDRESS,
        INTERNAL,
        SOFT_404,
    }
)  # reasons that are no evidence for or against a ban


class StorePipeline:
    """Writes to MongoDB, ends entries in the frontier, and counts."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._learner = Learner()
        self._template_learner = TemplateLearner()
        self._endings: Batches[EntryResult, Counter[str]] = Batches(self._end, under_way=self._count_held)

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "StorePipeline":
        """Build the pipeline; the job is known only once the spider is."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Store an outcome and end its entry.

        Raises:
            DropItem: the outcome could not be stored; the job keeps the error and the crawl ends.
        """
        job = job_of(self._crawler)
        if not isinstance(item, EntryResult):
            return item
        try:
            counts = await self._endings.ask(item)
        except PindnaError as error:
            raise DropItem("a service refused") from error
        except Exception as error:
            job.fatal = job.fatal or record_bug(error)
            raise DropItem("a bug") from error
        job.held_ids.discard(item.entry.id)
        job.has_new_entries = job.has_new_entries or bool(item.entries)
        job.counts.update(counts)
        _record_for_bans(job, item.outcome)
        if isinstance(item.outcome, Text) and counts["extracted"]:
            record = item.outcome.record
            is_chapter = record.is_chapter or job.source.kind == "novel"
            book = book_of(record.page.url) if is_chapter else ""
            self._learner.add(record.page.host, record.whole, book=book)
            self._template_learner.add(record.page.host, record.whole, record.form)
        return item

    def _count_held(self) -> int:
        """Return how many entries this process works on, including those that wait to be stored."""
        return len(job_of(self._crawler).held_ids)

    async def _end(self, items: list[EntryResult]) -> list[Counter[str]]:
        job = job_of(self._crawler)
        return await job.store(_end, job, items)

    async def close_spider(self) -> None:
        """Store what was learnt about the sites; if the database is gone, the next crawl learns it again."""
        job = job_of(self._crawler)
        with suppress(PindnaError):  # the job stores the error
            await job.store(self._template_learner.store, job.stores.templates)
            await job.store(self._learner.store, job.stores.repeats)
            for host in self._learner.hosts:
                await job.store(removable_sentences, host, job.stores, max_chars=None)


def _end(job: Job, items: list[EntryResult]) -> list[Counter[str]]:
    """Store the results of entries, then end the entries; return the counts of each.

    Raises:
        PindnaError: a service refused.
    """
    try:
        return _end_together(job, items)
    except PindnaError as error:
        if not isinstance(error, Unstorable):
            raise
    except Exception:  # noqa: BLE001, S110 - storing each item alone finds the cause
        pass
    return [_end_alone(job, item) for item in items]


def _end_alone(job: Job, item: EntryResult) -> Counter[str]:
    """Store the result of one entry, or a failure if the result cannot be stored."""
    try:
        return _end_together(job, [item])[0]
    except Unstorable:
        return _end_failed(job, item, UNSTORABLE)
    except PindnaError:
        raise
    except Exception:  # noqa: BLE001 - a bug fails only this page
        return _end_failed(job, item, INTERNAL)


def _end_failed(job: Job, item: EntryResult, reason: str) -> Counter[str]:
    outcome = failed_outcome(
        item.entry.url, source=job.source.name, scan_id=job.scan_id, reason=reason, status=0
    )
    return _end_together(job, [replace(item, outcome=outcome)])[0]


def _end_together(job: Job, items: list[EntryResult]) -> list[Counter[str]]:
    outcomes = [item.outcome for item in items if item.outcome is not None]
    stored = iter(store_outcomes(job, outcomes) if outcomes else ())
    if lists := [item.entry.url for item in items if item.outcome is None and not item.is_unanswered]:
        store_lists(job, lists)
    counts = [_list_counts(item) if item.outcome is None else next(stored) for item in items]
    ends = [
        End(entry_id=item.entry.id, ending=_ending_of(number), entries=item.entries)
        for item, number in zip(items, counts, strict=True)
    ]
    job.frontier.end_many(ends)
    return counts


def _list_counts(item: EntryResult) -> Counter[str]:
    return Counter(unanswered=1) if item.is_unanswered else Counter(lists=1)


def _ending_of(counts: Counter[str]) -> Ending:
    if counts["lists"]:
        return "list"
    if counts["failed"] or counts["unanswered"]:
        return "failed"
    return "new" if counts["pages"] else "unchanged"


def _record_for_bans(job: Job, outcome: Outcome | None) -> None:
    """Record an answer for the detection of bans."""
    if isinstance(outcome, UnchangedText):
        job.record_answer(outcome.visit.url, SiteAnswer(sort="words"))
    elif isinstance(outcome, Text):
        page = outcome.record.page
        answer = SiteAnswer(sort=sort_of_answer(page), status=page.status, digest=text_hash(page))
        job.record_answer(outcome.requested_url, answer)
    elif isinstance(outcome, FailedFetch) and outcome.reason not in _NOT_THE_SITE:
        job.record_answer(outcome.requested_url, SiteAnswer(sort="error", status=outcome.status))
