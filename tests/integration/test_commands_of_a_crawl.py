"""How many commands a crawl costs the database: pages that are under way together are stored together."""

from collections import Counter

import pytest
from support.strategies import story
from support.strict_mongo import strict_mongo
from support.webserver import anchors

from storage.records import Source
from system.urls import host_and_port

pytestmark = pytest.mark.services
PAGES = 100
MOST = 3  # commands for a new page; one that is compared costs half a command more


def body(number):
    paragraphs = "".join(f"<p>{story(150, 10 * number + n)}</p>" for n in range(4))
    return (
        f"<html><head><meta charset=utf-8><title>第{number}篇</title></head>"
        f"<body><article><h1>第{number}篇</h1>{paragraphs}</article></body></html>"
    )


@pytest.mark.usefixtures("stores")
def test_crawl_sends_few_commands_a_page(settings, site, crawl):
    site.pages["/"] = anchors(*((f"/{number}.html", f"第{number}篇") for number in range(PAGES)))
    site.pages |= {f"/{number}.html": body(number) for number in range(PAGES)}
    source = Source(name="a", kind="news", start_urls=(f"{site.url}/",), follow=r"/\d+\.html", delay_s=0)
    url = settings.storage.mongo_url.get_secret_value()
    with strict_mongo(host_and_port(url, port=27017)) as proxy:
        for scan, counted in (("s1", "pages"), ("s2", "unchanged")):
            proxy.clear()
            _, counts = crawl(source, scan, PINDNA_STORAGE__MONGO_URL=proxy.url_of(url))
            assert counts[counted] == PAGES
            names = Counter(name for name, _ in proxy.commands)
            assert names.total() <= MOST * PAGES, names
