"""What a source is trusted with goes to its own sites, and is not kept: whole crawls that are led astray.

The sites have public names; a proxy of the test's own answers for all of them and remembers what it was sent.
"""

import gzip
import json
import socket
import threading
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from support.browsers import require_browser
from support.hostile import with_names
from support.webserver import Reply, WebSite, anchors, article

from storage.records import Login, Source

pytestmark = pytest.mark.services

NAMES = {name: ["93.184.216.34"] for name in ("own.com.cn", "m.own.com.cn", "other.com.cn")}
WORDS = {
    "PINDNA_SECRET_TOKEN": "geheim-token",
    "PINDNA_SECRET_KEY": "geheim-key",
    "PINDNA_SECRET_WORD": "geheim-word",
    "PINDNA_SECRET_COOKIE": "geheim-cookie",
}
HEADERS = {
    "Authorization": "Bearer ${PINDNA_SECRET_TOKEN}",
    "X-Api-Key": "${PINDNA_SECRET_KEY}",
    "Accept-Language": "zh-TW",
}


@pytest.fixture
def web():
    site = WebSite()
    site.default = lambda path, *_: article("文章", seed=len(path))
    yield site
    site.close()


@pytest.fixture
def crawl_web(crawl, web, tmp_path):
    """Crawl a source through the proxy, with names that no resolver knows."""
    found = {**WORDS, **with_names(tmp_path, NAMES)}

    def run(*urls, **fields):
        own = Source(name="s", kind="urls", start_urls=urls, proxies=(web.url,), **fields)
        return crawl(own, PINDNA_CRAWLER__CONCURRENT_REQUESTS="1", **found)

    return run


def sent_to(web, host):
    """The headers and bodies of every request to a host."""
    return [
        (urlsplit(path).path, {name.lower(): value for name, value in headers.items()}, body)
        for path, headers, body in web.asked
        if urlsplit(path).netloc == host
    ]


def records_of(stores):
    for each in stores.captures.iter_all():
        yield gzip.decompress(each.warc or stores.snapshots.get(each.sha256).warc)


def test_headers_and_cookies_go_only_to_the_sites_of_the_source(web, crawl_web, stores):
    refresh = '<meta http-equiv="refresh" content="0;url=http://other.com.cn/refreshed.html">'
    away = {
        "/1.html": Reply(status=302, Location="http://other.com.cn/1.html"),
        "/2.html": Reply(f"<html><head>{refresh}</head></html>"),
        "/3.html": article("三", links=anchors(("/3_2.html", "下一页"))),
        "/3_2.html": Reply(status=301, Location="http://other.com.cn/3_2.html"),
        "/4.html": article("四", head='<link rel=stylesheet href="/4.css">'),
        "/4.css": Reply(status=307, Location="http://other.com.cn/4.css"),
        "/5.html": Reply(status=302, Location="http://m.own.com.cn/5.html"),
        "/6.html": Reply(status=302, Location="http://own.com.cn:8080/6.html"),
        "/7.html": Reply(status=302, Location="http://other.com.cn/back.html"),
        "/9.html": Reply(article("九"), Set_Cookie="sid=geheim-set; Path=/", X_Echo="Bearer geheim-token"),
    }
    web.pages = {f"http://own.com.cn{path}": page for path, page in away.items()}
    web.pages["http://other.com.cn/back.html"] = Reply(status=302, Location="http://own.com.cn/8.html")
    urls = [f"http://own.com.cn/{number}.html" for number in (1, 2, 3, 4, 5, 6, 7, 9)]
    result, counts = crawl_web(*urls, header_sets=(HEADERS,), cookies={"sid": "${PINDNA_SECRET_COOKIE}"})
    assert result.returncode == 0, result.stderr
    assert (counts["failed"], counts["failed:empty"]) == (1, 1)  # the page that only leads on

    strangers = sent_to(web, "other.com.cn")
    paths = {path for path, *_ in strangers}
    assert paths >= {"/1.html", "/refreshed.html", "/3_2.html", "/4.css", "/back.html"}
    strangers += [each for each in web.asked if urlsplit(each[0]).port == 8080]
    assert not [each for each in strangers if "geheim" in str(each)]
    assert all("x-api-key" not in headers for _, headers, _ in sent_to(web, "other.com.cn"))
    assert all(
        headers["accept-language"].startswith("zh-CN") for _, headers, _ in sent_to(web, "other.com.cn")
    )

    own = sent_to(web, "m.own.com.cn") + sent_to(web, "own.com.cn")
    assert {"/5.html", "/6.html", "/8.html", "/3_2.html", "/4.css"} <= {path for path, *_ in own}
    assert {headers["authorization"] for _, headers, _ in own} == {"Bearer geheim-token"}
    assert {headers["x-api-key"] for _, headers, _ in own} == {"geheim-key"}
    texts = {path: headers for path, headers, _ in sent_to(web, "own.com.cn")}
    assert "geheim-cookie" in texts["/1.html"]["cookie"]

    # None of it is in the evidence, which says so.
    kept = list(records_of(stores))
    assert len(kept) == len(urls) + 2  # one has two parts
    assert b"geheim" not in b"".join(kept)
    assert all(b"X-Pindna-Left-Out: " in each for each in kept)
    assert any(b"X-Pindna-Left-Out: Set-Cookie, X-Echo" in each for each in kept)
    for row in stores.database["snapshots"].find({}):
        assert b"geheim" not in row["headers"]
    for name in ("sources", "pages", "visits", "page_events", "captures", "crawls"):
        assert not [row for row in stores.database[name].find({}) if "geheim" in str(row)], name
    assert "geheim" not in result.stdout + result.stderr


