"""How a crawl behaves towards a site: its pace, robots.txt, and a site that refuses us."""

import time
from datetime import timedelta

import pytest
from support.crawl_parts import fetched_paths
from support.webserver import Reply, article

from storage.records import Source, utc_now

pytestmark = pytest.mark.services


def test_robots_txt_and_its_crawl_delay_hold_for_every_request(stores, crawl, site):
    site.pages = {f"/{n}": article(f"第{n}", seed=n) for n in range(4)}
    site.pages["/robots.txt"] = Reply("User-agent: *\nCrawl-delay: 1\nDisallow: /3\n", kind="text/plain")
    urls = tuple(f"{site.url}/{n}" for n in range(4))
    before = time.monotonic()
    _, counts = crawl(Source(name="polite", kind="urls", start_urls=urls))
    assert time.monotonic() - before > 2
    assert fetched_paths(stores) == {"/0", "/1", "/2"}
    agent = site.asked[0][1]["User-Agent"]
    assert agent.startswith("pindna/")
    assert counts["failed:robots"] == 1


def test_long_retry_after_pauses_the_source_until_then(stores, crawl, site):
    site.pages = {f"/{n}": Reply(status=429, Retry_After="86400") for n in range(30)}
    result, _ = crawl(Source(name="u", kind="urls", start_urls=tuple(f"{site.url}/{n}" for n in range(30))))
    assert result.returncode == 4
    assert "refused access (http-429). The source pauses until" in result.stderr
    pause = stores.health.get("u").paused_until - utc_now()
    assert timedelta(hours=23) < pause <= timedelta(hours=24)
    assert len(site.paths()) < 20


def test_ban_is_recognised_and_pauses_the_source_instead_of_hammering_it(stores, crawl, site):
    captcha = "<title>安全验证</title><body>请输入验证码<input name=captcha>拖动滑块完成验证</body>"
    site.default = Reply(captcha)
    site.pages = {"/robots.txt": Reply(status=404)}
    urls = tuple(f"{site.url}/{n}.html" for n in range(200))
    result, _ = crawl(Source(name="u", kind="urls", start_urls=urls))
    assert result.returncode == 4
    assert "(blocked)" in result.stderr
    assert len(site.paths()) < 60
    health = stores.health.get("u")
    assert (health.pause_reason, health.pauses) == ("blocked", 1)
    assert [(alert.kind, alert.detail) for alert in stores.health.open_alerts()] == [("blocked", "blocked")]
