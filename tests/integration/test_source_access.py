"""How a source is reached: through proxies, with its headers and cookies, behind its login."""

import gzip
from urllib.parse import parse_qs, urlsplit

import pytest
from support.crawl_parts import fetched_paths
from support.proxy_site import ProxySite
from support.webserver import Reply, article

from storage.records import Login, Source

pytestmark = pytest.mark.services


def test_requests_go_out_through_healthy_proxies_with_their_headers(crawl, site, monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_PROXY", "geheim")
    good = ProxySite()
    bad = ProxySite()
    bad.default = Reply(status=407)
    try:
        proxies = (f"http://me:${{PINDNA_SECRET_PROXY}}@{urlsplit(good.url).netloc}", bad.url)
        sets = ({"X-Set": "one"}, {"X-Set": "two"})
        urls = tuple(f"{site.url}/{n}" for n in range(8))
        source = Source(
            name="p", kind="urls", start_urls=urls, proxies=proxies, header_sets=sets, obey_robots=False
        )
        _, counts = crawl(source, PINDNA_CRAWLER__CONCURRENT_REQUESTS="1")
    finally:
        good.close()
        bad.close()
    assert site.asked == []
    assert {headers["X-Set"] for _, headers, _ in good.asked} == {"one"}
    assert {headers.get("Proxy-Authorization") for _, headers, _ in good.asked} == {"Basic bWU6Z2VoZWlt"}
    assert len(bad.asked) == 1
    assert (counts["pages"], counts["failed"]) == (7, 1)


def test_proxy_does_not_lead_to_private_addresses(crawl):
    proxy = ProxySite()
    try:
        urls = (
            "http://10.0.0.1/",
            "http://[::1]/",
            "http://0x7f.1/",
            "http://localhost/",
            "file:///etc/passwd",
        )
        source = Source(name="p", kind="urls", start_urls=urls, proxies=(proxy.url,), obey_robots=False)
        allowed = {"PINDNA_CRAWLER__ALLOW_INNER": '["192.168.77.1"]'}
        result, _ = crawl(source, **allowed)
    finally:
        proxy.close()
    assert result.returncode == 2
    assert proxy.asked == []


def test_missing_secret_is_named(crawl, site):
    source = Source(
        name="p", kind="urls", start_urls=(f"{site.url}/",), proxies=("http://${PINDNA_SECRET_NO_SUCH}@h:1",)
    )
    result, _ = crawl(source)
    assert "PINDNA_SECRET_NO_SUCH" in result.stderr
    assert result.stderr.count("\n") == 1


WORD = "geheim"


def members_only(path, headers, body):
    if path == "/login":
        form = "<form method=post action=/enter><input name=user><input name=word>"
        form += "<input type=hidden name=t value=7></form>"
        return Reply(form)
    if path == "/enter":
        good = parse_qs(body.decode()) == {"user": ["me"], "word": [WORD], "t": ["7"]}
        return Reply("欢迎回来", Set_Cookie="session=42; Path=/") if good else Reply("密码错误")
    return article("会员") if "session=42" in headers.get("Cookie", "") else Reply(status=403)


def test_login_form_is_filled_in_first(stores, crawl, site):
    site.default = members_only
    site.pages = {"/robots.txt": Reply(status=404)}
    login = Login(
        url=f"{site.url}/login", fields={"user": "me", "word": "${PINDNA_SECRET_SITE}"}, check="欢迎"
    )
    source = Source(name="m", kind="urls", start_urls=(f"{site.url}/1",), login=login)
    result, _ = crawl(source, PINDNA_SECRET_SITE=WORD)
    assert result.returncode == 0, result.stderr
    assert fetched_paths(stores) == {"/1"}
    for capture in stores.captures.of_url(f"{site.url}/1"):
        warc = gzip.decompress(stores.snapshots.get(capture.sha256).warc)
        assert b"session=42" not in warc.partition(b"WARC-Type: request")[2]


def test_cookies_are_kept_where_the_source_wants_them(crawl, site):
    site.default = lambda path, *_: Reply(article("饼", seed=len(path)), Set_Cookie="seen=1")
    urls = tuple(f"{site.url}/{'x' * n}" for n in range(1, 6))
    crawl(Source(name="b", kind="urls", start_urls=urls, concurrency=1, cookies={"age": "18"}))
    texts = [headers.get("Cookie", "") for path, headers, _ in site.asked if path != "/robots.txt"]
    assert all("age=18" in text for text in texts)
    assert "seen=1" in texts[-1]
