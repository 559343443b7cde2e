"""The parts of rendering that need no browser: heads of messages, addresses, programs, evidence."""

import asyncio
import hashlib
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.exceptions import CannotResolveHostError
from twisted.internet.error import DNSLookupError
from warcio.archiveiterator import ArchiveIterator

from crawler.download.browser.chromium import (
    BrowserMissing,
    browser_path,
    has_driver,
    launch_options,
    require_browser,
)
from crawler.download.forwarding.judging import judge_by
from crawler.download.forwarding.wire import BadHead, closing, read_request
from crawler.download.resolver import REFUSED_NAMES
from crawler.exchange import Received, Rendered
from crawler.failures import PrivateAddress
from crawler.pages.warc import response_record, screenshot_record, seen_again_record
from crawler.pages.warc_reading import read_back
from crawler.program import scrapy_settings
from crawler.sources.definition import BadSource, source_from
from storage.records import Source
from storage.settings import CrawlerSettings

AT = datetime(2026, 5, 1, 12, tzinfo=UTC)


# Heads of messages.


def test_a_tunnel_is_understood():
    head = b"CONNECT news.example:443 HTTP/1.1\r\nProxy-Authorization: Basic cGFnZTpzOmM=\r\n\r\n"
    asked = read_request(head)
    assert (asked.host, asked.port, asked.is_tunnel, asked.user) == (
        "news.example",
        443,
        True,
        ("page", "s:c"),
    )


def test_plain_http_is_passed_on_without_what_is_between_client_and_proxy():
    head = (
        b"POST http://news.example:8080/a?b=c HTTP/1.1\r\nHost: news.example:8080\r\n"
        b"Connection: keep-alive, X\r\n"
        b"Proxy-Authorization: Basic cGFnZTpz\r\nproxy-connection : keep-alive\r\nContent-Length: 3\r\n\r\n"
    )
    asked = read_request(head)
    assert (asked.host, asked.port, asked.body_bytes) == ("news.example", 8080, 3)
    assert asked.head == (
        b"POST /a?b=c HTTP/1.1\r\nHost: news.example:8080\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET https://a.example/ HTTP/1.1\r\n\r\n",
        b"GET ftp://a.example/ HTTP/1.1\r\n\r\n",
        b"GET file:///etc/passwd HTTP/1.1\r\n\r\n",
        b"GET http:///x HTTP/1.1\r\n\r\n",
        b"GET http://a.example:99999/ HTTP/1.1\r\n\r\n",
        b"CONNECT a.example HTTP/1.1\r\n\r\n",
        b"CONNECT a.example:0 HTTP/1.1\r\n\r\n",
        b"CONNECT [::1 HTTP/1.1\r\n\r\n",
        b"GET http://a.example/ HTTP/2\r\n\r\n",
        b"GET http://a.example/ b HTTP/1.1\r\n\r\n",
        b"POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST http://a.example/ HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"GET http://a.example/ HTTP/1.1\r\n" + b"X: y\r\n" * 400 + b"\r\n",
    ],
)
def test_what_is_no_request_to_pass_on_is_refused(head):
    with pytest.raises(BadHead):
        read_request(head)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_refused(noise):
    for head in (
        noise,
        b"GET http://" + noise + b" HTTP/1.1\r\n\r\n",
        b"CONNECT " + noise + b" HTTP/1.1\r\n\r\n",
    ):
        try:
            asked = read_request(head)
        except BadHead:
            continue
        assert asked.host
        assert asked.is_tunnel or asked.head.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("value", ["", "Basic", "Basic ###", "Bearer cGFnZTpz", "Basic /w=="])
def test_nonsense_for_a_password_is_nobody(value):
    head = f"CONNECT a.example:443 HTTP/1.1\r\nProxy-Authorization: {value}\r\n\r\n"
    assert read_request(head.encode()).user in (("", ""), ("", None))


def test_a_response_ends_its_connection():
    status, head = closing(b"HTTP/1.1 206 Partial\r\nConnection: keep-alive\r\nKeep-Alive: 5\r\nX: y\r\n\r\n")
    assert (status, head) == (206, b"HTTP/1.1 206 Partial\r\nX: y\r\nConnection: close\r\n\r\n")
    with pytest.raises(BadHead):
        closing(b"SSH-2.0-OpenSSH\r\n\r\n")


# Addresses.


def judged(host, *, known=None, places=(), is_shut_in=False):
    async def resolve(name):
        if name not in (known or {}):
            raise DNSLookupError(name)
        return known[name]

    return asyncio.run(judge_by(resolve, places=places, is_shut_in=is_shut_in)(host, 80))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "2130706433", "0x7f.1", "::1", "::ffff:10.0.0.1", "localhost", "a.localhost", "10.1.1.1"],
)
def test_inner_literals_are_refused(host):
    with pytest.raises(PrivateAddress):
        judged(host)


def test_a_name_is_what_the_resolver_says():
    assert judged("news.example", known={"news.example": "93.184.216.34"}) == "93.184.216.34"
    with pytest.raises(PrivateAddress):  # should the resolver ever let one through
        judged("inner.example", known={"inner.example": "10.0.0.1"})
    with pytest.raises(CannotResolveHostError):
        judged("no.example")
    REFUSED_NAMES.add("refused.example")
    with pytest.raises(PrivateAddress):
        judged("refused.example")


def test_an_inner_place_is_opened_by_its_name_and_port_only():
    known = {"wiki.inner": "10.0.0.5", "other.inner": "10.0.0.5"}
    places = {("wiki.inner", 80), ("10.0.0.6", 80), ("wiki.inner", 81)}
    assert judged("WIKI.inner", known={"WIKI.inner": "10.0.0.5"}, places=places) == "10.0.0.5"
    assert judged("0x0a.0.0.6", places=places) == "10.0.0.6"
    for host in ("other.inner", "10.0.0.5", "10.0.0.7"):
        with pytest.raises(PrivateAddress):
            judged(host, known=known, places=places)


