"""The sample sites over real HTTP on loopback."""

import html
import re
import socket
from collections import Counter
from http.client import HTTPConnection
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

from deploy.demo.layout import BOOKS, ENTRANCES, UNCHECKED
from deploy.demo.plan import plan
from deploy.demo.rendering import DemoItem, render_site, split_parts
from deploy.demo.sites import PREFERRED_PORTS, SitePortTaken, start_sites

ENCODINGS = {"portal": "utf-8", "novels": "gbk", "licensed": "utf-8", "blog": "utf-8"}


@pytest.fixture(scope="module")
def sites():
    with start_sites() as running:
        yield running


def get(port, path, method="GET", **headers):
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): headers[name] for name in headers})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def text_of(sites, site, path):
    status, _, body = get(sites.ports[site], path)
    assert status == 200, path
    return html.unescape(body.decode(ENCODINGS[site]))


def further_page(text):
    """The further part of a chapter: in a link, or in a script variable."""
    anchor = re.search(r'href="([^"]+)">下一页', text)
    script = re.search(r'var next_page = "([^"]+)"', text)
    target = (anchor or script)[1] if anchor or script else None
    return target if target and not target.startswith("javascript") else script and script[1]


def whole_text(sites, page):
    parts, path = [], page.path
    while path:
        parts.append(text_of(sites, page.site, path))
        path = further_page(parts[-1])
    return parts


@pytest.mark.parametrize("page", plan(), ids=lambda page: page.site + page.path)
def test_every_page_is_served_with_its_title_and_its_whole_text_in_order(sites, page):
    parts = whole_text(sites, page)
    assert page.title in parts[0]
    shown = "\n".join(parts)
    place = 0
    for paragraph in page.text.split("\n"):
        place = shown.index(paragraph, place) + len(paragraph)


def test_walk_from_the_entrances_reaches_every_page_and_a_dead_link(sites):
    missing = {(page.site, page.path) for page in UNCHECKED if page.flaw == "missing"}
    dead, seen = set(), set()
    for site, base_url in sites.base_urls.items():
        starts = [path for entrance in ENTRANCES if entrance.site == site for path in entrance.paths]
        queue = [urljoin(base_url, path) for path in starts]
        known = set(queue)
        while queue:
            url = queue.pop()
            path = urlsplit(url).path
            status, _, body = get(sites.ports[site], path)
            (seen if status == 200 else dead).add((site, path))
            text = body.decode(ENCODINGS[site])
            addresses = re.findall(r'href="([^"]+)"', text) + re.findall(r'next_page = "([^"]+)"', text)
            for target in (urldefrag(urljoin(url, address))[0] for address in addresses):
                if target.startswith(base_url + "/") and target not in known:
                    known.add(target)
                    queue.append(target)
    assert dead == missing
    assert {(page.site, page.path) for page in plan()} <= seen


def test_novel_pages_are_gbk_under_a_false_name(sites):
    status, headers, body = get(sites.ports["novels"], "/book/1/104.html")
    assert status == 200
    assert headers["Content-Type"] == "text/html"
    assert b"charset=gb2312" in body
    with pytest.raises(UnicodeDecodeError):
        body.decode("utf-8")
    with pytest.raises(UnicodeDecodeError):  # traditional characters are in GBK only
        body.decode("gb2312")
    assert "滅燈" in body.decode("gbk")


def test_every_character_of_the_novel_site_is_in_gbk():
    for page in plan():
        if page.site == "novels":
            assert (page.title + page.text).encode("gbk").decode("gbk") == page.title + page.text


def test_chapters_of_the_pirate_are_split_and_link_their_next_pages(sites):
    assert BOOKS[1].script
    by_link = text_of(sites, "novels", "/book/1/101.html")
    by_script = text_of(sites, "novels", "/book/2/201.html")
    assert '<a id="pb_next" href="/book/1/101_2.html">下一页</a>' in by_link
    assert "next_page" not in by_link
    assert 'var next_page = "/book/2/201_2.html";' in by_script
    assert 'href="/book/2/201_2.html"' not in by_script
    last = text_of(sites, "novels", "/book/2/201_3.html")
    assert '<a href="/book/2/202.html">下一章</a>' in last
    assert "下一页" not in last


