"""A crawl whose MongoDB reports transient errors stores every page, or ends as if the server were down."""

import pytest
from support.strict_mongo import strict_mongo
from support.webserver import anchors, article

from storage.collections.retrying import WAITS_S
from storage.records import Source
from system.exit_status import ExitStatus
from system.urls import host_and_port

pytestmark = pytest.mark.services
PAGES = 8
TEMPORARILY_UNAVAILABLE, INTERRUPTED, UNKNOWN = 365, 11601, 777_777
COMMANDS = ("insert", "update", "find", "aggregate", "findAndModify", "delete")


@pytest.fixture
def proxy(running_services):
    with strict_mongo(host_and_port(running_services.mongo_url, port=27017)) as proxy:
        yield proxy


@pytest.fixture
def source(site):
    links = anchors(*((f"/{number}.html", f"第{number}篇的题目") for number in range(PAGES)))
    site.pages["/"] = f"<html><meta charset=utf-8><body>{links}</body></html>"
    for number in range(PAGES):
        site.pages[f"/{number}.html"] = article(f"第{number}篇", seed=number)
    return Source(name="x", kind="news", start_urls=(f"{site.url}/",))


@pytest.fixture
def crawl_through(crawl, proxy, running_services):
    return lambda source, scan: crawl(
        source, scan, PINDNA_STORAGE__MONGO_URL=proxy.url_of(running_services.mongo_url)
    )


@pytest.mark.parametrize("code", [TEMPORARILY_UNAVAILABLE, INTERRUPTED, UNKNOWN])
def test_errors_that_pass_cost_no_page(crawl_through, proxy, source, stores, code):
    for command in COMMANDS:
        for form in ("command", "write"):
            proxy.fail(command, code=code, form=form, times=2)
    result, counts = crawl_through(source, "s1")
    assert (result.returncode, counts.get("unstorable", 0), counts["pages"]) == (0, 0, PAGES)
    assert [page.state for page in stores.pages.all()] == ["fetched"] * PAGES
    assert not any(fault.times for fault in proxy.faults if fault.commands <= {"insert", "update", "find"})


def test_error_that_lasts_ends_the_crawl_and_leaves_its_pages(crawl_through, proxy, source, stores):
    fault = proxy.fail("insert", code=TEMPORARILY_UNAVAILABLE, form="write", times=1_000)
    result, _ = crawl_through(source, "s1")
    assert result.returncode == ExitStatus.DOWN
    assert result.stderr.startswith("The crawl stopped because MongoDB")
    assert 1_000 - fault.times > len(WAITS_S)
    assert [page for page in stores.pages.all() if page.state == "failed"] == []
    proxy.clear()
    result, _ = crawl_through(source, "s2")
    assert result.returncode == 0
    assert [page.state for page in stores.pages.all()] == ["fetched"] * PAGES
