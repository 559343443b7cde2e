"""Junk that style sheets in files of their own hide: on a real site, in crawls, trials and by hand."""

import json
import socket
import threading
import time
from datetime import timedelta
from itertools import repeat
from urllib.parse import urlsplit

import pytest
from support.webserver import Reply, article

from crawler.extraction.tracing import trace
from crawler.pages.warc_reading import read_back
from storage.records import Source, utc_now

pytestmark = pytest.mark.services

JUNK = "本站最受欢迎的彩票平台天天有人中大奖，快来加入我们的行列吧。"
HIDING = ".a1{color:#333} .zx{position:absolute;left:-9999px} @media print{article{display:none}}"
CSS = "text/css"


def page(number, *hrefs, title="候鸟", name="zx"):
    links = "".join(f'<link rel="stylesheet" type="text/css" href="{href}">' for href in hrefs)
    whole = article(f"{title}{number}", seed=number, head=links)
    return whole.replace("</p><p>", f"</p><p class={name}>{JUNK}</p><p>", 4)


def source(site, *paths, **fields):
    return Source(name="s", kind="urls", start_urls=tuple(f"{site.url}{path}" for path in paths), **fields)


def texts(stores, scan="s1"):
    pages = {each.id: each.url for each in stores.pages.of_scan(scan)}
    return {urlsplit(pages[key]).path: each for key, each in stores.pages.get_many(list(pages)).items()}


def assert_read(found, path, *, junk):
    assert found[path].state == "fetched", found[path].reason
    assert found[path].text.count("瞭望塔") == 8
    assert (JUNK in found[path].text) is junk


def test_style_sheet_is_fetched_once_and_hides_its_text(stores, crawl, site):
    site.pages = {f"/{n}.html": page(n, "/css/main.css?v=2") for n in range(1, 7)}
    site.pages["/css/main.css"] = Reply(HIDING, kind=CSS)
    _, counts = crawl(source(site, *(f"/{n}.html" for n in range(1, 7))), "s1")
    found = texts(stores)
    for n in range(1, 7):
        assert_read(found, f"/{n}.html", junk=False)
    assert [path for path in site.paths() if "css" in path] == ["/css/main.css?v=2"]
    assert counts["pages"] == 6

    # The next crawl, and the next page, know it.
    site.pages["/7.html"] = page(7, "/css/main.css?v=2")
    crawl(source(site, *(f"/{n}.html" for n in range(1, 8))), "s2")
    assert_read(texts(stores, "s2"), "/7.html", junk=False)
    assert not [path for path in site.paths() if "css" in path]


def test_sheet_that_hides_more_has_unchanged_pages_read_again(stores, crawl, site):
    site.pages = {f"/{n}.html": Reply(page(n, "/a.css"), ETag=f'"{n}"') for n in (1, 2)}
    site.pages["/a.css"] = Reply(".zx{color:#333}", kind=CSS)
    crawl(source(site, "/1.html"), "s1")
    assert_read(texts(stores, "s1"), "/1.html", junk=True)

    # A week later a new page has the sheet fetched again: what was read before is stale from then on.
    site.pages["/a.css"] = Reply(HIDING, kind=CSS)
    stores.database["sheets"].update_many({}, {"$set": {"fetched": utc_now() - timedelta(days=8)}})
    crawl(source(site, "/1.html", "/2.html"), "s2")
    assert_read(texts(stores, "s2"), "/2.html", junk=False)
    crawl(source(site, "/1.html", "/2.html"), "s3")
    assert_read(texts(stores, "s3"), "/1.html", junk=False)


