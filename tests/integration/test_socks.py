"""Requests through SOCKS proxies, with a real server: the forwarder by itself, and whole crawls."""

import asyncio
import gzip
import hashlib
import re
import socket
import ssl
import subprocess
from urllib.parse import urlsplit

import pytest
from scrapy import Request
from support.hostile import with_names
from support.socks_server import socks_server
from support.webserver import article, web_site

from analysis.evidence.captures import read_exchange
from crawler.download.forwarding.forwarder import Forwarder, address_of, problem_of
from crawler.download.forwarding.lookup import safe_lookup
from crawler.download.forwarding.socks import socks_proxy
from crawler.download.private_allowlist import PrivateAllowlist, host_port_of
from crawler.failures import failure_reason
from crawler.pages.verifying import Verifier
from storage.records import Source

NAMES = {"site.test": "127.0.0.1", "inner.test": "127.0.0.2"}
USERS = {"me": "ge heim@"}
WRITTEN = "me:ge%20heim%40"


async def resolve(name):
    if name not in NAMES:
        raise OSError(name)
    return NAMES[name]


async def fetch(url, proxy, *, tunnel=False):
    """Send a request through a forwarder as Scrapy does; returns the answer, the reason and the address."""
    request, parts = Request(url), urlsplit(url)
    private = PrivateAllowlist(source_hosts=frozenset({("site.test", host_port_of(url)[1])}))
    forwarder = Forwarder(
        safe_lookup(resolve, allowed=private.source_hosts),
        refuses_peer=private.refuses_peer,
        max_bytes=100_000,
        timeout_s=30,
    )
    client = await forwarder.attach(request, socks_proxy(proxy))
    word = request.headers["Proxy-Authorization"].decode()
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(request.meta["proxy"]).port)
    first = f"CONNECT {parts.netloc}" if tunnel else f"GET {url}"
    writer.write(f"{first} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: {word}\r\n\r\n".encode())
    async with asyncio.timeout(60):
        answer = await (reader.read(10_000) if tunnel else reader.read())
    writer.close()
    forwarder.detach(request)
    assert request.meta["proxy"] is None
    assert "Proxy-Authorization" not in request.headers
    error = problem_of(request, client)
    await forwarder.close()
    await asyncio.sleep(0.05)
    return answer, failure_reason(error) if error else "", address_of(request, client)


@pytest.mark.parametrize(
    ("users", "url"), [({}, "socks5://"), (USERS, f"socks5://{WRITTEN}@"), ({}, "socks4://id@")]
)
def test_proxy_receives_the_resolved_address(users, url):
    with web_site({"/a": "你好"}) as site, socks_server(users) as server:
        port = urlsplit(site.url).port
        answer, reason, address = asyncio.run(fetch(f"http://site.test:{port}/a", f"{url}{server.place}"))
        assert answer.endswith("你好".encode())
        assert server.asked == [("127.0.0.1", port)]
        assert (reason, str(address)) == ("", "127.0.0.1")
        answer, *_ = asyncio.run(fetch(f"https://site.test:{port}/", f"{url}{server.place}", tunnel=True))
        assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("host", ["127.0.0.2", "inner.test", "2130706434", "[::1]", "10.0.0.1"])