@pytest.mark.parametrize(("chars", "count"), [(40, 1), (900, 1), (1_500, 2), (2_400, 3), (9_000, 3)])
def test_parts_hold_every_paragraph_once(chars, count):
    paragraphs = [f"{number:05}" + "字" * 45 for number in range(max(1, chars // 50))]
    parts = split_parts(DemoItem("/book/9/7.html", "七", "", "\n".join(paragraphs), "2026-01-01"))
    assert [part.path for part in parts] == ["/book/9/7.html", "/book/9/7_2.html", "/book/9/7_3.html"][:count]
    assert [part.next_page for part in parts] == [part.path for part in parts[1:]] + [None]
    assert [line for part in parts for line in part.paragraphs] == paragraphs


def test_pages_contain_the_furniture_of_real_sites(sites):
    portal = text_of(sites, "portal", "/2026/1101/30001.html")
    for furniture in ("责任编辑：", "版权所有", "相关阅读", "网友评论", "【推广】", "要闻", "当前位置"):
        assert furniture in portal
    novel = text_of(sites, "novels", "/book/1/101.html").replace("\xa0", " ")
    for furniture in ("    天才一秒记住【", "※※翻·页·阁※※", "本章未完", "<br />"):
        assert furniture in novel


def test_page_texts_never_become_markup():
    hostile = DemoItem(
        "/x", "<script>alert(1)</script>", "", "</div><img src=x onerror=alert(1)>", "2026-01-01"
    )
    from deploy.demo import rendering  # noqa: PLC0415 - the private renderer of one site

    shown = dict(rendering._blog_pages([hostile]))["/x"]
    assert "<script>alert" not in shown
    assert "<img" not in shown
    assert "&lt;img src=x" in shown


def test_unchecked_pages_show_their_flaws(sites):
    by_flaw = {page.flaw: page for page in UNCHECKED}
    assert get(sites.ports["portal"], by_flaw["missing"].path)[0] == 404
    assert '<div id="app"></div>\n<script>' in text_of(sites, "portal", by_flaw["empty"].path)
    assert (
        "<p>"
        not in text_of(sites, "portal", by_flaw["list"].path).partition("<main>")[2].partition("</main>")[0]
    )
    assert "Disallow: /vip/" in text_of(sites, "portal", "/robots.txt")
    assert by_flaw["forbidden"].path.startswith("/vip/")
    assert "正在手打中" in text_of(sites, "novels", by_flaw["unfinished"].path)


def test_validators_save_a_second_fetch_where_the_site_has_them(sites):
    port = sites.ports["portal"]
    _, headers, body = get(port, "/2026/1101/30001.html")
    assert get(port, "/2026/1101/30001.html", If_None_Match=headers["ETag"])[::2] == (304, b"")
    assert get(port, "/2026/1101/30001.html", If_None_Match='"other"')[::2] == (200, body)
    assert "ETag" not in get(sites.ports["novels"], "/book/1/101.html")[1]


def test_query_is_ignored_and_head_sends_no_body(sites):
    port = sites.ports["blog"]
    assert get(port, "/?utm_source=x")[0] == 200
    status, headers, body = get(port, "/", method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) > 500


def test_site_renders_to_the_same_bytes_every_time():
    for site in PREFERRED_PORTS:
        assert render_site(site) == render_site(site)


def test_later_run_has_the_same_addresses():
    with start_sites() as first:
        urls, ports = first.base_urls, first.ports
    with start_sites(ports=ports) as second:
        assert second.base_urls == urls
        assert len(Counter(second.ports.values())) == len(PREFERRED_PORTS)
        assert get(ports["portal"], "/")[0] == 200


def test_occupied_earlier_port_is_named_and_the_remaining_ports_are_freed():
    with start_sites() as first:
        ports = first.ports
    with socket.create_server(("127.0.0.1", ports["licensed"])):
        with pytest.raises(SitePortTaken, match=rf"Port {ports['licensed']}, .*licensed") as caught:
            start_sites(ports=ports)
        assert caught.value.exit_status == 3
    with start_sites(ports=ports) as again:
        assert again.ports == ports


def test_occupied_preferred_port_is_replaced_by_a_free_port():
    with start_sites() as first, start_sites() as second:
        assert not set(first.ports.values()) & set(second.ports.values())
        assert get(second.ports["blog"], "/")[0] == 200
