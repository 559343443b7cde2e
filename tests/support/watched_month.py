"""Days of a simulated clock: sites that are scanned daily and watched, without processes or a network.

The pages are read as the crawler reads them, and stored by the steps that it stores them by; only the way of
the bytes is short.
"""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse
from support.crawl_parts import DirectReaders, memory_job
from support.watched import compare_all

from analysis.watch.enrolling import follow_events
from analysis.watch.rounds import run_rounds, take_due
from crawler.addresses import canonical
from crawler.extraction import PageContext
from crawler.meta import VISIT
from crawler.pages.looks import observation_of
from crawler.pages.outcomes import FailedFetch, UnchangedText
from crawler.pages.reading import failed_outcome, read_text
from crawler.pages.storing import store_neighbour, store_outcomes
from storage.collections.match_addresses import addresses_with_match, neighbours_on
from storage.collections.stores import Stores
from storage.records import Source, utc_now
from storage.settings.results import AnalysisSettings, WatchSettings
from system.sites import host_of
from tracker.comparison import Corpus

Answer = tuple[int, str]  # status, and the body; of a redirect the address


@dataclass
class Month:
    """The clock, the web and the database.

    Attributes:
        web: the answers by address; what is not there answers 404.
        down: hosts that answer 503 to everything, and those that answer 404.
        listed: the addresses that each source's catalogue names.
        seen: what a story notes on its way.
        asked: how many requests there were.
    """

    stores: Stores
    corpus: Corpus
    now: datetime
    web: dict[str, Answer] = field(default_factory=dict)
    down: dict[str, int] = field(default_factory=dict)
    listed: dict[str, list[str]] = field(default_factory=dict)
    rules: WatchSettings = field(default_factory=WatchSettings)
    seen: dict[str, str] = field(default_factory=dict)
    asked: int = 0
    _has_new: bool = False

    @property
    def settings(self) -> AnalysisSettings:
        return AnalysisSettings(watch=self.rules)

    def get(self, url: str) -> tuple[int, str, str]:
        """Return status, body and the address that answered."""
        self.asked += 1
        status = self.down.get(host_of(url), 0)
        if status:
            return status, "", url
        status, body = self.web.get(url, (404, ""))
        if status in {301, 302}:
            target = urljoin(url, body)
            return (*self.web.get(target, (404, "")), target)
        return status, body, url

    def outcome(self, url: str, job):
        """Ask for an address and read what it answers."""
        status, body, answered = self.get(url)
        names = {"source": job.source.name, "scan_id": job.scan_id}
        if status != 200:
            return failed_outcome(url, **names, reason=f"http-{status}", status=status)
        visit = self.stores.visits.get(canonical(answered))
        meta = {VISIT: visit, **({"redirect_urls": [url]} if answered != url else {})}
        response = HtmlResponse(
            answered, body=body.encode(), encoding="utf-8", request=Request(answered, meta=meta)
        )
        outcome = asyncio.run(
            read_text(
                response,
                **names,
                fetch=_nothing,
                is_text=_is_text,
                readers=DirectReaders(),
                context_of=_context_of,
                extraction_version="1",
            )
        )
        if isinstance(outcome, (FailedFetch, UnchangedText)):
            return outcome
        page = replace(outcome.record.page, first_seen=self.now, last_seen=self.now, fetched=self.now)
        return replace(outcome, record=replace(outcome.record, page=page))

    def _job(self, source: str, scan_id: str, **fields):
        job = memory_job(
            Source(name=source, kind="urls"), stores=self.stores, clock=lambda: self.now, **fields
        )
        job.scan_id = scan_id
        return job

    def scan(self) -> None:
        """Do the daily job: what catalogues name, and every address with a match."""
        for source, listed in self.listed.items():
            job = self._job(source, f"{source} {self.now:%d}")
            known = [address.url for address in addresses_with_match(self.stores, source)]
            urls = dict.fromkeys([*listed, *known])
            self._store(job, urls)
        self._compare_new()

    def ask(self, round_id: str, source: str) -> bool:
        """Ask for a round, as the crawler process does."""
        rows = self.stores.watches.of_round(round_id)
        job = self._job(source, round_id, expected_versions={row.url: row.page_id for row in rows})
        self._store(job, [row.url for row in rows])
        for host in {host_of(row.url) for row in rows}:
            urls = {row.url for row in rows}
            for visit in neighbours_on(self.stores, host, without=urls, count=1):
                outcome = self.outcome(visit.url, job)
                sight = observation_of(outcome, visit)
                store_neighbour(job, outcome, sight, url=visit.url, page_id=visit.page_id)
        return True

    def tick(self) -> None:
        """Do what the beat's task does, and compare what was found."""
        follow_events(self.stores, self.rules, now=self.now)
        rounds = take_due(self.stores, self.rules, now=self.now)
        if rounds:
            run_rounds(rounds, self.stores, self.settings, processes=1, ask=self.ask, now=lambda: self.now)
        self._compare_new()

    def _store(self, job, urls) -> None:
        counts = store_outcomes(job, [self.outcome(url, job) for url in urls])
        self._has_new = self._has_new or any(count["pages"] + count["read_again"] for count in counts)
        self._settle_time()

    def _compare_new(self) -> None:
        """Compare the pages that wait; asking for them costs more than a day, so only where there are any."""
        if self._has_new:
            compare_all(self.stores, self.corpus, now=self.now)
        self._has_new = False

    def _settle_time(self) -> None:
        """Pages that were touched have the time of this machine; give them the simulated one."""
        later = {"last_seen": {"$gt": self.now + timedelta(days=200)}}
        self.stores.database["pages"].update_many(later, {"$set": {"last_seen": self.now}})

    def path_states(self, host: str) -> dict[str, str]:
        rows = self.stores.watches.listed()
        return {urlsplit(row.url).path: row.state for row in rows if host_of(row.url) == host}


async def _nothing(*_):
    return None


async def _is_text(_):
    return True


async def _context_of(_):
    return PageContext()


def is_simulated(moment: datetime) -> bool:
    """Return whether a moment is of the simulated clock, which is far from that of any machine."""
    return moment < utc_now() - timedelta(days=200)
