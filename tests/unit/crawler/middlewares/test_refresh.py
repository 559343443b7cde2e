"""Pages that lead on at once, by a header."""

import pytest
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Request
from scrapy.settings import Settings

from crawler.middlewares.refresh import RefreshMiddleware

URL = "http://site.example/1.html"


@pytest.fixture
def middleware():
    settings = Settings({"METAREFRESH_ENABLED": True, "METAREFRESH_MAXDELAY": 5, "REDIRECT_MAX_TIMES": 2})
    return RefreshMiddleware(settings)


@pytest.fixture(autouse=True)
def _crawler(middleware):
    middleware.crawler = type("Crawler", (), {"spider": None})()


def test_immediate_refresh_header_is_a_redirect(middleware):
    answer = HtmlResponse(URL, headers={"Refresh": "0;url=/2.html"}, body=b"<p>")
    request = Request(URL, meta={"key": 1})
    redirected = middleware.process_response(request, answer)
    assert isinstance(redirected, Request)
    assert (redirected.url, redirected.meta["key"]) == ("http://site.example/2.html", 1)


@pytest.mark.parametrize("value", ["5;url=/2.html", "60", ""])
def test_delayed_refresh_header_is_not_a_redirect(middleware, value):
    answer = HtmlResponse(URL, headers={"Refresh": value}, body=b"<p>")
    assert middleware.process_response(Request(URL), answer) is answer


def test_refresh_loop_ends(middleware):
    answer = HtmlResponse(URL, headers={"Refresh": "0;url=/1.html"}, body=b"<p>")
    request = Request(URL)
    for _ in range(2):
        request = middleware.process_response(request, answer)
    with pytest.raises(IgnoreRequest, match="max redirections"):
        middleware.process_response(request, answer)


def test_meta_element_counts_as_before(middleware):
    answer = HtmlResponse(URL, body=b'<meta http-equiv=refresh content="0;url=/2.html">')
    assert middleware.process_response(Request(URL), answer).url == "http://site.example/2.html"