@pytest.mark.long
def test_offsets_skip_hidden_text_and_extract_gives_the_same(stores, crawl, site, pindna, tmp_path):
    site.pages = {"/1.html": page(1, "a.css"), "/a.css": Reply(HIDING, kind=CSS)}
    crawl(source(site, "/1.html"))
    (each,) = texts(stores).values()
    snapshot = stores.snapshots.get(each.snapshots[0])
    body = read_back(snapshot.warc, sha256=snapshot.sha256).body
    text, source_text = each.text, body.decode()
    pieces = trace(text, [body])
    assert sum(piece.end - piece.start for piece in pieces) == len("".join(text.split()))
    for piece in pieces:
        assert source_text[piece.source_start : piece.source_end] == text[piece.start : piece.end]
    by_hand = json.loads(pindna("extract", f"{site.url}/1.html", "--json").stdout)
    assert by_hand["text"] == each.text
    assert by_hand["dropped"]["hidden"] == 4 * len(JUNK)
    definition = f'name = "s"\nkind = "urls"\nurls = ["{site.url}/1.html"]\n'
    (tmp_path / "s.toml").write_text(definition, encoding="utf-8")
    (step,) = map(json.loads, pindna("source", "test", "s.toml", "--json").stdout.splitlines())
    assert step["characters"] == len(each.text)
    # A saved page has no sheets, and says so by its text.
    (tmp_path / "1.html").write_text(site.pages["/1.html"], encoding="utf-8")
    assert JUNK in json.loads(pindna("extract", "1.html", "--json").stdout)["text"]


def endless():
    return repeat(b".a{color:red}" * 4096)


def dripping():
    for _ in range(600):
        yield b".a{color:red}"
        time.sleep(0.1)


@pytest.fixture
def canary():
    """An address of the inside that tells who came."""
    came = []
    with socket.create_server(("127.0.0.2", 0)) as server:

        def wait():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                came.append(1)
                connection.close()

        threading.Thread(target=wait, daemon=True).start()
        yield f"http://127.0.0.2:{server.getsockname()[1]}", came


def test_failing_sheet_loses_no_page(stores, crawl, site, canary):
    inside, came = canary
    sheets = {
        "missing": Reply(status=404),
        "broken": Reply(status=500),
        "refused": Reply(status=403),
        "busy": Reply(status=503, Retry_After="86400"),
        "huge": Reply(HIDING + ".b{color:red}" * 100_000, kind=CSS),
        "endless": Reply(chunks=endless, kind=CSS),
        "dripping": Reply(chunks=dripping, kind=CSS),
        "inside": Reply(status=302, Location=f"{inside}/a.css"),
        "round": Reply(status=302, Location="/round.css"),
        "html": Reply("<html><style>p{display:none}</style></html>"),
        "imports": Reply('@import url("/imports.css"); @import "/more.css";' + HIDING, kind=CSS),
        "nested": Reply("@media screen{" * 60_000 + HIDING, kind=CSS),
        "comments": Reply("/*" * 200_000, kind=CSS),
        "selectors": Reply("div div div div p{display:none}" * 10_000, kind=CSS),
        "everything": Reply("p,article,div{display:none}", kind=CSS),
        "binary": Reply(bytes(range(256)) * 400, kind=CSS),
        "forbidden": Reply(HIDING, kind=CSS),
    }
    names = list(sheets)
    site.pages = {f"/{n}.html": page(n, f"/{name}.css") for n, name in enumerate(names)}
    site.pages["/direct.html"] = page(98, f"{inside}/a.css", "http://[bad/a.css", "ftp://x.example/a.css")
    site.pages["/elsewhere.html"] = page(99, "http://other.example/a.css")
    paths = list(site.pages)
    site.pages |= {f"/{name}.css": reply for name, reply in sheets.items()}
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /forbidden.css\n"
    _, counts = crawl(
        source(site, *paths, concurrency=8),
        PINDNA_CRAWLER__ALLOW_INNER='["127.0.0.1"]',
        PINDNA_CRAWLER__TIMEOUT_S="20",
    )
    found = texts(stores)
    assert (counts["pages"], counts["failed"]) == (len(paths), 0)
    for path in paths:
        name = names[int(path[1:-5])] if path[1:-5].isdigit() else path
        assert_read(found, path, junk=name != "imports")
    assert came == []
    asked = [path for path in site.paths() if path.endswith(".css") and path != "/round.css"]
    assert not {"/more.css", "/forbidden.css"} & set(asked)
    assert sorted(set(asked)) == sorted(asked)  # each once, whatever came of it
