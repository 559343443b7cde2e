"""Runs a round of the takedown watch: addresses with copies, and neighbours that show if their site works.

No links are followed. Neighbours are pages without copies that were online last time, or the front page if no
such page is known. Their answers are stored as looks, without pages.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from urllib.parse import urlsplit, urlunsplit

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from crawler.addresses import canonical
from crawler.lists.link_list import LinkList
from crawler.meta import SKIP_REASON
from crawler.pages.looks import Observation, observation_of, observation_of_front_page
from crawler.pages.outcomes import EntryResult, FailedFetch, Outcome, Text
from crawler.pages.storing import store_neighbour
from crawler.spiders.base import SourceSpider
from crawler.spiders.entries import FRONT, LOOK, NEIGHBOUR, entry_of
from storage.collections.match_addresses import neighbours_on
from storage.frontier.interface import Entry
from storage.records import Visit
from system.errors import PindnaError
from system.sites import host_of

_SEEN = "seen"  # skip reason: the look of this round is already stored
_NEIGHBOURS = 2  # maximum number of neighbours per host


class WatchSpider(SourceSpider):
    """Requests the addresses of one round."""

    name = "watch"
    start_kind = "text"

    def start_entries(self) -> Iterator[Entry]:
        """Yield the addresses of the round."""
        for url in self.job.expected_versions:
            yield entry_of(url, "text", note=LOOK)

    async def push_known(self) -> None:
        """Push the neighbours of each host; they are requested last."""
        job = self.job
        self._visits: dict[str, Visit] = {}
        for front, urls in _by_host(job.expected_versions).items():
            neighbours = await job.store(
                neighbours_on, job.stores, host_of(front), without=urls, count=_NEIGHBOURS
            )
            self._visits |= {visit.url: visit for visit in neighbours}
            entries = [entry_of(visit.url, "text", priority=-1, note=NEIGHBOUR) for visit in neighbours]
            await job.store(job.frontier.push, entries or [entry_of(front, "text", priority=-1, note=FRONT)])

    def entries_from(self, entry: Entry, links: LinkList) -> Iterable[Entry]:  # noqa: ARG002 - nothing is followed
        """Return nothing, because every address is a text."""
        return ()

    def allowed_targets(self, response: Response, entries: Sequence[Entry]) -> tuple[Entry, ...]:  # noqa: ARG002
        """Return nothing, because a look is about one address."""
        return ()

    def request_for(self, entry: Entry) -> Request:
        """Return the request for an entry; an entry whose look is stored ends without a request."""
        request = super().request_for(entry)
        if entry.note == LOOK and canonical(entry.url) in self.job.checked_urls:
            request.meta[SKIP_REASON] = _SEEN
        return request

    async def read_page(self, entry: Entry, response: Response) -> EntryResult:
        """Read the page of an address; store the look of a neighbour."""
        outcome = await self._texts.outcome_of(response)
        if entry.note != LOOK:
            await self._keep_neighbour(entry, outcome)
            return EntryResult(entry)
        return EntryResult(entry, await self.without_error_page(outcome, response))

    async def end_failed(self, failure: Failure) -> AsyncIterator[EntryResult]:
        """End an entry that could not be fetched."""
        async for result in super().end_failed(failure):
            if result.outcome is None or (
                isinstance(result.outcome, FailedFetch) and result.outcome.reason == _SEEN
            ):
                yield EntryResult(result.entry)
                continue
            if result.entry.note == LOOK:
                yield result
                continue
            try:
                await self._keep_neighbour(result.entry, result.outcome)
            except PindnaError:  # the job stores the error, and the round ends
                return
            yield EntryResult(result.entry)

    async def _keep_neighbour(self, entry: Entry, outcome: Outcome) -> None:
        """Store the look of a neighbour."""
        url = canonical(entry.url)
        visit = self._visits.get(url)
        sight = observation_of(outcome, visit) if visit else await self._sight_of_front(outcome)
        page_id = visit.page_id if visit else ""
        await self.job.store(store_neighbour, self.job, outcome, sight, url=url, page_id=page_id)

    async def _sight_of_front(self, outcome: Outcome) -> Observation:
        """Return the observation of a front page; unreachable if the site answers every address with it."""
        answers_all = isinstance(outcome, Text) and await self._error_pages.is_answered_for_all(outcome)
        return observation_of_front_page(outcome, answers_all=answers_all)


def _by_host(urls: Iterable[str]) -> dict[str, set[str]]:
    """Return the addresses of each host, by its front page."""
    hosts: dict[str, tuple[str, set[str]]] = {}
    for url in urls:
        parts = urlsplit(url)
        front = urlunsplit((parts.scheme, parts.netloc, "/", "", ""))
        hosts.setdefault(host_of(url), (front, set()))[1].add(url)
    return dict(hosts.values())
