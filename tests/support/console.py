"""The console as its users have it: `pindna serve` on real servers with finds in them, seen in Chromium."""

import hashlib
import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright
from support.browsers import require_browser
from support.loading import store_work
from support.processes import PINDNA, environment_of
from support.sample_novels import CHAPTERS, STRANGER
from support.watched import compare_all
from support.wrong_servers import free_port

from analysis.accounts.managing import Manager
from analysis.accounts.otp_keys import OneTimeKeys
from analysis.accounts.signing_in import AT_ACCOUNT, FROM_NETWORK, SignInService, Visitor
from deploy.demo.disguises import half, homophones, quote, traditional
from deploy.demo.samples import SAMPLES
from storage.collections.pages import page_id
from storage.records import Holder, Role, Scan, Snapshot, Source, utc_now
from storage.records import Page as StoredPage
from storage.servers.redis_client import open_redis
from storage.servers.throttle import Throttle
from storage.settings import Settings
from system.sites import host_of
from tracker.corpus.loading import Terms
from tracker.corpus.reading import read_works
from tracker.indexing.adding import index_works
from tracker.runtime import Runtime, open_runtime

PASSWORD = "正确 的马 电池 订书钉 42"  # noqa: S105 - of accounts of the tests
ACCOUNTS: dict[str, Role] = {
    "admin": "administrator",
    "ana": "analyst",
    "bai": "analyst",
    "op": "operator",
    "hol": "holder",
}
HOLDERS = {"青灯渡": "青灯书社", "雾港来信": "雾港文库"}  # the account ``hol`` sees the works of the first
SITES = ("www.yueduwo.example", "m.kanshu.example", "news.duli.example")
REVIEW_SITE = "shenhe.example"  # of stretches that are found one by one, for the tests of reviewing
REVIEWED = 24
SOURCE = "novels"
SCREENSHOTS = Path("build") / "screenshots"
expect.set_options(timeout=30_000)  # ms; a machine that runs four of these tests at once is slow
LEAVING = "WebSocket is already in CLOSING or CLOSED state."  # said of a page that is just being left
# Hostile, and harmless as text.
HOSTILE_TITLE = (
    "<img src=x onerror=alert(1)>{{7*7}}</script><script>alert(2)</script>\u202e'\"`**_"
    "[x](javascript:alert(3))"
)


@dataclass
class Console:
    """A running console.

    Attributes:
        address: of its first page.
        runtime: settings and stores that it works on.
        problems: what browsers complained of, such as what the content security policy refused.
    """

    address: str
    runtime: Runtime
    browser: Browser
    environment: dict[str, str]
    problems: list[str] = field(default_factory=list)

    def sign_in(self, name: str, password: str = PASSWORD) -> dict[str, str]:
        """Sign an account in without a browser; returns the cookies."""
        settings = self.runtime.settings
        keys = OneTimeKeys.of(settings, self.runtime.stores)
        with closing(open_redis(settings.storage)) as client:
            door = SignInService(self.runtime.stores, Throttle(client), settings.analysis.server, keys)
            visitor = Visitor("127.0.0.1")
            secret, _ = door.sign_in(name, password, visitor=visitor)
            door.throttle.forget(AT_ACCOUNT, name)  # tests sign in more often than people may
            door.throttle.forget(FROM_NETWORK, visitor.network)
        return {"pindna": secret}

    @contextmanager
    def window(
        self,
        name: str = "ana",
        *,
        width: int = 1440,
        language: str = "zh",
        dark: bool = False,
        touch: bool = False,
    ) -> Iterator[BrowserContext]:
        """Open a browser of its own in which an account is signed in; empty: nobody."""
        context = self.browser.new_context(
            base_url=self.address,
            viewport={"width": width, "height": 900},
            locale="zh-CN" if language == "zh" else "en-US",
            color_scheme="dark" if dark else "light",
            has_touch=touch,
        )
        if name:
            cookies = [
                {"name": key, "value": value, "url": self.address, "httpOnly": True, "sameSite": "Lax"}
                for key, value in self.sign_in(name).items()
            ]
            context.add_cookies(cookies)
        context.on("weberror", lambda error: self.problems.append(str(error.error)))
        context.on("console", self._listen)
        try:
            yield context
        finally:
            context.close()

    def _listen(self, said: ConsoleMessage) -> None:
        if said.type == "error" and said.text != LEAVING:
            self.problems.append(said.text)

    @contextmanager
    def page(self, path: str, name: str = "ana", **window: object) -> Iterator[Page]:
        """Open a page of the console, connected to the server, in a browser of its own."""
        with self.window(name, **window) as context:
            page = context.new_page()
            go(page, path)
            yield page


def go(page: Page, path: str) -> None:
    """Open a page of the console, and wait until it is connected to the server."""
    page.goto(path)
    page.wait_for_function("window.socket && window.socket.connected")