def test_who_is_shut_in_reaches_nothing_else():
    known = {"wiki.inner": "10.0.0.5", "news.example": "93.184.216.34"}
    places = {("wiki.inner", 80)}
    assert judged("wiki.inner", known=known, places=places, is_shut_in=True) == "10.0.0.5"
    for host in ("news.example", "93.184.216.34", "10.0.0.5"):
        with pytest.raises(PrivateAddress):
            judged(host, known=known, places=places, is_shut_in=True)


# Programs and settings.


def test_a_browser_that_is_named_and_not_there_is_told(tmp_path):
    settings = CrawlerSettings(browser_path=tmp_path / "none")
    assert browser_path(settings) is None
    if not has_driver():
        pytest.skip("no extra “browser”")
    with pytest.raises(BrowserMissing, match=r"none is no program\. Install chromium"):
        require_browser(settings, source="s")


def test_without_the_extra_it_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr("crawler.download.browser.chromium.find_spec", lambda _: None)
    with pytest.raises(BrowserMissing, match=r"pip install 'pindna\[browser\]'"):
        scrapy_settings(CrawlerSettings(), Source(name="s", kind="urls", render=True))


def test_only_rendered_sources_have_the_browsers_handler(monkeypatch, tmp_path):
    program = tmp_path / "chromium"
    program.touch(mode=0o755)
    monkeypatch.setattr("crawler.download.browser.chromium.find_spec", lambda _: True)
    settings = CrawlerSettings(browser_path=program)
    plain = scrapy_settings(settings, Source(name="s", kind="urls"))
    rendered = scrapy_settings(settings, Source(name="s", kind="urls", render=True, screenshot=True))
    assert plain.getdict("DOWNLOAD_HANDLERS")["http"] == "crawler.download.handler.BoundedHTTPHandler"
    handlers = rendered.getdict("DOWNLOAD_HANDLERS")
    assert handlers["http"] == handlers["https"] == "crawler.download.browser.handler.BrowserHandler"
    assert handlers["file"] is None
    assert rendered.getbool("PINDNA_SCREENSHOT")


def test_the_sandbox_is_off_for_root_only(monkeypatch):
    for user, has_sandbox in ((0, False), (1000, True)):
        monkeypatch.setattr("os.geteuid", lambda user=user: user)
        options = launch_options(
            Path("/chromium"), proxy="http://127.0.0.1:1", folder="/x", agent="pindna/0.1"
        )
        assert options["chromium_sandbox"] is has_sandbox
        assert "--no-sandbox" not in options["args"]
        assert set(options["env"]) == {"HOME", "TMPDIR", "PATH", "LANG"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"screenshot": True}, "needs render = true"),
        ({"render": True, "access": {"proxies": ["http://p:1"]}}, "do not go together"),
    ],
)
def test_what_does_not_go_together_is_told(more, told):
    with pytest.raises(BadSource, match=told):
        source_from({"name": "s", "kind": "urls", "urls": ["http://a.example/"], **more}, where="s")


def test_render_and_screenshot_are_read():
    values = {"name": "s", "kind": "urls", "urls": ["http://a.example/"], "render": True, "screenshot": True}
    found = source_from(values, where="s")
    assert (found.render, found.screenshot) == (True, True)


# Evidence.


def exchange():
    return Received(
        url="https://a.example/1.html",
        request=b"GET /1.html HTTP/1.1\r\nHost: a.example",
        status=200,
        head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Archive-Orig-Content-Encoding: gzip",
        payload=b"<script src=x></script>",
        at=AT,
        address="93.184.216.34",
        rendered=Rendered(dom="<p>候鸟".encode(), screenshot=b"\x89PNG", browser="Chromium 1"),
    )


def read(warc):
    return [
        (each.rec_type, each.rec_headers, each.raw_stream.read())
        for each in ArchiveIterator(io.BytesIO(warc))
    ]


def test_what_came_and_what_was_shown_are_read_back():
    received = exchange()
    sha256 = hashlib.sha256("<p>候鸟".encode()).hexdigest()
    found = read_back(response_record(received), sha256=sha256)
    assert (found.body, found.document) == ("<p>候鸟".encode(), b"<script src=x></script>")
    assert found.request.startswith(b"GET /1.html")


def test_the_records_of_one_exchange_name_each_other_whenever_they_are_written():
    received = exchange()
    response, _, conversion = read(response_record(received))
    ((kind, headers, image),) = read(screenshot_record(received, b"\x89PNG"))
    assert (kind, image) == ("resource", b"\x89PNG")
    named = response[1].get_header("WARC-Record-ID")
    assert named == conversion[1].get_header("WARC-Refers-To") == headers.get_header("WARC-Concurrent-To")
    sha256 = hashlib.sha256(b"\x89PNG").hexdigest()
    assert read_back(screenshot_record(received, b"\x89PNG"), sha256=sha256).body == b"\x89PNG"


def test_a_page_that_looks_as_before_is_kept_as_it_came():
    warc = seen_again_record(exchange(), sha256="ab", first_url="https://a.example/0.html", first_fetched=AT)
    response, request, told = read(warc)
    assert [each[0] for each in (response, request, told)] == ["response", "request", "metadata"]
    assert response[2] == b"<script src=x></script>"
    assert told[1].get_header("WARC-Refers-To") == response[1].get_header("WARC-Record-ID")
    assert b"rendered: sha256:ab\r\nkept-with: https://a.example/0.html\r\nkept-since: 2026-05-01" in told[2]
