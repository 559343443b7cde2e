"""Stores what spiders yield: the snapshots first, then the page that was taken from them."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from crawler.learning import Learner
from crawler.pages import Seen, Unchanged
from storage.errors import PindnaError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from crawler.job import Job


class StorePipeline:
    """Writes to MongoDB and counts."""

    def __init__(self, crawler: "Crawler") -> None:
        self._crawler = crawler
        self._learner = Learner()

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> "StorePipeline":
        """Build the pipeline; the job is known only once the spider is."""
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """Store a page or note that it is unchanged.

        Raises:
            DropItem: the database refused; the job keeps the error and the crawl ends.
        """
        job: Job = self._crawler.spider.job  # type: ignore[union-attr]
        try:
            if isinstance(item, Seen):
                await _store(job, item)
                if item.page.state == "fetched":
                    self._learner.see(item.page.site, item.page.text, removed=item.repeated)
            elif isinstance(item, Unchanged):
                await job.store(job.stores.pages.touch, [item.page_id], scan_id=job.scan_id)
                job.counts["unchanged"] += 1
        except PindnaError as error:
            raise DropItem("the database refused") from error
        return item

    async def close_spider(self) -> None:
        """Keep what was learnt of the sites; a crawl whose database went away learns again next time."""
        job: Job = self._crawler.spider.job  # type: ignore[union-attr]
        with suppress(PindnaError):  # the job keeps it
            await job.store(self._learner.store, job.stores.repeats)


async def _store(job: "Job", item: Seen) -> None:
    for snapshot in item.snapshots:
        await job.store(job.stores.snapshots.save, snapshot)
    is_new = await job.store(job.stores.pages.see, item.page)
    if item.page.state == "failed":
        job.counts["failed"] += 1
    else:
        job.counts["pages" if is_new else "unchanged"] += 1
