"""Ends a crawl when its time is up, or before the hours of its source are over, whichever comes first."""

from scrapy import Spider
from scrapy.extensions.closespider import CloseSpider

from crawler.job import job_of


class ClosingExtension(CloseSpider):
    """Scrapy's own, but what is left of the hours is looked at when requests begin.

    A browser and readers may have taken long to start.
    """

    def spider_opened(self, spider: Spider) -> None:
        """Set the time."""
        self.close_on["timeout"] = job_of(self.crawler).seconds_left(self.close_on["timeout"])
        super().spider_opened(spider)
