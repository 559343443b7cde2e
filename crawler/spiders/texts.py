"""Reads the texts of a crawl with their further parts, frames, style sheets and extraction context."""

import logging
from dataclasses import replace

from scrapy.http import Request, Response

from crawler.extraction import PageContext
from crawler.failures import CrawlTimeOver, failure_reason
from crawler.job import Job
from crawler.pages.frames import FrameReader
from crawler.pages.outcomes import FailedFetch, Outcome
from crawler.pages.reading import FetchPart, IsText, content_type_of, failed_outcome, read_text, was_rendered
from crawler.pages.stylesheets import Download, SheetReader
from crawler.spiders.entries import LOOK, entry_id
from crawler.spiders.rendering import BrowserReading
from crawler.spiders.requests import RequestBuilder
from storage.frontier.interface import Entry
from system.errors import PindnaError
from system.sites import host_of

_OK = 200

logger = logging.getLogger(__name__)


class TextReader:
    """Reads the texts of a job; ``browser`` renders its pages and lists if needed.

    Args:
        job: the crawl.
        requests: builds the requests for further parts.
        download: sends a request through the crawl's middlewares.
    """

    def __init__(self, job: Job, requests: RequestBuilder, download: Download) -> None:
        self._job = job
        self._requests = requests
        self._download = download
        store = job.database.sheets if job.database else None  # a trial stores nothing
        self._frames = FrameReader(
            fetch=self._fetch_part,
            readers=job.readers,
            context_of=self._context_of,
            max_rest_chars=job.settings.max_rest_chars,
        )
        self.browser = BrowserReading(job, requests, download)
        self._sheets = SheetReader(download, job.readers, store, call=job.store)

    async def outcome_of(self, response: Response, *, is_text: IsText | None = None) -> Outcome:
        """Return the outcome of a text.

        Args:
            response: of the text's address.
            is_text: returns whether an address is a separate text; by default if the frontier has it.
        """
        is_text = is_text or self._is_text
        outcome = await self._read(response, is_text, self._fetch_part)
        outcome = await self._frames.add_frames(outcome, response)
        outcome = await self.browser.improve(
            outcome, response, lambda shown: self._read(shown, is_text, self._fetch_shown_part)
        )
        if isinstance(outcome, FailedFetch):
            self.count_hostile()
        return outcome

    async def _read(self, response: Response, is_text: IsText, fetch: FetchPart) -> Outcome:
        job = self._job
        return await read_text(
            response,
            source=job.source.name,
            scan_id=job.scan_id,
            fetch=fetch,
            is_text=is_text,
            readers=job.readers,
            context_of=self._context_of,
            extraction_version=await job.extraction_version_of(host_of(response.url)),
            max_rest_chars=job.settings.max_rest_chars,
        )

    def failure_of(
        self, entry: Entry, reason: str, *, status: int, answer: Response | None = None
    ) -> FailedFetch:
        """Return the outcome of a failed entry; the outcome of a look contains the response as evidence."""
        job = self._job
        return failed_outcome(
            entry.url,
            source=job.source.name,
            scan_id=job.scan_id,
            reason=reason,
            status=status,
            kept=answer if entry.note == LOOK else None,
        )

    def count_hostile(self) -> None:
        """Count the sites that used up their readers' time."""
        if sites := self._job.readers.hostile_hosts:
            self._job.counts["hostile_hosts"] = sites

    async def _fetch_part(self, url: str, before: Response) -> Response | None:
        """Fetch a further part of a text; None if that fails."""
        return await self._answer_to(self._requests.for_part(url, previous_url=before.url))

    async def _fetch_shown_part(self, url: str, before: Response) -> Response | None:
        """Fetch a further part of a text in the browser; None if that fails."""
        return await self._answer_to(await self.browser.request_for_part(url, before))

    async def _answer_to(self, request: Request) -> Response | None:
        try:
            response = await self._download(request)
        except (PindnaError, CrawlTimeOver):
            raise
        except Exception as error:  # noqa: BLE001 - a download may raise anything; then the text is incomplete
            logger.info("a further part could not be fetched: %s", failure_reason(error))
            return None
        return response if response.status == _OK else None

    async def _context_of(self, response: Response) -> PageContext:
        """Return the extraction context of a response, with its linked style sheets.

        A rendered page needs no style sheets: the browser marked hidden text.
        """
        context = await self._job.context_of(host_of(response.url))
        context = replace(context, content_type=content_type_of(response), is_rendered=was_rendered(response))
        if context.is_rendered:
            return context
        return replace(context, sheets=await self._sheets.of_page(response.body, url=response.url))

    async def _is_text(self, url: str) -> bool:
        return await self._job.store(self._job.frontier.contains, entry_id(url))
