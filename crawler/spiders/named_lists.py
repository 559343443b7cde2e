"""The sitemaps and feeds that a site names itself: in its robots.txt, and in its start pages."""

from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import urljoin, urlsplit

from crawler.addresses import canonical, is_web
from crawler.job import Job
from crawler.lists.link_list import Link, absolute_links
from crawler.spiders.entries import GUESSED, LISTS_FIRST, NAMED, entry_of
from storage.frontier.interface import Entry
from system.sites import host_of, site_of

_USUAL = "/sitemap.xml"
_OTHER_SITE = "refused:list-elsewhere"


class NamedLists:
    """Finds the sitemaps and feeds of the start pages; lists of the source itself replace them.

    Without a sitemap in its robots.txt, the site may have one at the usual address. A site without robots.txt
    is not asked for it.

    Args:
        job: the crawl.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._hosts: set[str] = set()  # whose sitemaps were found
        self._feeds: set[str] = set()

    def sitemaps(self, url: str) -> tuple[Entry, ...]:
        """Return entries for the sitemaps of the site of a start page, once for each host."""
        host = host_of(url)
        if self._job.source.sitemaps or host in self._hosts:
            return ()
        named = self._job.robots_sitemaps.get(urlsplit(url).netloc)
        if named is None:
            return ()
        self._hosts.add(host)
        if not named:
            return (entry_of(urljoin(url, _USUAL), "sitemap", priority=LISTS_FIRST, note=GUESSED),)
        refused = Counter[str]()
        links = absolute_links(url, map(Link, named), refused)
        entries = [entry_of(link.url, "sitemap", priority=LISTS_FIRST, note=NAMED) for link in links]
        self._job.counts.update({f"refused:{reason}": number for reason, number in refused.items()})
        return self._counted(url, entries)

    def feeds(self, url: str, feeds: Iterable[Link]) -> tuple[Entry, ...]:
        """Return entries for the feeds that a start page names."""
        if self._job.source.feeds:
            return ()
        new = [feed.url for feed in feeds if canonical(feed.url) not in self._feeds]
        self._feeds.update(map(canonical, new))
        return self._counted(
            url, (entry_of(target, "feed", priority=LISTS_FIRST, note=NAMED) for target in new)
        )

    def _counted(self, url: str, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        """Return the lists on the same site, and count them and the others."""
        site, kept = site_of(url), list[Entry]()
        for entry in entries:
            if is_web(entry.url) and site_of(entry.url) == site:
                kept.append(entry)
            else:
                self._job.counts[_OTHER_SITE] += 1
        self._job.counts["named_lists"] += len(kept)
        return tuple(kept)


def on_sites(entries: Iterable[Entry], urls: Iterable[str]) -> Iterator[Entry]:
    """Yield the entries on the sites of some addresses."""
    sites = {site_of(url) for url in urls if is_web(url)}
    return (entry for entry in entries if is_web(entry.url) and site_of(entry.url) in sites)
