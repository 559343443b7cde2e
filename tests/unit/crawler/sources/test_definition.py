"""Sources as TOML: what they become, and one line that names the key for every mistake."""

import tomllib
from pathlib import Path

import pytest

from crawler.sources.definition import MAX_LIST_BYTES, BadSource, source_from, source_from_file
from storage.records import Discovery, Login
from system.errors import PindnaError

FULL = """
name = "江岸小说"
kind = "novel"
urls = ["https://novels.example/book/12/"]
follow = '/book/12/\\d+'
exclude = 'vip'
enabled = false

[limits]
pages = 500
depth = 3
minutes = 90

[pace]
delay_s = 1.5
concurrency = 2
interval_h = 24
hours = ["mo-fr 22:00-6:00", "Sa,Su"]
processes = 3

[robots]
obey = false
reason = "our own site"

[access]
user_agent = "pindna for example.cn"
headers = [{ Accept-Language = "zh-TW" }, { Accept-Language = "zh-CN" }]
cookies = { age = "18" }
proxies = ["http://me:${PINDNA_SECRET_PROXY}@proxy.example:3128"]

[access.login]
url = "https://novels.example/login"
fields = { user = "me", word = "${PINDNA_SECRET_WORD}" }
check = "欢迎"
"""
URLS = {"name": "a", "urls": ["http://x.example/"]}


