"""A login is sent to the source's own sites, and nowhere else."""

import asyncio

import pytest
from scrapy.http import HtmlResponse, Request

from crawler.spiders.login import LoginFailed, log_in
from storage.records import Login, Source

OWN, OTHER = "http://own.com.cn", "http://other.com.cn"
FORM = "<form method=post action='{}'><input name=user><input name=word></form>"


class Engine:
    """Answers the first request with a page, and remembers every request."""

    def __init__(self, page, url=f"{OWN}/login"):
        self.page, self.url, self.requests = page, url, []

    async def download_async(self, request):
        self.requests.append(request)
        url, body = (self.url, self.page) if len(self.requests) == 1 else (request.url, "欢迎")
        return HtmlResponse(url, body=body.encode(), request=Request(url))


def log_in_with(engine):
    login = Login(url=f"{OWN}/login", fields={"user": "me", "word": "geheim"}, check="欢迎")
    source = Source(name="s", kind="urls", start_urls=(f"{OWN}/1.html",), login=login)
    asyncio.run(log_in(login, source=source, engine=engine))


@pytest.mark.parametrize(
    "engine",
    [
        Engine(FORM.format(f"{OTHER}/enter")),
        Engine(FORM.format(f"{OTHER}/enter").replace("post", "get")),
        Engine(FORM.format("/enter"), f"{OTHER}/login"),
        Engine(f"<html><head><base href='{OTHER}/'></head>{FORM.format('enter')}</html>"),
        Engine(FORM.format(f"{OWN}:8080/enter")),
    ],
    ids=["action", "get", "form on another site", "relative base", "other port"],
)
def test_a_form_that_leads_elsewhere_is_not_sent(engine):
    with pytest.raises(LoginFailed) as raised:
        log_in_with(engine)
    assert raised.value.reason == "login-elsewhere"
    (request,) = engine.requests
    assert "geheim" not in request.url
    assert request.body == b""


def test_a_form_on_the_sources_own_site_is_sent():
    engine = Engine(FORM.format("http://m.own.com.cn/enter"))
    log_in_with(engine)
    assert engine.requests[1].url == "http://m.own.com.cn/enter"
    assert engine.requests[1].body == b"user=me&word=geheim"
