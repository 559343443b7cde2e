"""Stores pages that others captured: the way of a crawled page, without requests and without visits.

Each page is read in a reader process, as in a crawl. A text over several pages is stored as several pages,
because nothing is requested; such a page says that it is not complete.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from scrapy.http import Request, Response

from crawler.addresses import canonical
from crawler.download.header_blocks import fields_of
from crawler.exchange import Exchange
from crawler.job import Job
from crawler.meta import RECEIVED
from crawler.pages.captured import MAX_BODY_BYTES, CapturedPage, Record, SkippedRecord, SkipReason, checked
from crawler.pages.outcomes import FetchedPart, Text
from crawler.pages.page_records import PageRecord, page_of
from crawler.pages.reading import content_type_of, part_of
from crawler.pages.storing import store_imported
from crawler.pages.warc_reading import decode_body
from crawler.readers.pool import CannotRead, ReaderPool
from storage.collections.stores import Stores
from storage.frontier.memory import MemoryFrontier, MemoryPace
from storage.records import PageImport, Source, TextPart
from storage.settings import CrawlerSettings
from system.sites import host_of

IMPORTED = "(import)"  # name of the source of imported pages
_BATCH = 20
_BATCH_BYTES = 32 * 1024**2

# What became of a record. Labels: ``analysis.words.labels.PAGE_IMPORTS``.
RecordResult = Literal["new", "known"] | SkipReason
RECORD_RESULTS: tuple[str, ...] = ("new", "known", *get_args(SkipReason))


@dataclass(frozen=True, slots=True)
class ImportedRecord:
    """The result of a record of a file.

    Attributes:
        number: of the record, from 1; 0: the file as a whole.
        url: its address.
        at: when it was captured; None: unknown.
        result: what became of it.
        page_id: the version that it is; empty: none was stored.
    """

    number: int
    url: str
    at: datetime | None
    result: RecordResult
    page_id: str = ""


@dataclass(frozen=True, slots=True)
class _ReadRecord:
    """A record with its page, if it has one that can be compared."""

    record: ImportedRecord
    outcome: Text | None = None


def store_captured(
    stores: Stores, settings: CrawlerSettings, records: Iterable[Record], origin: PageImport, *, now: datetime
) -> Iterator[list[ImportedRecord]]:
    """Store the pages among some records, and yield the results in batches, after each is stored.

    Args:
        stores: the database.
        settings: of crawls, with the limits of the readers.
        records: of a file.
        origin: the file; the date of each page replaces that of the file.
        now: the present.

    Raises:
        ServiceDown, StorageFailed: the database refused.
    """
    readers = ReaderPool(
        settings.extract_processes, max_megabytes=settings.reader_megabytes, max_site_s=settings.site_reader_s
    )
    job = _job_of(stores, settings, readers)
    runner = asyncio.Runner()
    try:
        for batch in _batches(_checked(record, now) for record in records):
            read = runner.run(_read_all(job, batch, origin))
            outcomes = [item.outcome for item in read if item.outcome is not None]
            new = iter(store_imported(job, outcomes) if outcomes else ())
            yield [
                item.record
                if item.outcome is None
                else replace(item.record, result="new" if next(new) else "known")
                for item in read
            ]
    finally:
        runner.close()
        readers.close()


def body_of(page: CapturedPage) -> bytes:
    """Return the decoded body of a page.

    Raises:
        ValueError, OSError, EOFError: it cannot be decoded, or is too long.
    """
    return decode_body(page.payload, page.header_block, max_bytes=MAX_BODY_BYTES)


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield records in batches of bounded number and size."""
    batch, size = list[Record](), 0
    for record in records:
        batch.append(record)
        size += len(record.payload) if isinstance(record, CapturedPage) else 0
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _checked(record: Record, now: datetime) -> Record:
    return checked(record, now) if isinstance(record, CapturedPage) else record


def _job_of(stores: Stores, settings: CrawlerSettings, readers: ReaderPool) -> Job:
    return Job(
        source=Source(name=IMPORTED, kind="urls", start_urls=()),
        scan_id="",
        crawl_id="",
        database=stores,
        frontier=MemoryFrontier(max_texts=1),
        pace=MemoryPace(),
        settings=settings,
        readers=readers,
    )


async def _read_all(job: Job, records: Sequence[Record], origin: PageImport) -> list[_ReadRecord]:
    return list(await asyncio.gather(*(_read_record(job, record, origin) for record in records)))


async def _read_record(job: Job, record: Record, origin: PageImport) -> _ReadRecord:
    """Return the page in a record, or why there is none that can be compared."""
    if isinstance(record, SkippedRecord):
        return _ReadRecord(ImportedRecord(record.number, record.url, None, record.reason))
    try:
        page, outcome = await _read_page(job, record, replace(origin, captured=record.at))
    except CannotRead:
        return _skipped(record, "unread")
    except (ValueError, OSError, EOFError):
        return _skipped(record, "damaged")
    if page.page.state != "fetched":
        return _skipped(record, "no-text")
    return _ReadRecord(ImportedRecord(record.number, page.page.url, record.at, "new", page.page.id), outcome)


def _skipped(record: CapturedPage, reason: SkipReason) -> _ReadRecord:
    return _ReadRecord(ImportedRecord(record.number, record.url, record.at, reason))


async def _read_page(job: Job, captured: CapturedPage, origin: PageImport) -> tuple[PageRecord, Text]:
    """Return the page of a capture, and its outcome with the exchange as evidence.

    Raises:
        CannotRead: it exceeds the limits of the readers.
        ValueError, OSError, EOFError: its body cannot be decoded.
    """
    origin = replace(origin, captured_by=captured.captured_by or origin.captured_by)
    body = body_of(captured)
    received = Exchange(
        url=captured.url,
        request=captured.request,
        status=captured.status,
        header_block=captured.header_block,
        payload=captured.payload,
        at=captured.at,
        address=captured.address,
        imported=origin,
    )
    response = _response_of(captured, body, received)
    context = await job.context_of(host_of(captured.url))
    page_part = await part_of(response, job.readers, replace(context, content_type=content_type_of(response)))
    if page_part.extracted.next_page:
        page_part = replace(page_part, extracted=replace(page_part.extracted, kind="incomplete"))
    page_part = replace(page_part, snapshot=replace(page_part.snapshot, fetched=captured.at))
    record = page_of(
        [page_part], source=job.source.name, scan_id="", max_rest_chars=job.settings.max_rest_chars
    )
    at = captured.at
    dated = replace(record.page, imported=origin, fetched=at, first_seen=at, last_seen=at)
    record = replace(record, page=dated)
    fetched = FetchedPart(TextPart(url=captured.url, sha256=hashlib.sha256(body).hexdigest()), received)
    return record, Text(record, canonical(captured.url), (fetched,))


def _response_of(captured: CapturedPage, body: bytes, received: Exchange) -> Response:
    headers: dict[bytes, list[bytes]] = {}
    for name, value in fields_of(captured.header_block):
        headers.setdefault(name.strip(), []).append(value[1:].strip())
    request = Request(captured.url, meta={RECEIVED: received})
    return Response(captured.url, status=captured.status, headers=headers, body=body, request=request)