FORM = "<form method=post action='{}'><input name=user><input name=word></form>"


@pytest.mark.parametrize("how", ["action", "308"])
@pytest.mark.long
def test_login_goes_nowhere_else(web, crawl_web, how):
    own, other = "http://own.com.cn", "http://other.com.cn"
    web.pages = {f"{own}/login": FORM.format("/enter"), f"{other}/login": FORM.format("/enter")}
    if how == "action":
        web.pages[f"{own}/login"] = FORM.format(f"{other}/enter")
    else:
        web.pages[f"{own}/enter"] = Reply(status=int(how), Location=f"{other}/enter")
    fields = {"user": "me", "word": "${PINDNA_SECRET_WORD}"}
    result, counts = crawl_web(f"{own}/1.html", login=Login(url=f"{own}/login", fields=fields))
    arrived = [each for each in web.asked if b"geheim" in each[2] or "geheim" in each[0]]
    assert {urlsplit(path).netloc for path, *_ in arrived} <= ({"own.com.cn"} if how == "308" else set())
    assert result.returncode == 2
    assert "login-elsewhere" in result.stderr
    assert result.stderr.count("\n") == 1
    assert "geheim" not in result.stderr
    assert not counts["pages"]


def test_login_on_the_site_of_the_source_succeeds(web, crawl_web):
    web.pages = {
        "http://own.com.cn/login": FORM.format("http://m.own.com.cn/enter"),
        "http://m.own.com.cn/enter": Reply(status=302, Location="http://other.com.cn/welcome"),
    }
    fields = {"user": "me", "word": "${PINDNA_SECRET_WORD}"}
    result, counts = crawl_web(
        "http://own.com.cn/1.html", login=Login(url="http://own.com.cn/login", fields=fields)
    )
    assert (result.returncode, counts["pages"]) == (0, 1), result.stderr
    assert sent_to(web, "m.own.com.cn")[-1][2] == b"user=me&word=geheim-word"
    assert all(body == b"" for _, _, body in sent_to(web, "other.com.cn"))


def test_variable_that_is_not_meant_for_sources_is_not_read(web, crawl_web):
    result, _ = crawl_web("http://own.com.cn/1.html", header_sets=({"X-Path": "${PATH}"},))
    assert "PATH, but sources read only variables that begin with PINDNA_SECRET_" in result.stderr
    assert result.stderr.count("\n") == 1
    assert web.asked == []


# Headers that no library expects.


@contextmanager
def raw_site(heads):
    """Answers each path with a head of raw bytes and a text of its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    path = connection.recv(65536).split(b" ")[1].decode()
                    if path not in heads:
                        connection.sendall(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
                        continue
                    body = article(path, seed=len(path)).encode()
                    size = b"\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
                    connection.sendall(b"HTTP/1.1 200 OK\r\n" + heads[path] + size + body)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


ODD = [
    "X-é: v".encode(),
    b"X-\xe9: v",
    "名: 值".encode("gbk"),
    "Content-Disposition: inline; 文件=a.txt".encode(),
    "X-Title: 渡口".encode("gb18030"),
    b": nameless",
    b"X Y: spaced",
    b"X-Nul\0: a\0b",
    b"no colon at all",
    b" begins with a space",
    b"X-Folded: a\r\n  b\r\n\tc",
    b"X-CR: a\rb",
    b"Content-Type : text/html",
    b"X-" + bytes(range(128, 256)) + b": v",
    b"X-Pindna-Head: Zm9yZ2Vk",
]


@pytest.mark.parametrize("render", [False, True])
@pytest.mark.long
def test_no_header_keeps_a_page_or_its_evidence_away(crawl, stores, pindna, render):
    if render:
        require_browser()
    heads = {
        f"/{number}.html": b"Content-Type: text/html; charset=utf-8\r\n" + each
        for number, each in enumerate(ODD)
        if not (render and b"\0" in each)  # such a page Chromium shows nobody
    }
    heads["/first.html"] = b" begins: with a space\r\nContent-Type: text/html; charset=utf-8"
    with raw_site(heads) as url:
        urls = tuple(f"{url}{path}" for path in heads)
        source = Source(name="u", kind="urls", start_urls=urls, render=render)
        result, counts = crawl(source)
        assert result.returncode == 0, result.stderr
    assert (counts["pages"], counts.get("failed", 0)) == (len(heads), 0)
    for path, head in heads.items() if not render else ():  # a browser hands on what it made of them
        (capture,) = stores.captures.of_url(f"{url}{path}")
        kept = gzip.decompress(stores.snapshots.get(capture.sha256).warc)
        assert head.replace(b"a\rb", b"a b") in kept, path
        assert b"\r\nX-Pindna-Head: Zm9yZ2Vk" in kept or b"X-Pindna-Head" not in kept
    assert json.loads(pindna("page", "verify", "--json").stdout)["unchanged"] == len(heads)
