"""Sends conditional requests: the validators of the last visit, so that unchanged texts are not sent again.

Scrapy's cache policy sends no validators after a no-cache response, so they are stored with the visits. Some
servers always answer 304, so every eighth check is unconditional.
"""

from typing import TYPE_CHECKING

from crawler.addresses import canonical
from crawler.batches import Batches
from crawler.job import job_of
from crawler.meta import CONDITIONAL, VISIT
from system.sites import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from storage.records import Visit

_TRUSTED_CHECKS = 8  # every eighth check is made without validators


class ConditionalMiddleware:
    """Adds If-None-Match and If-Modified-Since, and puts the visit into the request's meta."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._visits: Batches[str, Visit | None] = Batches(self._look_up)

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "ConditionalMiddleware":
        """Build the middleware; the job is known only once the spider is."""
        return cls(crawler)

    async def process_request(self, request: "Request") -> None:
        """Add the validators of the last visit, and remove those of an earlier address."""
        if not request.meta.get(CONDITIONAL):
            return
        for name in ("If-None-Match", "If-Modified-Since"):
            request.headers.pop(name, None)
        job = job_of(self._crawler)
        url = canonical(request.url)
        visit = await self._visits.ask(url)
        request.meta[VISIT] = visit
        if job.expected_versions:  # the takedown watch needs the full page
            return
        if visit is not None and is_trusted(
            visit, extraction_version=await job.extraction_version_of(host_of(url))
        ):
            _add_validators(request, visit)

    async def _look_up(self, urls: "list[str]") -> "list[Visit | None]":
        job = job_of(self._crawler)
        visits = await job.store(job.stores.visits.get_many, urls)
        return [visits.get(url) for url in urls]


def is_trusted(visit: "Visit", *, extraction_version: str) -> bool:
    """Return whether a 304 may confirm the text of a visit."""
    return (
        visit.state == "there"
        and bool(visit.content_hash)
        and visit.extraction_version == extraction_version
        and visit.checks % _TRUSTED_CHECKS != _TRUSTED_CHECKS - 1
    )


def _add_validators(request: "Request", visit: "Visit") -> None:
    for name, value in (("If-None-Match", visit.etag), ("If-Modified-Since", visit.last_modified)):
        if value:
            request.headers[name] = value
