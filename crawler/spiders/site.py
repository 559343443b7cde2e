"""Whole sites within limits: every page is read, and its links are followed, unless they look like a trap."""

from collections.abc import Iterator

from scrapy.http import Response

from crawler.addresses import canonical, site_of
from crawler.links import matches, site_links
from crawler.outcomes import Done, Same, Text
from crawler.spiders.base import START, entry_of, tree_of
from crawler.spiders.news import NewsSpider
from crawler.traps import Traps, plain
from storage.frontier import Entry


class SiteSpider(NewsSpider):
    """Follows every link of the start addresses' sites."""

    name = "site"
    start_kind = "text"

    def __init__(self, **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self._traps = Traps()
        self._read: set[int] = set()  # 64 bits of each text's hash: 4 MB for 50,000 texts

    async def read(self, entry: Entry, response: Response) -> Done:
        """Read a page, and find where it leads."""
        done = await super().read(entry, response)
        self._traps.note(entry.url, fruitful=self._is_fruitful(done))
        if isinstance(done.outcome, Same) and done.outcome.not_modified:
            return done
        found = tuple(self._links(entry, response)) if entry.depth < self.job.source.max_depth else ()
        return Done(entry, done.outcome, await self.due_among(found))

    def _links(self, entry: Entry, response: Response) -> Iterator[Entry]:
        tree = tree_of(response)
        if tree is None:
            return
        for url in dict.fromkeys(canonical(plain(each)) for each in site_links(tree, url=response.url)):
            if site_of(url) not in self._sites or not self._may_follow(url):
                continue
            reason = self._traps.reason(url)
            if reason is not None:
                self.job.counts[f"trap:{reason}"] += 1
            else:
                yield entry_of(url, "text", priority=-entry.depth - 1, depth=entry.depth + 1)

    def _may_follow(self, url: str) -> bool:
        follow = self.job.source.follow
        return (not follow or matches(follow, url)) and self.is_wanted(url)

    def _is_fruitful(self, done: Done) -> bool:
        """Tell whether a page has a text that no other address brought in this crawl."""
        if isinstance(done.outcome, Same):
            return True
        if not isinstance(done.outcome, Text) or done.outcome.seen.page.state != "fetched":
            return done.entry.note == START
        digest = int(done.outcome.seen.page.content_hash[:16], 16)
        is_new = digest not in self._read
        self._read.add(digest)
        return is_new
