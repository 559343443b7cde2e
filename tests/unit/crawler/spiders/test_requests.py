"""Requests: what each carries along, and that every entry has one."""

import pytest
from scrapy.http.request import NO_CALLBACK

from crawler.meta import CONDITIONAL, ENTRY, REFERRER, RENDER, SKIP_REASON
from crawler.spiders.entries import entry_of
from crawler.spiders.requests import RequestBuilder
from storage.records import Source

OWN, ELSEWHERE = "http://site.example/1", "http://other.example/1"


def builder(**fields):
    return RequestBuilder(Source(name="a", kind="news", start_urls=(OWN,), **fields))


def request_of(url, kind="text", **fields):
    def answer():
        """Stand for the spider's method."""

    return builder(**fields).for_entry(entry_of(url, kind), callback=answer, errback=answer)


def test_texts_may_be_answered_with_not_modified_and_lists_may_not():
    text, index = request_of(OWN), request_of(OWN, "index")
    assert (text.meta[CONDITIONAL], text.meta["handle_httpstatus_list"]) == (True, [304])
    assert CONDITIONAL not in index.meta
    assert text.meta[ENTRY] == entry_of(OWN, "text")
    assert text.dont_filter
    assert text.callback is text.errback is not None


def test_cookies_of_a_source_go_only_to_its_sites(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_AGE", "18")
    cookies = {"age": "${PINDNA_SECRET_AGE}"}
    assert request_of(OWN, cookies=cookies).cookies == {"age": "18"}
    assert not request_of(ELSEWHERE, cookies=cookies).cookies
    assert not request_of(OWN).cookies


@pytest.mark.parametrize(("kind", "rendered"), [("text", "text"), ("index", "index"), ("sitemap", None)])
def test_pages_are_rendered_where_the_source_says_so_and_sitemaps_never(kind, rendered):
    assert request_of(OWN, kind, render=True).meta[RENDER] == rendered
    assert request_of(OWN, kind).meta[RENDER] is None


def test_unrequestable_address_gets_a_request_that_ends_its_entry():
    request = request_of("no-scheme")
    assert request.meta[SKIP_REASON] == "address"
    assert request.meta[ENTRY] == entry_of("no-scheme", "text")
    assert SKIP_REASON not in request_of(OWN).meta


def test_request_for_the_next_page_has_its_referrer():
    request = builder(render=True).for_part(f"{OWN}_2", previous_url=OWN)
    assert (request.headers["Referer"], request.meta[REFERRER]) == (OWN.encode(), OWN)
    assert (request.callback, request.dont_filter) == (NO_CALLBACK, True)
    assert request.meta[RENDER] == "text"
