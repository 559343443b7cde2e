"""Stores what came of an entry: the evidence, the page, what is known of the address; then ends the entry.

In this order everything can be done again: a process that is killed in between leaves the entry in the
frontier, and every write is an upsert on a natural key.
"""

import uuid
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from crawler.changes import Bounds, change_of
from crawler.evidence import response_record, revisit_record
from crawler.learning import Learner
from crawler.outcomes import Done, Failed, Outcome, Received, Same, Text
from storage.crawl_records import Capture, PageEvent
from storage.errors import PindnaError, UnknownRecord
from storage.records import Snapshot, utc_now

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawler.job import Job

_NOT_THE_SITE = frozenset(
    {"inner-address", "robots", "site-refuses", "dns"}
)  # says nothing about being let in
_WATCHED = frozenset({"copy", "partial", "quote"})


class StorePipeline:
    """Writes to MongoDB, ends entries in the frontier, and counts."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._learner = Learner()

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
            counts = Counter[str]() if item.outcome is None else await job.store(store, job, item.outcome)
            await job.store(job.frontier.complete, item.entry.id, item.found)
        except PindnaError as error:
            raise DropItem("a service refused") from error
        job.held.discard(item.entry.id)
        job.has_found = job.has_found or bool(item.found)
        job.counts.update(counts)
        _judge(job, item.outcome)
        if isinstance(item.outcome, Text) and item.outcome.seen.page.state == "fetched":
            seen = item.outcome.seen
            self._learner.see(seen.page.site, seen.page.text, removed=seen.repeated)
        return item

    async def close_spider(self) -> None:
        """Keep what was learnt of the sites; a crawl whose database went away learns again next time."""
        job: Job = self._crawler.spider.job  # type: ignore[union-attr]
        with suppress(PindnaError):  # the job keeps it
            await job.store(self._learner.store, job.stores.repeats)


def store(job: "Job", outcome: Outcome) -> Counter[str]:
    """Store an outcome and return what is to be counted; blocks.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    is_new = _store_page(job, outcome)
    events = _store_change(job, outcome)
    _store_evidence(job, outcome)
    return _counts(outcome, is_new=is_new, events=events)


def _store_page(job: "Job", outcome: Outcome) -> bool:
    if isinstance(outcome, Same):
        job.stores.pages.touch([outcome.visit.page_id], scan_id=job.scan_id)
        return False
    return job.stores.pages.see(outcome.seen.page if isinstance(outcome, Text) else outcome.page.page)


def _store_change(job: "Job", outcome: Outcome) -> tuple[PageEvent, ...]:
    visits = job.stores.visits
    known = outcome.visit if isinstance(outcome, Same) else visits.get(outcome.asked)
    target = None
    if isinstance(outcome, Text) and outcome.seen.page.url != outcome.asked:
        target = visits.get(outcome.seen.page.url)
    verdict = job.stores.pages.verdict_of(known.page_id) if known and known.page_id else None
    change = change_of(
        outcome,
        known,
        target=target,
        source=job.source.name,
        scan_id=job.scan_id,
        now=utc_now(),
        bounds=Bounds(
            min_s=job.settings.revisit_min_h * 3600,
            max_s=max(job.settings.revisit_max_h, job.settings.revisit_min_h) * 3600,
        ),
        watched=verdict in _WATCHED,
    )
    for event in change.events:  # before the visits: a crawl that is done again tells the same
        job.stores.page_events.add(event)
    for visit in change.visits:
        visits.save(visit)
    return change.events


def _store_evidence(job: "Job", outcome: Outcome) -> None:
    if isinstance(outcome, Failed):
        return
    snapshots = outcome.seen.snapshots if isinstance(outcome, Text) else ()
    for number, fetched in enumerate(outcome.fetched):
        snapshot = snapshots[number] if number < len(snapshots) else None
        if fetched.received is not None:
            _capture(job, fetched.received, fetched.part.sha256, snapshot)


def _capture(job: "Job", received: Received, sha256: str, snapshot: Snapshot | None) -> None:
    """Keep one exchange: in full when its body is new, else as a visit to the one that is kept."""
    if snapshot is not None:
        full = Snapshot(
            sha256=sha256,
            url=snapshot.url,
            status=snapshot.status,
            headers=snapshot.headers,
            body=b"",
            fetched=snapshot.fetched,
            warc=response_record(received),
        )
        if job.stores.snapshots.save(full):
            job.stores.captures.add(_row(job, received, sha256, b""))
            return
    try:
        first = job.stores.snapshots.about(sha256)
    except UnknownRecord:  # its time was up; the next change brings a full one
        return
    record = revisit_record(received, sha256=sha256, first_url=first.url, first_fetched=first.fetched)
    job.stores.captures.add(_row(job, received, sha256, record))


def _row(job: "Job", received: Received, sha256: str, warc: bytes) -> Capture:
    return Capture(
        id=uuid.uuid4().hex,
        url=received.url,
        source=job.source.name,
        scan_id=job.scan_id,
        fetched=received.at,
        status=received.status,
        sha256=sha256,
        warc=warc,
    )


def _counts(outcome: Outcome, *, is_new: bool, events: tuple[PageEvent, ...]) -> Counter[str]:
    counts = Counter(event.kind for event in events)
    found: Counter[str] = Counter({f"event:{kind}": number for kind, number in counts.items()})
    if isinstance(outcome, Same):
        found.update(["unchanged", "not_modified" if outcome.not_modified else "same_body"])
    elif isinstance(outcome, Text) and outcome.seen.page.state == "fetched":
        page = outcome.seen.page
        found.update(["pages" if is_new else "unchanged", "extracted", f"kind:{page.kind}"])
        found["confidence"] += round(page.confidence * 1000)
    else:
        page = outcome.seen.page if isinstance(outcome, Text) else outcome.page.page
        found.update(["failed", f"failed:{page.reason}", f"kind:{page.kind}"])
    return found


def _judge(job: "Job", outcome: Outcome | None) -> None:
    """Note what an answer says about being let in at all."""
    if isinstance(outcome, Same):
        job.note_answer(outcome.visit.url, kind="article", status=200)
    elif isinstance(outcome, Text):
        job.note_answer(outcome.asked, kind=outcome.seen.page.kind, status=outcome.seen.page.status)
    elif isinstance(outcome, Failed) and outcome.reason not in _NOT_THE_SITE:
        job.note_answer(outcome.asked, kind="error", status=outcome.status)
