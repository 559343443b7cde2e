"""Which documents a browser renders, and what it is given of them."""

import base64

import pytest

pytest.importorskip("playwright")

from crawler.download.browser.document import BrowserDocument
from crawler.download.browser.page import _as_redirect, _fulfil_arguments, _is_rendered


def document(*headers, status=200, body=b"<p>"):
    return BrowserDocument("http://a.example/1", status, headers, body, (b"GET /1 HTTP/1.1", b""))


@pytest.mark.parametrize(
    ("headers", "status", "is_rendered"),
    [
        ([("Content-Type", "text/html; charset=gbk")], 200, True),
        ([("content-type", " APPLICATION/XHTML+XML")], 404, True),
        ([], 200, True),
        ([("Content-Type", "text/htmlx")], 200, False),
        ([("Content-Type", "application/pdf")], 200, False),
        ([("Content-Disposition", " Attachment; filename=a")], 200, False),
        ([("Content-Disposition", "inline")], 200, True),
        *(([], status, False) for status in (204, 205, 301, 302, 303, 304, 307, 308)),
    ],
)
def test_pages_are_rendered_and_redirects_and_files_are_not(headers, status, is_rendered):
    assert _is_rendered(document(*headers, status=status)) is is_rendered


def test_browser_receives_the_decoded_body_and_valid_headers():
    headers = (
        ("X-A", "1"),
        ("Content-Encoding", "gzip"),
        ("X B", "2"),
        ("X-C", "3\r\nX-D: 4"),
        ("X-E", "渡"),
    )
    assert _fulfil_arguments(document(*headers, status=404)) == {
        "responseCode": 404,
        "responseHeaders": [{"name": "X-A", "value": "1"}, {"name": "X-E", "value": "渡"}],
        "body": base64.b64encode(b"<p>").decode(),
    }


def test_page_that_only_redirects_is_a_redirect():
    redirect = _as_redirect(document(("X-A", "1")), "http://b.example/")
    assert (redirect.url, redirect.status, redirect.body) == ("http://a.example/1", 302, b"")
    assert redirect.headers == (("Location", "http://b.example/"),)
