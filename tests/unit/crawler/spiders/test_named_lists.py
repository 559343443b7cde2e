"""The sitemaps that a robots.txt names."""

from support.crawl_parts import memory_job

from crawler.spiders.named_lists import NamedLists

SITE = "http://a.example"


def sitemaps_of(*named):
    job = memory_job(robots_sitemaps={"a.example": named})
    return [entry.url for entry in NamedLists(job).sitemaps(f"{SITE}/news/")], job.counts


def test_invalid_addresses_of_sitemaps_are_counted_and_valid_ones_read():
    named = ("http://[a/1.xml", "//[", "javascript:1", "/2.xml", f"/{'x' * 9_000}", "http://b.example/3.xml")
    found, counts = sitemaps_of(*named)
    assert found == [f"{SITE}/2.xml"]
    refused = {name: number for name, number in counts.items() if name.startswith("refused:")}
    assert refused == {"refused:not-an-address": 3, "refused:long-address": 1, "refused:list-elsewhere": 1}


def test_usual_address_is_requested_if_no_sitemap_is_named():
    assert sitemaps_of()[0] == [f"{SITE}/sitemap.xml"]
