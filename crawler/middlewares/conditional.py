"""Asks only for what changed: sends the validators of the stored version with requests for texts.

Scrapy's own cache policy sends none when the response said no-cache, so the validators are kept with the
pages. A text that was joined from several responses is always fetched anew: its first part may stay while
a later one changes.
"""

from typing import TYPE_CHECKING, Final

from crawler.addresses import canonical

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from crawler.job import Job
    from storage.records import Page

CONDITIONAL: Final = "pindna_conditional"  # meta: this request may be answered with 304
KNOWN_PAGE: Final = "pindna_known_page"  # meta: id of the stored version that 304 confirms
_TEXTS: Final = frozenset({"article", "chapter"})


class ConditionalMiddleware:
    """Adds If-None-Match and If-Modified-Since."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "ConditionalMiddleware":
        """Build the middleware; the job is known only once the spider is."""
        return cls(crawler)

    async def process_request(self, request: "Request") -> None:
        """Add the validators of the newest stored version, and take away those of another address."""
        if not request.meta.get(CONDITIONAL):
            return
        for name in ("If-None-Match", "If-Modified-Since"):
            request.headers.pop(name, None)
        request.meta.pop(KNOWN_PAGE, None)
        job: Job = self._crawler.spider.job  # type: ignore[union-attr]
        page = await job.store(job.stores.pages.newest, canonical(request.url))
        if page is not None and page.kind in _TEXTS and len(page.snapshots) == 1:
            _add_validators(request, page)


def _add_validators(request: "Request", page: "Page") -> None:
    for name, value in (("If-None-Match", page.etag), ("If-Modified-Since", page.last_modified)):
        if value:
            request.headers[name] = value
            request.meta[KNOWN_PAGE] = page.id
