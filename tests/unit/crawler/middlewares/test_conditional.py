"""When a 304 may stand for a text, and which validators are sent."""

import asyncio
from types import SimpleNamespace

import pytest
from scrapy import Request
from support.crawl_parts import URL, crawler_of, memory_job

from crawler.meta import CONDITIONAL, VISIT
from crawler.middlewares.conditional import ConditionalMiddleware, is_trusted
from storage.collections.repeats import HostRepeats
from storage.collections.templates import HostTemplate
from storage.records import Visit


def visit_of(**fields):
    defaults = {
        "url": URL,
        "source": "a",
        "state": "there",
        "content_hash": "5f",
        "extraction_version": "7:rules",
        "checks": 1,
        "etag": '"one"',
        "last_modified": "Sun, 01 Mar 2026 08:00:00 GMT",
    }
    return Visit(**{**defaults, **fields})


def is_trusted_visit(**fields):
    return is_trusted(visit_of(**fields), extraction_version="7:rules")


def test_text_that_is_there_and_was_read_by_this_version_is_trusted():
    assert is_trusted_visit()
    assert not is_trusted_visit(state="gone")
    assert not is_trusted_visit(content_hash="")
    assert not is_trusted_visit(extraction_version="6:rules")


def test_every_eighth_check_is_made_without_validators():
    assert [checks for checks in range(17) if not is_trusted_visit(checks=checks)] == [7, 15]


def send(request, visit, *, version=None):
    visits = {visit.url: visit} if visit is not None else {}
    requested = []

    def get_many(urls):
        requested.append(list(urls))
        return visits

    stores = SimpleNamespace(
        visits=SimpleNamespace(get_many=get_many),
        repeats=SimpleNamespace(of_host=lambda _: HostRepeats({}, ())),
        templates=SimpleNamespace(of_host=lambda _: HostTemplate()),
        sheets=SimpleNamespace(last_change=lambda _: None),
    )
    job = memory_job(stores=stores)
    middleware = ConditionalMiddleware.from_crawler(crawler_of(job))

    async def process():
        own = await job.extraction_version_of("site.example")
        if visit is not None:
            object.__setattr__(visit, "extraction_version", version or own)
        await middleware.process_request(request)

    asyncio.run(process())
    return requested


def headers_of(request):
    return request.headers.get("If-None-Match"), request.headers.get("If-Modified-Since")


def test_validators_of_the_last_visit_are_sent():
    request, visit = Request(URL, meta={CONDITIONAL: True}), visit_of()
    assert send(request, visit) == [[URL]]
    assert headers_of(request) == (b'"one"', b"Sun, 01 Mar 2026 08:00:00 GMT")
    assert request.meta[VISIT] is visit


def test_only_validators_that_the_site_gave_are_sent():
    request = Request(URL, meta={CONDITIONAL: True})
    send(request, visit_of(etag="", last_modified="Sun, 01 Mar 2026 08:00:00 GMT"))
    assert headers_of(request) == (None, b"Sun, 01 Mar 2026 08:00:00 GMT")


@pytest.mark.parametrize("visit", [None, visit_of(state="gone")])
def test_redirected_request_loses_the_validators_of_the_address_before(visit):
    old = {"If-None-Match": "old", "If-Modified-Since": "old"}
    request = Request(URL, meta={CONDITIONAL: True}, headers=old)
    send(request, visit)
    assert headers_of(request) == (None, None)
    assert request.meta[VISIT] is visit


def test_page_read_by_another_version_is_requested_in_full():
    request = Request(URL, meta={CONDITIONAL: True})
    send(request, visit_of(), version="an older one")
    assert headers_of(request) == (None, None)


def test_non_text_requests_are_unchanged():
    request = Request(URL, headers={"If-None-Match": "kept"})
    assert send(request, visit_of()) == []
    assert headers_of(request) == (b"kept", None)
    assert VISIT not in request.meta


def test_visit_is_identified_by_the_canonical_address():
    request = Request("http://site.example/?b=1&a=2#x", meta={CONDITIONAL: True})
    assert send(request, visit_of(url="http://site.example/?a=2&b=1")) == [["http://site.example/?a=2&b=1"]]
    assert request.meta[VISIT] is not None