@pytest.mark.parametrize("tunnel", [False, True])
def test_proxy_is_never_sent_an_inner_address(host, tunnel):
    with socks_server() as server:
        scheme = "https" if tunnel else "http"
        url = f"{scheme}://{host}:81/"
        answer, reason, _ = asyncio.run(fetch(url, f"socks5://{server.place}", tunnel=tunnel))
        assert not server.asked
        assert reason == "inner-address"
        assert not answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    ("reply", "reason"), [(1, "proxy"), (2, "proxy"), (4, "proxy"), (5, "refused"), (77, "proxy")]
)
def test_proxy_answer_is_reported(reply, reason):
    with socks_server(reply=reply) as server:
        for tunnel in (False, True):
            answer, told, _ = asyncio.run(
                fetch("http://site.test:80/", f"socks5://{server.place}", tunnel=tunnel)
            )
            assert told == reason
            assert answer[:13] == (b"HTTP/1.1 502 " if tunnel else b"")


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\x05\x00\x05\x00\x00\x09"])
def test_non_proxy_server_is_reported(greeting):
    async def greet(_reader, writer):
        writer.write(greeting)
        writer.close()

    async def scene():
        server = await asyncio.start_server(greet, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        _, reason, _ = await fetch("http://site.test:80/", f"socks5://127.0.0.1:{port}")
        assert reason == "proxy"
        server.close()
        await server.wait_closed()  # so that nobody is there
        _, reason, _ = await fetch("http://site.test:80/", f"socks5://127.0.0.1:{port}")
        assert reason == "proxy"

    asyncio.run(scene())


# Whole crawls.


def _urls(site, number=1):
    return tuple(f"{site.url}/{each}" for each in range(number))


@pytest.fixture
def site():
    with web_site() as running:
        running.default = lambda path, *_: article("经由代理", seed=len(path))
        yield running


@pytest.mark.services
def test_crawl_goes_through_with_its_password(stores, crawl, site):
    with socks_server(USERS) as server:
        proxies = (f"socks5://me:${{PINDNA_SECRET_WORD}}@{server.place}",)
        source = Source(name="p", kind="urls", start_urls=_urls(site, 3), proxies=proxies)
        secrets = {"PINDNA_SECRET_WORD": "ge%20heim%40"}
        result, counts = crawl(source, **secrets)
        assert (result.returncode, counts["pages"], result.stderr) == (0, 3, "")
        assert set(server.asked) == {("127.0.0.1", urlsplit(site.url).port)}
        assert len(server.asked) == len(site.asked) == 4  # robots.txt too
    assert not any("Proxy-Authorization" in headers for _, headers, _ in site.asked)
    for capture in stores.captures.of_url(f"{site.url}/1"):
        warc = gzip.decompress(stores.snapshots.get(capture.sha256).warc)
        assert b"WARC-IP-Address: 127.0.0.1" in warc
        assert b"authorization" not in warc.lower()


@pytest.mark.services
def test_crawl_through_the_proxy_works_over_tls(crawl, site, tmp_path, stores):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*command, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    site.server.socket = context.wrap_socket(site.server.socket, server_side=True)
    site.url = site.url.replace("http:", "https:")
    with socks_server() as server:
        source = Source(
            name="p",
            kind="urls",
            start_urls=_urls(site, 4),
            proxies=(f"socks5://{server.place}",),
            concurrency=1,
        )
        result, counts = crawl(
            source, SSL_CERT_FILE=str(certificate), PINDNA_CRAWLER__CONCURRENT_REQUESTS="1"
        )
        assert (result.returncode, counts["pages"]) == (0, 4), result.stderr
        assert server.asked[0] == ("127.0.0.1", urlsplit(site.url).port)
        assert len(server.asked) < len(site.asked)  # tunnels are kept for further requests
    shown = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate.read_text())).hexdigest()
    bodies = {sha256 for page in stores.pages.all() for sha256 in page.snapshots}
    assert {read_exchange(sha256, stores).certificate for sha256 in bodies} == {shown}
    assert {Verifier(stores).check(capture).state for capture in stores.captures.iter_all()} == {"unchanged"}


@pytest.mark.services
def test_proxy_crawl_reaches_no_inner_address(crawl):
    with socks_server() as server:
        urls = ("http://10.0.0.1/", "http://[::1]/", "http://0x7f.1/", "https://localhost/")
        source = Source(
            name="p", kind="urls", start_urls=urls, proxies=(f"socks5://{server.place}",), obey_robots=False
        )
        result, _ = crawl(source, PINDNA_CRAWLER__ALLOW_INNER='["192.168.77.1"]')
        assert result.returncode == 2
        assert not server.asked


@pytest.mark.services
def test_dead_proxy_is_replaced_by_a_working_proxy(crawl, site):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        dead = f"socks5://127.0.0.1:{taken.getsockname()[1]}"
    with socks_server(reply=1) as broken, socks_server() as living:
        proxies = (dead, f"socks5://{broken.place}", f"socks5://{living.place}")
        source = Source(name="p", kind="urls", start_urls=_urls(site, 6), proxies=proxies, obey_robots=False)
        env = {"PINDNA_CRAWLER__CONCURRENT_REQUESTS": "1", "PINDNA_CRAWLER__RETRIES": "3"}
        result, counts = crawl(source, **env)
        assert (result.returncode, counts["pages"], counts.get("failed", 0)) == (0, 6, 0), result.stderr
        assert (len(broken.asked), len(living.asked)) == (1, 6)


