"""Entries of the frontier as requests: continuations first, leases as they are worked on, nothing lost."""

from types import SimpleNamespace

import pytest
from scrapy import Request
from support.crawl_parts import URL, crawler_of, memory_job

from crawler import scheduler as module
from crawler.meta import ENTRY, SKIP_REASON
from crawler.scheduler import FrontierScheduler
from crawler.spiders.entries import entry_of
from crawler.spiders.urls import UrlsSpider
from storage.frontier.interface import LeaseBatch
from storage.settings import CrawlerSettings
from system.errors import ServiceDown

DOWN = ServiceDown(service="Redis", address="a", problem="p")


@pytest.fixture
def clock(monkeypatch):
    """The scheduler's time, which stands still until a test moves it."""
    now = SimpleNamespace(s=1_000.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: now.s)
    return now


def scheduler_of(count=0, *, requests=16, **fields):
    settings = CrawlerSettings(concurrent_requests=requests)
    job = memory_job(settings=settings, max_texts=99, **fields)
    job.frontier.push(entry_of(f"{URL}?{number:02}", "text", priority=-number) for number in range(count))
    return FrontierScheduler.from_crawler(crawler_of(job, UrlsSpider(job=job))), job


def take_requests(scheduler, count=99):
    requests = []
    while len(requests) < count and (request := scheduler.next_request()) is not None:
        requests.append(request)
    return requests


def test_entries_come_in_frontier_order_and_are_held_while_in_work():
    scheduler, job = scheduler_of(3)
    requests = take_requests(scheduler)
    assert [request.url for request in requests] == [f"{URL}?{number:02}" for number in range(3)]
    assert job.held_ids == {request.meta[ENTRY].id for request in requests}


def test_number_of_leased_entries_is_bounded_by_the_request_count():
    scheduler, job = scheduler_of(20)
    scheduler.next_request()
    assert len(job.held_ids) == 8
    assert len(take_requests(scheduler)) == 19
    assert len(job.held_ids) == 20


def test_two_entries_are_in_work_for_every_possible_request():
    scheduler, job = scheduler_of(20, requests=3)
    assert len(take_requests(scheduler)) == 6
    job.held_ids.pop()
    job.has_new_entries = True
    assert len(take_requests(scheduler)) == 1


def test_continuations_come_first_in_the_order_of_their_priority():
    scheduler, _ = scheduler_of(2)
    first, urgent, second = (Request(f"http://r.example/{name}") for name in ("1", "u", "2"))
    for request in (first, urgent.replace(priority=10), second):
        assert scheduler.enqueue_request(request)
    assert scheduler.has_pending_requests()
    assert [request.url[-1] for request in take_requests(scheduler, 3)] == ["u", "1", "2"]


def test_empty_frontier_is_polled_every_half_second_or_on_news(clock):
    scheduler, job = scheduler_of()
    assert scheduler.next_request() is None
    job.frontier.push([entry_of(URL, "text")])
    clock.s += 0.49
    assert scheduler.next_request() is None
    clock.s += 0.01
    assert scheduler.next_request() is not None
    assert scheduler.next_request() is None
    job.frontier.push([entry_of(f"{URL}?2", "text")])
    job.has_new_entries = True
    assert scheduler.next_request() is not None


def test_unstarted_entries_are_released_at_the_end():
    scheduler, job = scheduler_of(5)
    scheduler.next_request()
    scheduler.close("finished")
    assert len(job.frontier.lease(9).entries) == 4


def test_nothing_is_released_or_requested_while_a_service_is_down():
    scheduler, job = scheduler_of(5)
    scheduler.next_request()
    job.fatal = DOWN
    scheduler.close("failed")
    assert job.frontier.lease(9).entries == ()
    other, job = scheduler_of(5, fatal=DOWN)
    assert other.next_request() is None
    assert not other.has_pending_requests()


def test_site_that_refuses_access_gets_no_more_requests():
    scheduler, _ = scheduler_of(2, block_reason="http-403")
    assert scheduler.next_request() is None


def test_crawl_is_idle_when_no_process_holds_an_entry():
    scheduler, job = scheduler_of(1)
    assert scheduler.has_pending_requests()  # in the frontier
    (request,) = take_requests(scheduler)
    assert scheduler.has_pending_requests()  # held
    job.frontier.end(request.meta[ENTRY].id, "new")
    assert not scheduler.has_pending_requests()


def test_leased_unstarted_entry_is_pending():
    scheduler, job = scheduler_of(2)
    scheduler.next_request()
    job.fatal = DOWN
    assert scheduler.has_pending_requests()


def raise_down(*_, **__):
    raise DOWN


@pytest.mark.parametrize("name", ["lease", "pending", "release"])
def test_frontier_that_does_not_answer_ends_the_crawl(name):
    scheduler, job = scheduler_of(3)
    if name == "release":
        scheduler.next_request()
    setattr(job.frontier, name, raise_down)
    if name == "lease":
        assert scheduler.next_request() is None
    elif name == "pending":
        assert not scheduler.has_pending_requests()
    else:
        scheduler.close("finished")
    assert job.fatal is DOWN


def test_entry_that_ended_other_processes_is_abandoned_and_held_till_saved():
    scheduler, job = scheduler_of()
    entry = entry_of(URL, "text")
    job.frontier.lease = lambda *_, **__: LeaseBatch((), (entry,))
    request = scheduler.next_request()
    assert (request.meta[SKIP_REASON], request.meta[ENTRY]) == ("gave-up", entry)
    assert job.held_ids == {entry.id}


def test_dangerous_entry_is_worked_on_alone():
    scheduler, job = scheduler_of()
    calls = []
    entry = entry_of(URL, "text")

    def lease(count, *, held):
        calls.append((count, held))
        return LeaseBatch((entry,), (), is_alone=True) if len(calls) == 1 else LeaseBatch((), ())

    job.frontier.lease = lease
    assert scheduler.next_request() is not None
    job.has_new_entries = True
    assert scheduler.next_request() is None
    assert calls == [(8, 0)]
    job.held_ids.clear()
    assert scheduler.next_request() is None
    assert calls == [(8, 0), (8, 0)]


def test_scrapy_asks_the_scheduler_twice_a_second():
    scheduler, job = scheduler_of()
    engine = SimpleNamespace(_SLOT_HEARTBEAT_INTERVAL=5.0)
    FrontierScheduler(crawler_of(job, engine=engine)).open(None)
    assert engine._SLOT_HEARTBEAT_INTERVAL == 0.5
    assert scheduler.next_request() is None
