"""A login form is filled in and sent to the source's own site, or the crawl does not begin."""

import asyncio
from urllib.parse import parse_qs

import pytest
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import HtmlResponse

from crawler.meta import LOGIN
from crawler.spiders.login import LoginFailed, log_in
from storage.records import Login, Source
from system.errors import ServiceDown

SITE, OTHER = "http://own.com.cn", "http://other.com.cn"
SEARCH = "<form action=/search><input name=q></form>"
FORM = (
    "<form method=post action={}><input name=user><input name=word><input type=hidden name=t value=7></form>"
)
PAGE = SEARCH + FORM.format("/enter")


class Site:
    """A downloader for a site with a login; ``sent`` lists what was posted, and where."""

    def __init__(self, *, form=PAGE, status=200, answer="欢迎回来", answer_status=200, url=f"{SITE}/login"):
        self.pages = {"GET": (form, status), "POST": (answer, answer_status)}
        self.url, self.sent = url, []

    async def download_async(self, request):
        body, status = self.pages[request.method]
        if isinstance(body, Exception):
            raise body
        if request.url != f"{SITE}/login":
            self.sent.append((request.url, parse_qs(request.body.decode()), request.meta.get(LOGIN)))
        url = request.url if self.sent else self.url
        return HtmlResponse(url, body=body.encode(), encoding="utf-8", status=status)


def enter(site):
    login = Login(url=f"{SITE}/login", fields={"user": "me", "word": "${PINDNA_SECRET_SITE}"}, check="欢迎")
    source = Source(name="a", kind="urls", start_urls=(f"{SITE}/1",), login=login)
    asyncio.run(log_in(login, source=source, engine=site))


@pytest.fixture(autouse=True)
def _secret(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_SITE", "geheim")


def test_form_with_the_fields_is_sent_with_its_hidden_fields():
    site = Site()
    enter(site)
    fields = {"user": ["me"], "word": ["geheim"], "t": ["7"]}
    assert site.sent == [(f"{SITE}/enter", fields, True)]


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ({"answer": "密码错误"}, "login"),
        ({"answer_status": 400}, "login"),
        ({"status": 404}, "login"),
        ({"form": SEARCH}, "login"),
        ({"form": DownloadTimeoutError("")}, "timeout"),
        ({"form": FORM.format(f"{OTHER}/enter")}, "login-elsewhere"),
        ({"form": FORM.format("http://own.com.cn:81/enter")}, "login-elsewhere"),
        ({"form": FORM.format(f"{OTHER}/enter").replace("post", "get")}, "login-elsewhere"),
        ({"form": f"<base href='{OTHER}/'>{FORM.format('enter')}"}, "login-elsewhere"),
        ({"url": f"{OTHER}/login"}, "login-elsewhere"),
    ],
)
def test_login_that_fails_says_why(pages, reason):
    site = Site(**pages)
    with pytest.raises(LoginFailed) as raised:
        enter(site)
    assert raised.value.reason == reason
    assert reason == "login" or site.sent == []


def test_form_may_lead_to_another_host_of_the_same_site():
    site = Site(form=FORM.format("http://m.own.com.cn/enter"))
    enter(site)
    assert [url for url, *_ in site.sent] == ["http://m.own.com.cn/enter"]


def test_service_that_is_down_is_no_failed_login():
    with pytest.raises(ServiceDown):
        enter(Site(form=ServiceDown(service="MongoDB", address="a", problem="p")))


def test_trial_without_a_crawl_does_not_log_in():
    with pytest.raises(LoginFailed):
        enter(None)
