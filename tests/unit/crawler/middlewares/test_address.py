"""Requests to private addresses do not leave, whoever led to them."""

import pytest
from scrapy import Request
from support.crawl_parts import crawler_of, memory_job

from crawler.failures import AddressTooLong, PrivateAddress
from crawler.meta import REFERRER, SEARCH
from crawler.middlewares.address import AddressMiddleware
from storage.records import Discovery, Source
from storage.settings import CrawlerSettings

OWN, ELSEWHERE = "http://10.0.0.5/1", "http://x.example/1"


def send(url, *, allow_inner=(), **meta):
    search = Discovery(engine="http://10.0.0.6/search")
    source = Source(name="a", kind="discovery", start_urls=(OWN,), discovery=search)
    job = memory_job(source, settings=CrawlerSettings(allow_inner=allow_inner))
    AddressMiddleware.from_crawler(crawler_of(job)).process_request(Request(url, meta=meta))


@pytest.mark.parametrize("url", [ELSEWHERE, "https://x.example:8443/1"])
def test_public_sites_may_be_requested(url):
    send(url)


@pytest.mark.parametrize(
    "url", [OWN, "http://[::1]/", "http://0x7f.1/", "http://localhost/", "ftp://x.example/"]
)
def test_private_addresses_and_other_schemes_are_refused(url):
    with pytest.raises(PrivateAddress):
        send(url)


def test_private_address_needs_both_the_setting_and_the_source():
    allowed = {"allow_inner": ("10.0.0.5",)}
    send(OWN, **allowed)
    with pytest.raises(PrivateAddress):
        send("http://10.0.0.6/search", **allowed)
    send(f"{OWN}/2", **allowed, **{REFERRER: OWN})


@pytest.mark.parametrize(
    "meta",
    [
        {REFERRER: ELSEWHERE},
        {"redirect_urls": [ELSEWHERE]},
        {REFERRER: OWN, "redirect_urls": [OWN, ELSEWHERE]},
    ],
)
def test_page_of_another_site_does_not_lead_to_a_private_address(meta):
    with pytest.raises(PrivateAddress):
        send(OWN, allow_inner=("10.0.0.5",), **meta)


def test_only_a_search_reaches_the_search_engine():
    allowed = {"allow_inner": ("10.0.0.6",)}
    send("http://10.0.0.6/search?q=1", **allowed, **{SEARCH: True})
    with pytest.raises(PrivateAddress):
        send("http://10.0.0.6/search?q=1", **allowed)


def test_address_has_a_bound():
    start = "http://x.example/"
    send(start + "x" * (2_000 - len(start)))
    with pytest.raises(AddressTooLong):
        send(start + "x" * (2_001 - len(start)))
