"""What a source decides over the project's settings."""

import pytest

from crawler.program import scrapy_settings
from storage.records import Source
from storage.settings import CrawlerSettings


@pytest.mark.parametrize(("concurrency", "throttled", "at_once"), [(None, True, 4), (9, False, 9)])
def test_autothrottle_is_for_sources_that_do_not_say_how_many_requests_at_once(
    concurrency, throttled, at_once
):
    source = Source(name="s", kind="urls", start_urls=("http://x.example/",), concurrency=concurrency)
    found = scrapy_settings(CrawlerSettings(), source)
    assert found.getbool("AUTOTHROTTLE_ENABLED") is throttled
    assert found.getint("CONCURRENT_REQUESTS_PER_DOMAIN") == at_once