def test_every_key_is_read_into_its_field(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(FULL, encoding="utf-8")
    source = source_from_file(path)
    assert (source.name, source.kind, source.start_urls) == (
        "江岸小说",
        "novel",
        ("https://novels.example/book/12/",),
    )
    assert (source.follow, source.exclude, source.enabled) == (r"/book/12/\d+", "vip", False)
    assert (source.max_pages, source.max_depth, source.max_minutes) == (500, 3, 90)
    assert (source.delay_s, source.concurrency, source.interval_h, source.processes) == (1.5, 2, 24, 3)
    assert source.hours == ("Mo-Fr 22:00-06:00", "Sa-Su")
    assert (source.obey_robots, source.robots_reason) == (False, "our own site")
    assert source.header_sets == ({"Accept-Language": "zh-TW"}, {"Accept-Language": "zh-CN"})
    assert (source.cookies, source.user_agent) == ({"age": "18"}, "pindna for example.cn")
    assert source.proxies == ("http://me:${PINDNA_SECRET_PROXY}@proxy.example:3128",)
    fields = {"user": "me", "word": "${PINDNA_SECRET_WORD}"}
    assert source.login == Login(url="https://novels.example/login", fields=fields, check="欢迎")


def test_discovery_needs_no_addresses():
    wanted = {"engine": "http://searx.example/search", "works": ["青灯渡"], "queries": 5}
    source = source_from({"name": "d", "kind": "discovery", "discovery": wanted}, where="f")
    assert source.discovery == Discovery(engine="http://searx.example/search", works=("青灯渡",), queries=5)


def test_missing_keys_have_defaults():
    source = source_from(URLS, where="f")
    assert (source.kind, source.obey_robots, source.cookies, source.enabled) == ("news", True, None, True)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "f: name: it is missing"),
        ({"name": "a"}, "f: a source needs start addresses in urls"),
        ({**URLS, "name": " "}, "f: name: the name of a source must"),
        ({**URLS, "name": "-x"}, "f: name: the name of a source must"),
        ({**URLS, "kind": "blog"}, "f: kind: it must be one of news, novel"),
        ({**URLS, "urls": ["x.example"]}, "f: urls: x.example is not an http(s) address"),
        ({**URLS, "urls": ["http://x.example/a b"]}, "f: urls: http://x.example/a b is not"),
        ({**URLS, "urls": "http://x.example"}, "f: urls: a list is needed"),
        ({**URLS, "feeds": ["file:///etc/passwd"]}, "f: feeds: file:///etc/passwd is not"),
        ({**URLS, "kind": "urls", "feeds": ["http://x/f"]}, "f: only sources of kind news and site"),
        ({**URLS, "follow": "("}, "f: follow: not a valid regular expression"),
        ({**URLS, "exclude": r"(a|aa)+$"}, "f: exclude: the expression takes too long"),
        ({**URLS, "folow": "x"}, "f: folow: there is no such key"),
        ({**URLS, "limits": {"page": 3}}, "f: limits.page: there is no such key"),
        ({**URLS, "limits": {"pages": 0}}, "f: limits.pages: it must be 1 or more"),
        ({**URLS, "pace": {"delay_s": -1}}, "f: pace.delay_s: it must be 0 or more"),
        ({**URLS, "pace": {"processes": 1000}}, "f: pace.processes: it must be 64 or less"),
        ({**URLS, "robots": {"obey": False}}, "f: robots: enter in robots.reason why"),
        (
            {**URLS, "access": {"proxies": ["https://x:1"]}},
            "f: access.proxies: the address of a proxy must begin with http://",
        ),
        (
            {**URLS, "access": {"proxies": ["http://x:1", "socks5h://x:1"]}},
            "f: access.proxies: the crawler resolves names itself; write socks5://",
        ),
        (
            {**URLS, "access": {"proxies": ["socks://x:1"]}},
            "f: access.proxies: write a SOCKS proxy as socks5://host",
        ),
        (
            {**URLS, "access": {"proxies": ["socks5://x"]}},
            "f: access.proxies: write a SOCKS proxy as socks5://host",
        ),
        (
            {**URLS, "access": {"proxies": ["socks5://u@x:1"]}},
            "f: access.proxies: a SOCKS proxy needs both a user",
        ),
        (
            {**URLS, "access": {"proxies": ["socks5://x:no"]}},
            "f: access.proxies: write a SOCKS proxy as socks5://",
        ),
        ({**URLS, "access": {"headers": [{"A:b": "c"}]}}, "f: access.headers: the name of a header"),
        ({**URLS, "access": {"headers": [{"A": "b\r\nC: d"}]}}, "f: access.headers: the value of a header"),
        ({**URLS, "access": {"user_agent": "a\nb"}}, "f: access.user_agent: its form must match"),
        ({**URLS, "access": {"login": {"url": "x", "fields": {}}}}, "f: access.login.url: x is not"),
        (
            {**URLS, "access": {"headers": [{"X": "${HOME}"}]}},
            "f: access.headers: HOME is not allowed; the names of variables for sources begin with",
        ),
        ({**URLS, "access": {"cookies": {"a": "${PATH}"}}}, "f: access.cookies: PATH is not allowed"),
        (
            {**URLS, "access": {"login": {"url": "http://x.example/", "fields": {"a": "${PATH}"}}}},
            "f: access.login.fields: PATH is not allowed",
        ),
        ({**URLS, "access": {"proxies": ["http://u:${PW}@h:1"]}}, "f: access.proxies: PW is not allowed"),
        (
            {**URLS, "access": {"proxies": ["http://u:p?w@h:1"]}},
            "f: access.proxies: its user name and password must be percent-encoded",
        ),
        ({**URLS, "pace": {"hours": ["6:00"]}}, "f: pace.hours: write hours as Mo-Fr 22:00-06:00"),
        (
            {**URLS, "pace": {"hours": ["6:00-6:00"]}},
            "f: pace.hours: hours cannot end when they begin",
        ),
        ({**URLS, "urls": ["http://me:word@x.example/"]}, "f: urls: an address must not contain a user name"),
        ({**URLS, "urls": ["htp://me:word@x.example/"]}, "f: urls: an address must not contain a user name"),
        ({"name": "d", "kind": "discovery"}, "f: a source of kind discovery needs"),
        ({"name": "d", "kind": "discovery", "discovery": {"engine": "x"}}, "f: discovery.engine: x is not"),
    ],
)
def test_mistake_is_reported_in_a_single_line_with_its_key(values, told):
    with pytest.raises(BadSource) as raised:
        source_from(values, where="f")
    assert str(raised.value).startswith(told)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"name = ", "not valid TOML"), (b"\xff\xfe", "not UTF-8 text"), (None, "does not exist")],
)
def test_bad_file_is_reported(tmp_path, content, told):
    path = tmp_path / "s.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PindnaError, match=told):
        source_from_file(path)


def test_examples_in_the_documents_are_sources():

    page = (Path(__file__).parents[4] / "docs" / "sources.md").read_text(encoding="utf-8")
    blocks = [item.partition("```")[0] for item in page.split("```toml\n")[1:]]
    assert len(blocks) >= 3
    for block in blocks:
        source_from(tomllib.loads(block), where="docs/sources.md")


def test_source_has_as_many_addresses_as_a_document_holds():
    url = "http://x.cn/".ljust(985, "a")
    urls = [url] * (MAX_LIST_BYTES // 1_000)
    definition = {"name": "a", "kind": "urls", "urls": urls}
    assert len(source_from(definition, where="a.toml").start_urls) == len(urls)
    with pytest.raises(
        BadSource, match="too many addresses for one source; divide them among several sources"
    ):
        source_from({**definition, "urls": [*urls, url]}, where="a.toml")
