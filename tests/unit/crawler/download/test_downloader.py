"""The number of requests to a site that are under way at once."""

from collections import deque

from scrapy import Request
from scrapy.core import downloader as scrapy_downloader
from scrapy.core.downloader import Slot
from twisted.internet.defer import Deferred

from crawler.download.downloader import BoundedDownloader


def test_no_more_requests_leave_the_queue_together_than_may_be_under_way(monkeypatch):
    started = []
    monkeypatch.setattr(scrapy_downloader, "_schedule_coro", started.append)
    requests = [Request(f"http://a.example/{number}") for number in range(5)]
    slot = Slot(concurrency=2, delay=0.0, jitter=0.0)
    slot.queue = deque((request, Deferred()) for request in requests)
    BoundedDownloader._process_queue(object.__new__(BoundedDownloader), slot)
    assert slot.transferring == set(requests[:2])
    assert [request for request, _ in slot.queue] == requests[2:]
    for coroutine in started:
        coroutine.close()
