"""Messages of a browser become Scrapy's, and evidence."""

import asyncio
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http.headers import Headers

pytest.importorskip("playwright")

from crawler.download.browser.document import BrowserDocument
from crawler.download.browser.messages import cookies_of, headers_for, received_of, response_fields
from crawler.download.browser.page import BrowserResult
from crawler.download.confidential import ConfidentialValues

HEADERS = (
    ("Content-Type", "text/html; charset=gbk"),
    ("Content-Encoding", "gzip"),
    ("Content-Length", "9"),
    ("X-Title", "渡口"),
    ("X-Latin", "caf\xe9"),
    ("X-Latin", "b"),
)
SENT = b"GET /1 HTTP/1.1\r\nHost: a.example\r\nCookie: x=1\r\nProxy-Authorization: Basic eDp5"
CAME = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=gbk\r\nContent-Encoding: gzip\r\n"
    b"Set-Cookie: a=1\r\nX-Latin: caf\xe9\r\nX-Latin: b"
)
DOCUMENT = BrowserDocument("https://a.example/1", 200, HEADERS, b"<p>", (SENT, CAME))


def test_rendered_page_is_its_dom():
    fields = response_fields(BrowserResult(DOCUMENT, "<p>候鸟\ud800"))
    assert (fields["url"], fields["status"]) == ("https://a.example/1", 200)
    assert fields["body"] == "<p>候鸟?".encode()
    assert fields["headers"]["Content-Type"] == b"text/html; charset=utf-8"
    assert "Content-Encoding" not in fields["headers"]
    assert "Content-Length" not in fields["headers"]
    assert fields["headers"].getlist("X-Latin") == ["caf\xe9".encode(), b"b"]


def test_unrendered_response_is_the_document():
    fields = response_fields(BrowserResult(DOCUMENT))
    assert (fields["body"], fields["headers"]["Content-Type"]) == (b"<p>", b"text/html; charset=gbk")


def test_evidence_is_the_document_with_its_dom():
    result = BrowserResult(DOCUMENT, "<p>候鸟", b"PNG")
    addresses = {("a.example", 443): "93.184.216.34", ("a.example", 80): "93.184.216.35"}
    received = received_of(
        result, addresses=addresses, browser="Chromium 1", confidential=ConfidentialValues()
    )
    assert (received.url, received.status, received.payload) == ("https://a.example/1", 200, b"<p>")
    assert received.address == "93.184.216.34"
    assert received.request == (
        b"GET /1 HTTP/1.1\r\nHost: a.example\r\nCookie: [left out]\r\nProxy-Authorization: [left out]"
    )
    assert received.header_block == (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=gbk\r\n"
        b"X-Archive-Orig-Content-Encoding: gzip\r\nSet-Cookie: [left out]\r\nX-Latin: caf\xe9\r\nX-Latin: b"
    )
    assert received.rendered.dom == "<p>候鸟".encode()
    assert (received.rendered.screenshot, received.rendered.browser) == (b"PNG", "Chromium 1")
    plain = received_of(BrowserResult(DOCUMENT), addresses={}, browser="", confidential=ConfidentialValues())
    assert (plain.rendered, plain.address) == (None, "")


class PageRequest:
    """A request of a page, as Playwright has it."""

    def __init__(self, *, navigates=True, parent=None):
        self.navigates, self.frame = navigates, SimpleNamespace(parent_frame=parent)

    async def all_headers(self):
        return {"accept": "*/*", "user-agent": "Chromium", "cookie": "own=1"}

    def is_navigation_request(self):
        return self.navigates


CRAWL = {"Accept": "text/html", "Cookie": "a=1", "X-Key": "k", "If-None-Match": "e", "Host": "h"}


@pytest.mark.parametrize(
    ("request_", "key"),
    [(PageRequest(), "k"), (PageRequest(navigates=False), None), (PageRequest(parent="frame"), None)],
    ids=["page", "picture", "frame"],
)
def test_only_the_request_for_the_page_has_the_headers_of_the_crawl(request_, key):
    data = {"headers": Headers(CRAWL)}
    headers = asyncio.run(
        headers_for(browser_type_name="chromium", playwright_request=request_, scrapy_request_data=data)
    )
    assert headers.get("x-key") == key
    assert headers["accept"] == ("text/html" if key else "*/*")
    assert headers["cookie"] == "own=1"
    assert not {"if-none-match", "host"} & headers.keys()


def test_only_missing_cookies_are_added_to_a_context():
    class Context:
        async def cookies(self, _url):
            return [{"name": "a"}]

    def cookies(value):
        headers = {"Cookie": value} if value else {}
        return asyncio.run(cookies_of(Request("http://a.example/", headers=headers), Context()))

    assert cookies("a=1; b=2") == [{"name": "b", "value": "2", "url": "http://a.example/"}]
    assert cookies("") == []
