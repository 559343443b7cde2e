"""Sources rendered in a real browser: what their scripts show is read, and kept as evidence."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from PIL import Image
from support.browsers import require_browser
from support.crawls import for_people
from support.processes import environment_of, processes_of
from support.waiting import wait_until
from support.webserver import Reply, anchors, article, web_site
from warcio.archiveiterator import ArchiveIterator

from crawler.pages.warc_reading import read_back
from storage.records import Login, Scan, Source, utc_now

pytestmark = pytest.mark.services
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _browser():
    require_browser()


@pytest.fixture
def site():
    with web_site() as running:
        yield running


def scripted(title, path, *, charset="utf-8"):
    """A page whose text is only there once its script has asked the site for it."""
    return (
        f"<html><head><meta charset={charset}><title>{title}</title></head><body><div id=text></div><script>"
        f"fetch('{path}').then(a => a.text()).then(t => document.getElementById('text').innerHTML = t)"
        "</script></body></html>"
    )


def novel_of(count):
    """A novel whose catalogue and chapters are both made by scripts."""
    links = anchors(*((f"/book/{n}.html", f"第{n}章 渡口") for n in range(1, count + 1)))
    pages = {
        "/book/": "<html><head><meta charset=utf-8></head><body><script>document.body.innerHTML = "
        f"{json.dumps(links)}</script></body></html>"
    }
    for n in range(1, count + 1):
        pages[f"/book/{n}.html"] = Reply(scripted(f"第{n}章 渡口", f"/text/{n}"), ETag=f'"{n}"')
        pages[f"/text/{n}"] = article(f"第{n}章 渡口", seed=n)
    return pages


@pytest.fixture
def scratch():
    """Where a crawl and its browser leave what they forget; short, for the address of a socket is."""
    with tempfile.TemporaryDirectory(prefix="crawl-") as folder:
        yield Path(folder)


@pytest.fixture
def start(stores, settings, scratch):
    """Start a crawl of a source in a new scan."""

    def run(source, scan="s1", **env):
        stores.sources.save(source)
        stores.scans.open(Scan(id=scan, trigger="hand", sources=(source.name,), started=utc_now()))
        command = [sys.executable, "-m", "crawler", "--source", source.name, "--scan", scan]
        return subprocess.Popen(
            [*command, "--crawl", f"{scan}:{source.name}"],
            cwd=ROOT,
            env={**environment_of(settings), "PINDNA_CRAWLER__RETRIES": "0", "TMPDIR": str(scratch), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return run


@pytest.fixture
def crawl(start, stores, scratch):
    """Crawl a source to its end; returns what it said and the counts. Nothing is left behind, ever."""

    def run(source, scan="s1", *, status=0, **env):
        process = start(source, scan, **env)
        _, said = process.communicate(timeout=200)
        assert "Traceback" not in said, said
        assert process.returncode == status, said
        assert not processes_of(scratch)
        assert not list(scratch.iterdir())
        return said, stores.scans.crawls(scan)[0].counts

    return run


def texts(stores):
    """Return the texts that were read, by the end of their address."""
    urls = [each.url for each in stores.pages.all() if each.state == "fetched"]
    return {url.rpartition("/")[2]: stores.pages.versions(url)[0].text for url in urls}


def records(warc):
    return [
        (each.rec_type, dict(each.rec_headers.headers), each.raw_stream.read())
        for each in ArchiveIterator(io.BytesIO(warc), check_digests="raise")
    ]


def test_novel_made_by_scripts_is_read_and_kept_with_pictures(stores, crawl, site, pindna, tmp_path):
    site.pages.update(novel_of(2))
    novel = Source(
        name="novel", kind="novel", start_urls=(f"{site.url}/book/",), render=True, screenshot=True
    )
    crawl(novel)
    first = stores.pages.versions(f"{site.url}/book/1.html")[0]
    assert len(texts(stores)) == 2
    assert "编号101的候鸟" in first.text

    # The document as it came, the page as it was shown, and which is which.
    snapshot = stores.snapshots.get(first.snapshots[0])
    kinds = {kind: (headers, body) for kind, headers, body in records(snapshot.warc)}
    assert set(kinds) == {"response", "request", "conversion"}
    assert kinds["conversion"][0]["WARC-Refers-To"] == kinds["response"][0]["WARC-Record-ID"]
    assert "Chromium" in kinds["conversion"][0]["WARC-Conversion-Software"]
    assert kinds["response"][1] == site.pages["/book/1.html"].body
    exchange = read_back(snapshot.warc, sha256=first.snapshots[0])
    assert exchange.document == site.pages["/book/1.html"].body
    assert "编号101的候鸟".encode() in exchange.body
    assert b"GET /book/1.html HTTP/1.1" in exchange.request

    # The picture: once by its SHA-256, once by the command.
    picture = next(each for each in stores.captures.of_url(first.url) if each.kind == "screenshot")
    kept = stores.snapshots.get(picture.sha256)
    (kind, headers, image), *others = records(kept.warc)
    assert (kind, others) == ("resource", [])
    assert headers["Content-Type"] == "image/png"
    assert headers["WARC-Concurrent-To"] == kinds["response"][0]["WARC-Record-ID"]
    assert hashlib.sha256(image).hexdigest() == picture.sha256
    assert kept.fetched == picture.fetched
    pindna("page", "snapshot", first.url, "--screenshot", tmp_path / "page.png")
    assert (tmp_path / "page.png").read_bytes() == image
    opened = Image.open(io.BytesIO(image))
    assert opened.width == 1280
    assert 200 <= opened.height <= 10_000
    assert len(set(opened.convert("L").histogram())) > 5  # letters on paper, no blank sheet
    dark = sum(opened.convert("L").histogram()[:100])
    assert dark > 1000

    shown = pindna("page", "snapshot", first.url).stdout
    assert "编号101的候鸟" in shown
    assert "编号101的候鸟" not in pindna("page", "snapshot", first.url, "--document").stdout
    pindna("page", "snapshot", first.url, "--warc", tmp_path / "all.warc.gz")
    found = [kind for kind, *_ in records((tmp_path / "all.warc.gz").read_bytes())]
    assert sorted(found) == ["conversion", "request", "resource", "response", "warcinfo"]

    # Again: nothing is asked conditionally, and what is the same is not read again.
    site.asked.clear()
    _, counts = crawl(novel, "s2")
    assert counts["unchanged"] == 2
    assert not [path for path, headers, _ in site.asked if "If-None-Match" in headers]
    again = [each for each in stores.captures.of_url(first.url) if each.scan_id == "s2" and each.warc]
    assert [kind for kind, *_ in records(again[0].warc)] == ["response", "request", "metadata"]
    assert f"sha256:{first.snapshots[0]}".encode() in records(again[0].warc)[2][2]


@pytest.mark.long
def test_without_a_browser_there_is_no_text(stores, crawl, site):
    site.pages.update(novel_of(1))
    crawl(Source(name="novel", kind="urls", start_urls=(f"{site.url}/book/1.html",)))
    assert not texts(stores)


@pytest.mark.long
def test_cookies_and_the_login_reach_the_browser_and_stay(stores, crawl, site):
    def member(_path, headers, _sent):
        cookies = headers.get("Cookie", "")
        known = "session=s3cret" in cookies and "age=1" in cookies
        return article("会员章节", seed=4) if known else "<p>请登录"

    site.pages.update(
        {
            "/login": "<form method=post action=/in><input name=user><input name=word type=password></form>",
            "/in": Reply("欢迎回来", Set_Cookie="session=s3cret; Path=/"),
            "/member/1.html": scripted("会员章节", "/inner"),
            "/inner": member,
            "/second.html": scripted("会员章节", "/inner?2"),
        }
    )
    login = Login(url=f"{site.url}/login", fields={"user": "a", "word": "b"}, check="欢迎回来")
    urls = (f"{site.url}/member/1.html", f"{site.url}/second.html")
    crawl(Source(name="m", kind="urls", start_urls=urls, login=login, cookies={"age": "1"}, render=True))
    assert len(texts(stores)) == 2
    assert all("编号401的候鸟" in each for each in texts(stores).values())


@pytest.mark.long
def test_robots_hold_for_rendered_pages_and_for_where_they_lead(stores, crawl, site):
    site.pages.update(
        {
            "/robots.txt": Reply("User-agent: *\nDisallow: /closed", kind="text/plain"),
            "/closed/1.html": article("闭", seed=1),
            "/moved.html": Reply(status=302, Location="/closed/2.html"),
            "/scripted.html": "<script>location = '/closed/3.html'</script>",
            "/open.html": "<script>location = '/after.html'</script>",
            "/after.html": article("开", seed=5),
        }
    )
    names = ("closed/1.html", "moved.html", "scripted.html", "open.html")
    crawl(
        Source(name="r", kind="urls", start_urls=tuple(f"{site.url}/{name}" for name in names), render=True)
    )
    assert not [path for path in site.paths() if path.startswith("/closed")]
    assert list(texts(stores)) == ["after.html"]
    reasons = {each.url: each.reason for each in stores.pages.all() if each.state == "failed"}
    assert set(reasons.values()) == {"robots"}


@pytest.mark.long
def test_files_old_encodings_and_reloads(stores, crawl, site):
    def challenge(_path, headers, _sent):
        if "passed=1" in headers.get("Cookie", ""):
            return article("过关", seed=6)
        return Reply("<script>document.cookie = 'passed=1'; location.reload()</script>", status=503)

    old = scripted("旧编码", "/text", charset="gbk").replace("<div id=text>", "<p>国字</p><div id=text>")
    site.pages.update(
        {
            "/old.html": Reply(old.encode("gbk"), kind="text/html"),
            "/text": article("旧编码", seed=7),
            "/challenge.html": challenge,
            "/plain.txt": Reply(
                ("候鸟从北方的湿地启程，沿着河谷一路向南。\n" * 30).encode(), kind="text/plain"
            ),
        }
    )
    names = ("old.html", "challenge.html", "plain.txt")
    crawl(
        Source(name="f", kind="urls", start_urls=tuple(f"{site.url}/{name}" for name in names), render=True)
    )
    found = texts(stores)
    assert "编号701的候鸟" in found["old.html"]
    assert "编号601的候鸟" in found["challenge.html"]


@pytest.mark.long
def test_site_that_refuses_access_is_blocked_and_not_retried(crawl, site):
    site.default = Reply("<p>forbidden", status=403)
    urls = tuple(f"{site.url}/{n}.html" for n in range(30))
    said, _ = crawl(Source(name="b", kind="urls", start_urls=urls, render=True), status=4)
    assert "refused access" in said
    assert len(site.paths()) < 20


@pytest.mark.long
def test_missing_browser_is_reported_in_a_single_line(crawl, site, pindna, tmp_path, environment):
    site.pages.update(novel_of(1))
    source = Source(name="n", kind="urls", start_urls=(f"{site.url}/book/1.html",), render=True)
    said, _ = crawl(source, status=2, PINDNA_CRAWLER__BROWSER_PATH=str(tmp_path / "none"))
    assert for_people(said).count("\n") == 1
    assert "is not an executable program" in said
    assert "apt-get install chromium" in said
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n", encoding="ascii")
    broken.chmod(0o755)
    said, _ = crawl(source, "s2", status=2, PINDNA_CRAWLER__BROWSER_PATH=str(broken))
    assert for_people(said).count("\n") == 1
    assert "does not start" in said
    environment["PINDNA_CRAWLER__BROWSER_PATH"] = str(tmp_path / "none")
    assert "is not a program" in pindna("doctor", status=None).stdout
    del environment["PINDNA_CRAWLER__BROWSER_PATH"]
    assert str(require_browser()) in pindna("doctor", status=None).stdout


@pytest.mark.long
def test_extract_renders_a_page_on_request(pindna, site, tmp_path, environment):
    site.pages["/1.html"] = scripted("候鸟", "/text")
    site.pages["/text"] = article("候鸟", seed=3)
    url = f"{site.url}/1.html"
    (row,) = map(json.loads, pindna("extract", url, "--json").stdout.splitlines())
    assert "编号301的候鸟" not in row["text"]
    (row,) = map(json.loads, pindna("extract", url, "--render", "--json").stdout.splitlines())
    assert (row["kind"], row["title"]) == ("article", "候鸟")
    assert "编号301的候鸟" in row["text"]
    (tmp_path / "1.html").write_text("<p>", encoding="ascii")
    assert "only addresses are rendered" in pindna("extract", "1.html", "--render", status=2).stderr
    environment["PINDNA_CRAWLER__BROWSER_PATH"] = str(tmp_path / "none")
    said = pindna("extract", url, "--render", status=2).stderr
    assert (
        f"{url} must be rendered in a browser, but crawler.browser_path is not an executable program" in said
    )


@pytest.mark.long
def test_trial_says_that_it_was_rendered(pindna, site, tmp_path):
    site.pages.update(novel_of(1))
    (tmp_path / "n.toml").write_text(
        f'name = "n"\nkind = "novel"\nurls = ["{site.url}/book/"]\nrender = true\n', encoding="utf-8"
    )
    told = pindna("source", "test", "n.toml", "--json").stdout.splitlines()
    steps = [json.loads(line) for line in told]
    assert [(each["asked"], each["rendered"], each["reason"]) for each in steps] == [
        ("index", True, ""),
        ("text", True, ""),
    ]
    pindna("source", "add", "n", f"{site.url}/book/", "--kind", "novel", "--render", "--screenshot")
    assert json.loads(pindna("source", "list", "--json").stdout)["screenshot"] is True


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_browser_dies_with_its_crawl(start, site, scratch, how):
    site.pages.update({"/1.html": "<script>setInterval(() => fetch('/again'), 300)</script>"})
    process = start(Source(name="k", kind="urls", start_urls=(f"{site.url}/1.html",), render=True))
    try:
        wait_until(lambda: any(path == "/again" for path, *_ in site.asked))
        running = processes_of(scratch)
        assert len(running) > 3  # the crawl, the driver, the browser, its parts
        os.kill(process.pid, how)
        process.communicate(timeout=100)
        wait_until(lambda: not processes_of(scratch))
    finally:
        for each in processes_of(scratch):
            each.kill()