@pytest.mark.services
def test_local_proxy_credentials_are_not_sent_to_another_proxy(crawl, site):
    with socks_server(reply=1) as broken, web_site() as http_proxy:
        http_proxy.default = lambda path, *_: article("经由代理", seed=len(path))
        proxies = (f"socks5://me:geheim@{broken.place}", http_proxy.url)
        source = Source(name="p", kind="urls", start_urls=_urls(site, 3), proxies=proxies, obey_robots=False)
        env = {"PINDNA_CRAWLER__CONCURRENT_REQUESTS": "1", "PINDNA_CRAWLER__RETRIES": "3"}
        result, counts = crawl(source, **env)
        assert (result.returncode, counts["pages"]) == (0, 3), result.stderr
        assert len(broken.asked) == 1
        assert len(http_proxy.asked) == 3
        assert not any("Proxy-Authorization" in headers for _, headers, _ in http_proxy.asked)
    assert not site.asked


@pytest.mark.services
@pytest.mark.parametrize("robots", [True, False])
def test_wrong_proxy_password_is_a_single_line_with_advice(crawl, site, robots):
    with socks_server(USERS) as server:
        proxy = f"socks5://me:falsch@{server.place}"
        source = Source(
            name="p", kind="urls", start_urls=_urls(site, 3), proxies=(proxy,), obey_robots=robots
        )
        result, _ = crawl(source)
        assert result.returncode == 2
        assert result.stderr.count("\n") == 1
        place = re.escape(f"socks5://{server.place}")
        assert re.search(rf"^Proxy {place} of source p rejected .* Correct", result.stderr, re.MULTILINE)
        assert "falsch" not in result.stderr
        assert not server.asked
    assert not site.asked


@pytest.mark.services
@pytest.mark.long
def test_proxy_with_a_wrong_password_is_skipped_while_another_works(crawl, site):
    with socks_server(USERS) as shut, socks_server() as living:
        proxies = (f"socks5://me:falsch@{shut.place}", f"socks5://{living.place}")
        source = Source(name="p", kind="urls", start_urls=_urls(site, 4), proxies=proxies, obey_robots=False)
        env = {"PINDNA_CRAWLER__CONCURRENT_REQUESTS": "1", "PINDNA_CRAWLER__RETRIES": "2"}
        result, counts = crawl(source, **env)
        assert (result.returncode, counts["pages"]) == (0, 4), result.stderr
        assert len(shut.tried) == 1
        assert result.stderr.count(f"Proxy socks5://{shut.place} of source p") == 1
        assert "falsch" not in result.stderr


@pytest.mark.services
@pytest.mark.long
def test_proxy_on_this_machine_needs_no_inner_address_to_be_opened(crawl, tmp_path):
    known = with_names(tmp_path, {"news.example": ["93.184.216.34"]})
    with socks_server(reply=5) as server:  # it refuses, so that nobody is asked
        proxies = (f"socks5://{server.place}",)
        result, _ = crawl(
            Source(name="p", kind="urls", start_urls=("http://news.example/1",), proxies=proxies),
            PINDNA_CRAWLER__ALLOW_INNER="[]",
            **known,
        )
        assert "(refused)" in result.stderr
        assert set(server.asked) == {("93.184.216.34", 80)}


@pytest.mark.services
@pytest.mark.long
def test_proxy_address_is_checked_after_expanding_variables(crawl, site):
    source = Source(
        name="p", kind="urls", start_urls=_urls(site), proxies=("socks5://me:${PINDNA_SECRET_WORD}@h:1",)
    )
    variables = {"PINDNA_SECRET_WORD": "密码"}
    result, _ = crawl(source, **variables)
    assert "Source p has an unusable proxy" in result.stderr
    assert "密码" not in result.stderr
    assert result.stderr.count("\n") == 1
