"""Where a page leads by itself."""

import pytest
from scrapy.http import HtmlResponse, Response

from crawler.pages.refreshing import header_refresh, refresh_target

URL = "http://site.example/a/1.html"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0;url=/b.html", (0, "http://site.example/b.html")),
        ("5; URL='2.html'", (5, "http://site.example/a/2.html")),
        ('3;url="http://other.example/"', (3, "http://other.example/")),
        ('1;url="/open', (1, "http://site.example/open")),
        ("1;url=http://[::1", None),
        ("10", None),
        ("", None),
        ("url", None),
    ],
)
def test_header_leads_to_an_address(value, expected):
    response = HtmlResponse(URL, headers={"Refresh": value}, body=b"<p>")
    assert header_refresh(response) == expected
    assert refresh_target(response) == (expected[1] if expected else "")


def test_header_counts_for_files_too_and_more_than_the_meta_element():
    meta = b'<meta http-equiv=refresh content="0;url=/meta.html">'
    assert refresh_target(HtmlResponse(URL, body=meta)) == "http://site.example/meta.html"
    both = HtmlResponse(URL, body=meta, headers={"Refresh": "0;url=/header.html"})
    assert refresh_target(both) == "http://site.example/header.html"
    assert refresh_target(Response(URL, headers={"Refresh": "0;url=/f"})) == "http://site.example/f"
