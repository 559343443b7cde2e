"""Reads pages and lists again in the browser if the first reading was incomplete.

This applies to sources with ``render = "auto"`` if a browser is installed. The first texts of each host and
some later texts are rendered as samples; if a sample shows much more text, the host needs the browser. Every
page with a match is rendered, so that a copy which only a browser shows is not mistaken for gone. Of lists,
the first of each host is a sample; lists without texts, and lists that promise more, are rendered, too. The
number of rendered pages of a site and day is limited over all crawls; the other pages stay incomplete.
"""

import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable

from scrapy.http import Request, Response

from crawler.download.browser.chromium import is_rendered_when_needed
from crawler.failures import CrawlTimeOver, failure_reason
from crawler.job import Job
from crawler.lists.link_list import LinkList
from crawler.meta import ENTRY, SHOWN
from crawler.pages.outcomes import Outcome, Text
from crawler.pages.reading import was_rendered
from crawler.pages.stylesheets import Download
from crawler.pages.two_readings import ANSWERED, join_readings, missing_chars, with_unread
from crawler.spiders.entries import LOOK
from crawler.spiders.requests import RequestBuilder
from storage.frontier.interface import Entry
from system.errors import PindnaError
from system.sites import host_of, site_of_host

# Reads a rendered response as a text, with its further parts.
Read = Callable[[Response], Awaitable[Outcome]]

DAY_S = 24 * 3600
_FIRST_SAMPLES = 2  # number of first texts of a host that are rendered as samples
_SAMPLE_EACH = 50  # one in this many further texts is rendered as a sample
_MIN_MISSING = 100  # minimum Han characters that only the browser shows for a host that needs it
_SCRIPT = re.compile(rb"<script", re.IGNORECASE)
_MIN_LINKS = 3  # minimum number of texts that a list names only in the browser, for a host that needs it

logger = logging.getLogger(__name__)


class BrowserReading:
    """Renders pages of a job in the browser if needed.

    Args:
        job: the crawl.
        requests: builds the requests.
        download: sends a request through the crawl's middlewares.
    """

    def __init__(self, job: Job, requests: RequestBuilder, download: Download) -> None:
        self._job = job
        self._requests = requests
        self._download = download
        self._is_on = is_rendered_when_needed(job.source, job.settings)
        self._texts: Counter[str] = Counter()  # host → number of texts
        self._needing: set[str] = set()  # hosts with much more text in the browser
        self._lists: Counter[str] = Counter()  # host → number of lists with scripts
        self._needing_for_lists: set[str] = set()  # hosts whose lists name more texts in the browser

    async def improve(self, outcome: Outcome, response: Response, read: Read) -> Outcome:
        """Return the outcome of a page, read again in the browser if that may find more.

        Args:
            outcome: of the page without a browser.
            response: of the page.
            read: reads the response of the browser.
        """
        entry: Entry | None = response.meta.get(ENTRY)
        if not self._is_on or not isinstance(outcome, Text) or entry is None or was_rendered(response):
            return outcome
        host = host_of(response.url)
        self._texts[host] += outcome.is_compared
        has_unread = not ANSWERED.isdisjoint(outcome.record.page.unread)
        is_look = bool(self._job.expected_versions) or entry.note == LOOK
        if not (has_unread or host in self._needing or is_look or self._is_sample(host, outcome)):
            return outcome
        rendered = await self._rendered(response, read, is_look=is_look)
        if rendered is None or not (rendered.is_compared or rendered.response_url == outcome.response_url):
            return with_unread(outcome, "scripts", 1) if host in self._needing and not has_unread else outcome
        if not has_unread and missing_chars(rendered.record.page, outcome.record.page) >= _MIN_MISSING:
            self._needing.add(host)
        self._job.counts["rendered"] += 1
        return join_readings(outcome, rendered, max_rest_chars=self._job.settings.max_rest_chars)

    async def shown_list(self, response: Response, links: LinkList) -> Response | None:
        """Return a list as the browser shows it, if that may name more texts; None otherwise.

        Args:
            response: of the list, without a browser.
            links: of that response.
        """
        if SHOWN in response.meta:
            return await self._shown(response)
        if not self._is_on or was_rendered(response) or not _SCRIPT.search(response.body):
            return None
        host = host_of(response.url)
        self._lists[host] += 1
        clues = links.clues
        lacks = not links.texts or clues.has_more or clues.has_pager or clues.total > len(links.texts)
        if not (lacks or host in self._needing_for_lists or self._lists[host] == 1):
            return None
        return await self._shown(response)

    def compare_lists(self, url: str, *, plain: LinkList, shown: LinkList) -> None:
        """Remember whether the lists of a host name more texts in the browser."""
        new = {link.url for link in shown.texts} - {link.url for link in plain.texts}
        if len(new) >= _MIN_LINKS:
            self._needing_for_lists.add(host_of(url))

    async def request_for_part(self, url: str, before: Response) -> Request:
        """Return the request for a further part of a rendered text."""
        if await self._may_render(host_of(url)):
            return self._requests.for_rendering(url, previous_url=before.url)
        return self._requests.for_part(url, previous_url=before.url)

    def _is_sample(self, host: str, outcome: Text) -> bool:
        """Return whether a complete page is rendered as a sample."""
        number = self._texts[host]
        return outcome.is_compared and (number <= _FIRST_SAMPLES or number % _SAMPLE_EACH == 0)

    async def _may_render(self, host: str, *, is_look: bool = False) -> bool:
        """Return whether another page of the site may be rendered today; looks have a separate limit."""
        job = self._job
        name = f"rendered{':looks' if is_look else ''}:{site_of_host(host)}"
        is_left = await job.store(job.pace.spend, name, most=job.settings.max_rendered_pages, seconds=DAY_S)
        job.counts["not_rendered"] += not is_left
        return is_left

    async def _rendered(self, response: Response, read: Read, *, is_look: bool) -> Text | None:
        """Return the rendered page; None if rendering fails."""
        shown = await self._shown(response, is_look=is_look)
        if shown is None:
            return None
        try:
            outcome = await read(shown)
        except (PindnaError, CrawlTimeOver):
            raise
        except Exception as error:  # noqa: BLE001 - a further part may raise anything; the first reading stays
            logger.info("a rendered page could not be read: %s", failure_reason(error))
            return None
        return outcome if isinstance(outcome, Text) else None

    async def _shown(self, response: Response, *, is_look: bool = False) -> Response | None:
        """Return a page as the browser shows it; None if that fails. Each page is rendered at most once."""
        if SHOWN not in response.meta:
            may_render = await self._may_render(host_of(response.url), is_look=is_look)
            response.meta[SHOWN] = await self._render(response) if may_render else None
        shown: Response | None = response.meta[SHOWN]
        return shown

    async def _render(self, response: Response) -> Response | None:
        request = self._requests.for_rendering(response.url, previous_url=response.url)
        try:
            shown = await self._download(request)
        except CrawlTimeOver:
            raise
        except PindnaError as error:
            if self._job.fatal is not None:
                raise
            self._is_on = False  # stop rendering, because the browser does not start
            logger.warning("continuing without a browser: %s", error)
            return None
        except Exception as error:  # noqa: BLE001 - a download may raise anything; the first reading stays
            logger.info("a page could not be rendered: %s", failure_reason(error))
            return None
        return shown if was_rendered(shown) else None
