"""Ends a crawl at its time limit, or shortly before the crawl hours of its source end."""

from scrapy import Spider
from scrapy.extensions.closespider import CloseSpider

from crawler.job import job_of


class ClosingExtension(CloseSpider):
    """Scrapy's CloseSpider, which reads the remaining hours when the spider opens.

    The browser and the readers may take long to start.
    """

    def spider_opened(self, spider: Spider) -> None:
        """Set the time limit."""
        self.close_on["timeout"] = job_of(self.crawler).seconds_left(self.close_on["timeout"])
        super().spider_opened(spider)
