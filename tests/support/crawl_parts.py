"""Parts of a crawl in one process, over a frontier in memory; and what a crawl left in a real database."""

from types import SimpleNamespace
from urllib.parse import urlsplit

from scrapy.signalmanager import SignalManager

from crawler.job import Job
from crawler.program import scrapy_settings
from storage.collections.repeats import HostRepeats, Repeat
from storage.collections.templates import HostTemplate
from storage.collections.visits import KnownAddress
from storage.frontier.memory import MemoryFrontier, MemoryPace
from storage.records import Source
from storage.settings import CrawlerSettings
from system.sites import host_of

URL = "http://site.example/1.html"


def memory_job(source=None, *, settings=None, max_texts=9, stores=None, **fields):
    """A job of a source, by default of one address; it has no database."""
    return Job(
        source=source or Source(name="a", kind="urls", start_urls=(URL,)),
        scan_id="s1",
        crawl_id="s1:a",
        database=stores,
        frontier=MemoryFrontier(max_texts=max_texts),
        pace=MemoryPace(),
        settings=settings or CrawlerSettings(),
        **fields,
    )


def crawler_of(job, spider=None, *, engine=None, stats=None):
    """What middlewares, scheduler and pipelines see of Scrapy's crawler."""
    crawler = SimpleNamespace(
        spider=spider or SimpleNamespace(job=job),
        settings=scrapy_settings(job.settings, job.source),
        signals=SignalManager(),
        engine=engine,
        stats=SimpleNamespace(inc_value=lambda *_, **__: None, get_value=(stats or {}).get),
    )
    crawler.spider.crawler = crawler
    return crawler


class DirectReaders:
    """Readers without processes of their own: questions are answered where they are asked."""

    hostile_hosts = 0

    async def ask(self, question):
        return question.answer()

    def is_over_budget(self, _url):
        return False


NO_TEMPLATE = HostTemplate()


def repeating(*hashes, asked=None, sheets_changed=None, template=NO_TEMPLATE):
    """Stores of which every host repeats some sentences; there is no mother work.

    Args:
        hashes: of these sentences.
        asked: notes who was asked for.
        sheets_changed: when a style sheet last did.
        template: of every host.
    """

    def of_host(host):
        if asked is not None:
            asked.append(host)
        repeats = tuple(Repeat(id=str(key), hash=key, text="", texts=9, checked=0) for key in hashes)
        return HostRepeats({}, repeats)

    return SimpleNamespace(
        repeats=SimpleNamespace(of_host=of_host, learn=lambda *_, **__: None),
        templates=SimpleNamespace(of_host=lambda _: template, learn=lambda *_, **__: None),
        sheets=SimpleNamespace(
            last_change=lambda _host: sheets_changed, get_many=lambda _urls: {}, save=lambda _sheet: None
        ),
        versions=SimpleNamespace(current=lambda: 0),
        works=SimpleNamespace(all=list),
    )


def visit_dates(*, matching=(), **dates):
    """Stores that know of visits: (due, checked) by address; nothing repeats, no style sheet is kept.

    Args:
        matching: addresses whose text has a match.
        **dates: by address.
    """
    known = [KnownAddress(url, url, due, checked) for url, (due, checked) in dates.items()]
    return SimpleNamespace(
        **vars(repeating()),
        visits=SimpleNamespace(
            dates_of=lambda urls: {url: dates[url] for url in urls if url in dates},
            get=lambda _: None,
            addresses_of=lambda _: iter(known),
            addresses_among=lambda _, urls: (address for address in known if address.url in urls),
            hosts_of=lambda _: [host_of(address.url) for address in known],
        ),
        matches=SimpleNamespace(pages_on_sites=lambda _: ((url, url) for url in matching)),
    )


def event_paths(stores, scan):
    """What happened in a scan: kind and path of each event."""
    return sorted((event.kind, urlsplit(event.url).path) for event in stores.page_events.of_scan(scan))


def fetched_paths(stores):
    """Paths of the pages that were fetched."""
    return {urlsplit(page.url).path for page in stores.pages.all() if page.state == "fetched"}