def screenshot(page: Page, name: str) -> None:
    """Keep a picture of a page for people to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


@dataclass(frozen=True)
class ServedConsole:
    """`pindna serve` over filled stores, without a browser; attributes as those of `Console`."""

    address: str
    runtime: Runtime
    environment: dict[str, str]


@contextmanager
def serving_console(settings: Settings, folder: Path) -> Iterator[ServedConsole]:
    """Fill the stores and serve the console over them.

    Args:
        settings: of empty databases.
        folder: for the server's output.
    """
    require_browser()  # before minutes of filling
    runtime = open_runtime(settings)
    with closing(runtime):
        fill(runtime)
        environment, port = environment_of(settings), free_port()
        with served(environment, port, folder / "serve.log"):
            yield ServedConsole(f"http://127.0.0.1:{port}", runtime, environment)
        runtime.stores.database.client.drop_database(runtime.stores.database.name)


@contextmanager
def seen_in_browser(served: ServedConsole) -> Iterator[Console]:
    """Open a browser on a console that is served.

    The driver keeps an event loop running in this thread until it is closed, so that no other test may call
    `asyncio.run` meanwhile: a browser lives for a module.
    """
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=require_browser(),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield Console(served.address, served.runtime, browser, served.environment)
        browser.close()


@contextmanager
def served(environment: dict[str, str], port: int, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run `pindna serve`, and wait until it answers."""
    with log.open("ab") as output:
        command = [str(PINDNA), "serve", "--port", str(port)]
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=log.parent)
    try:
        _wait(f"http://127.0.0.1:{port}/healthz", process, log)
        yield process
    finally:
        process.terminate()
        process.wait(20)


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            with urlopen(address, timeout=5):  # noqa: S310 - an address of ours
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8"))


def fill(runtime: Runtime) -> None:
    """Store works, pages of three sites compared with them, and an account of each role."""
    stores = runtime.stores
    for holder in HOLDERS.values():
        stores.holders.save(Holder(name=holder))
    manager = Manager(stores, "the tests")
    for name, role in ACCOUNTS.items():
        holders = ("青灯书社",) if role == "holder" else ()
        manager.add(name, role=role, holders=holders, password=PASSWORD)
    index, works = runtime.guard.live(), []
    for path in sorted((SAMPLES / "novels").glob("*.txt")):
        for raw in read_works(path):
            assert not isinstance(raw, Exception), raw
            named = raw if raw.title in HOLDERS else replace(raw, title=HOSTILE_TITLE)
            terms = Terms(HOLDERS.get(named.title, "星槎工作室"), ())
            _, work = store_work(named, stores, index, terms=terms)
            works.append(work)
    assert index_works(works, stores, index) == len(works)
    stores.sources.save(Source(name=SOURCE, kind="novel", start_urls=(f"http://{SITES[0]}/book/",)))
    began = utc_now()
    ended = Scan(id="scan-0", trigger="hand", sources=(SOURCE,), started=began)
    stores.scans.open(ended)
    assert stores.scans.finish(replace(ended, status="finished", finished=began))
    stores.scans.open(Scan(id="scan-1", trigger="hand", sources=(SOURCE,), started=began))
    for number, (site, title, text) in enumerate(_pages()):
        store_page(runtime, f"http://{site}/book/{number}.html", title, text)
    compare_all(stores, runtime.corpus())
    assert any(True for _match in stores.matches.listed())


def _pages() -> Iterator[tuple[str, str, str]]:
    rng = random.Random(20261123)
    for novel, chapters in CHAPTERS.items():
        for number, text in enumerate(chapters):
            yield SITES[0], f"{novel} 第{number + 1}章", text
            yield SITES[1], f"{novel}（{number + 1}）", homophones(text, 0.1, rng)
            yield SITES[1], f"{novel} 繁體 {number + 1}", traditional(text)
            yield SITES[2], f"半篇 {novel} {number + 1}", half(text, STRANGER)
            yield (
                SITES[2],
                f"书评：{novel} {number + 1}",
                f"{STRANGER[:300]}\n{quote(text, 80, rng)}\n{STRANGER[300:600]}",
            )
    yield SITES[0], HOSTILE_TITLE, f"{CHAPTERS['青灯渡'][0]}\n{HOSTILE_TITLE}"
    yield SITES[2], "不相干的一页", STRANGER
    yield (
        SITES[2],
        "两部作品",
        f"{CHAPTERS['青灯渡'][1][:900]}\n{STRANGER[:300]}\n{CHAPTERS['雾港来信'][1][:900]}",
    )
    for number in range(REVIEWED):
        start = 270 * (number // 3)
        yield REVIEW_SITE, f"片段 {number + 1}", CHAPTERS["雾港来信"][number % 3][start : start + 260]


def store_page(runtime: Runtime, url: str, title: str, text: str) -> None:
    """Store a page as a crawl does; it waits for comparison."""
    body = f"<html><head><title>{len(title)}</title></head><body>{text}</body></html>".encode()
    snapshot = Snapshot(
        sha256=hashlib.sha256(body).hexdigest(),
        url=url,
        status=200,
        headers=b"Content-Type: text/html; charset=utf-8",
        body=body,
        fetched=utc_now(),
    )
    runtime.stores.snapshots.save(snapshot)
    page = StoredPage(
        id=page_id(url, text),
        url=url,
        host=host_of(url),
        source=SOURCE,
        kind="article",
        fetched=snapshot.fetched,
        title=title,
        text=text,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        snapshots=(snapshot.sha256,),
        scan_id="scan-1",
    )
    runtime.stores.pages.see_many([page])
