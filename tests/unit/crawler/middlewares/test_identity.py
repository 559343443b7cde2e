"""Each request goes out with an identity of its source, and nothing of it goes elsewhere."""

import asyncio

import pytest
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, DownloadTimeoutError
from scrapy.http import Response
from support.crawl_parts import URL, crawler_of, memory_job

from crawler.failures import LoginToOtherSite, NoProxyAvailable, ProxyDeniesLogin, ProxyFailed
from crawler.meta import IDENTITY, LOGIN, SEARCH, SOCKS
from crawler.middlewares.identity import BadProxy, IdentityMiddleware, ProxyDeniesAccess
from storage.records import Login, Source
from system.errors import ServiceDown

ELSEWHERE = "http://93.184.216.34/"
PROXY, OTHER = "http://p.example:1", "http://q.example:1"
SOCKS_PROXY = "socks5://me:${PINDNA_SECRET_WORD}@p.example:1080"


@pytest.fixture
def make(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_WORD", "geheim")

    def build(**fields):
        source = Source(name="a", kind="urls", start_urls=(URL, "http://93.184.216.35/"), **fields)
        middleware = IdentityMiddleware.from_crawler(crawler_of(memory_job(source)))
        looked_up = middleware.looked_up = []

        async def look_up(host):
            looked_up.append(host)

        middleware._look_up = look_up
        return middleware

    return build


def send(middleware, url=URL, **options):
    request = Request(url, **options)
    asyncio.run(middleware.process_request(request))
    return request


def test_plain_request_has_the_identity_of_the_crawler(make):
    request = send(make())
    assert request.headers["User-Agent"].startswith(b"pindna/")
    assert b"zh-CN" in request.headers["Accept-Language"]
    assert ("proxy" in request.meta, request.meta["cookiejar"]) == (False, 0)


def test_proxies_and_header_sets_take_turns(make):
    middleware = make(
        proxies=(PROXY, OTHER), header_sets=({"X-Set": "${PINDNA_SECRET_WORD}"}, {"X-Set": "b"})
    )
    requests = [send(middleware) for _ in range(3)]
    assert [request.meta["proxy"] for request in requests] == [PROXY, OTHER, PROXY]
    assert [request.headers["X-Set"] for request in requests] == [b"geheim", b"b", b"geheim"]
    assert [request.meta["cookiejar"] for request in requests] == [0, 1, 0]
    assert middleware.looked_up == ["site.example"] * 3  # a proxy would look the name up itself


def test_login_has_a_single_session_through_all_proxies(make):
    middleware = make(proxies=(PROXY, OTHER), login=Login(url=URL, fields={}, check=""))
    assert [send(middleware).meta["cookiejar"] for _ in range(2)] == [0, 0]


def test_headers_and_cookies_of_a_source_stay_on_its_sites(make):
    middleware = make(header_sets=({"X-Set": "own", "User-Agent": "Browser"},))
    own = send(middleware)
    assert (own.headers["X-Set"], own.headers["User-Agent"]) == (b"own", b"Browser")
    redirected = send(middleware, ELSEWHERE, headers=own.headers, meta=own.meta)
    assert "X-Set" not in redirected.headers
    assert redirected.headers["User-Agent"].startswith(b"pindna/")
    assert redirected.meta["cookiejar"] == "elsewhere-0"


def test_login_is_sent_to_no_other_site(make):
    with pytest.raises(LoginToOtherSite):
        send(make(), ELSEWHERE, method="POST", body=b"word=geheim", meta={LOGIN: True})
    send(make(), ELSEWHERE, meta={LOGIN: True})  # a redirect after the login, without its body
    send(make(), method="POST", body=b"word=geheim", meta={LOGIN: True})


def test_local_search_engine_is_requested_without_a_proxy(make):
    request = send(make(proxies=(PROXY,)), meta={SEARCH: True})
    assert (request.meta["proxy"], IDENTITY in request.meta) == (None, False)


@pytest.mark.parametrize("status", [403, 407, 429, 502, 503, 504])
def test_refused_proxy_pauses_and_the_local_address_does_not_replace_it(make, status):
    middleware = make(proxies=(PROXY, OTHER))
    for _ in range(2):
        request = send(middleware)
        middleware.process_response(request, Response(URL, status=status))
    with pytest.raises(NoProxyAvailable):
        send(middleware)


@pytest.mark.parametrize("status", [200, 404, 500])
def test_other_answers_are_the_sites(make, status):
    middleware = make(proxies=(PROXY,))
    middleware.process_response(send(middleware), Response(URL, status=status))
    send(middleware)


def test_proxy_that_does_not_answer_is_set_aside(make):
    middleware = make(proxies=(PROXY,))
    middleware.process_exception(send(middleware), DownloadTimeoutError(""))
    with pytest.raises(NoProxyAvailable):
        send(middleware)


@pytest.mark.parametrize("error", [NoProxyAvailable(""), ServiceDown(service="M", address="a", problem="p")])
def test_local_refusal_does_not_count_against_a_proxy(make, error):
    middleware = make(proxies=(PROXY,))
    middleware.process_exception(send(middleware), error)
    send(middleware)


def test_socks_proxy_is_handed_on_as_it_is_and_never_as_an_http_proxy(make):
    request = send(make(proxies=(SOCKS_PROXY,)))
    assert request.meta["proxy"] is None
    assert request.meta[SOCKS].redacted_url == "socks5://p.example:1080"


@pytest.mark.parametrize(
    ("error", "is_aside"), [(CannotResolveHostError(""), False), (ProxyFailed(""), True)]
)
def test_site_that_does_not_answer_is_not_held_against_a_socks_proxy(make, error, is_aside):
    middleware = make(proxies=(SOCKS_PROXY,))
    middleware.process_exception(send(middleware), error)
    if is_aside:
        with pytest.raises(NoProxyAvailable):
            send(middleware)
    else:
        send(middleware)


def test_proxy_that_denies_access_is_logged_once_and_the_last_is_fatal(make, caplog):
    middleware = make(proxies=(SOCKS_PROXY, "socks5://q.example:1081"))
    first, second, third = send(middleware), send(middleware), send(middleware)
    middleware.process_exception(first, ProxyDeniesLogin(""))
    middleware.process_exception(third, ProxyDeniesLogin(""))
    assert caplog.text.count("socks5://p.example:1080") == 1
    with pytest.raises(ProxyDeniesAccess, match=r"socks5://q\.example:1081"):
        middleware.process_exception(second, ProxyDeniesLogin(""))
    with pytest.raises(ProxyDeniesAccess) as raised:
        send(middleware)
    assert "geheim" not in caplog.text + str(raised.value)


@pytest.mark.parametrize(
    "proxy", ["socks5://p.example:${PINDNA_SECRET_WORD}", "http://[${PINDNA_SECRET_WORD}:1"]
)
def test_proxy_made_unusable_by_its_variable_is_reported(make, proxy):
    with pytest.raises(BadProxy):
        send(make(proxies=(proxy,)))
