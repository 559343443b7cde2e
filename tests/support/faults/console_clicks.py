"""What an hour of clicking leaves in the console's memory, and in the document server's.

Four people ask for its pages and lists as in :mod:`benchmarks.console`; the fifth sits at a browser, whose
pages connect by websocket, sort, and are left for others. Memory is resident memory, noted every minute.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle

import psutil
import requests
from support.scale.scale_fill import Prose
from support.scale.scale_ground import open_ground

from benchmarks.console import (
    MATCHING,
    READING_S,
    USERS,
    SimulatedUser,
    paths_by_pattern,
    running_console,
    sign_in_administrator,
)
from benchmarks.report import Table
from crawler.download.browser.chromium import has_sandbox, require_browser
from storage.servers.redis_client import open_redis
from storage.servers.throttle import Throttle
from storage.settings import CrawlerSettings

_MINUTE_S = 60.0
_ROWS = 13  # of the table, evenly spread
_CONSOLE, _DOCUMENTS = "console", "mongo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Minute:
    """How things stand after some minutes.

    Attributes:
        minutes: since clicking began.
        loads: answers that were read to their end, by now.
        failed: answers that did not come in time, or told of an error.
        in_browser: how many of them a browser showed, connected.
        console_mb, documents_mb: resident memory of the console and of the document server.
    """

    minutes: float
    loads: int
    failed: int
    in_browser: int
    console_mb: float
    documents_mb: float


def measure(pool: str, *, pages: int, minutes: float, tell: Callable[[str], None]) -> list[Minute]:
    """Return how memory grew while people clicked.

    Args:
        pool: real prose that texts are mixed from.
        pages: in the database.
        minutes: how long they click.
        tell: is told what is done.

    Raises:
        StackError: the servers cannot be started.
        BrowserMissing: there is no browser.
    """
    program = str(require_browser(CrawlerSettings(), wanted_by="the console's benchmark"))
    with open_ground(pages, Prose(pool), matching=MATCHING) as ground:
        tell(f"filled: {pages} pages")
        with (
            running_console(ground) as console,
            closing(open_redis(ground.runtime.settings.storage)) as client,
        ):
            cookie, token = sign_in_administrator(ground, Throttle(client))
            paths = paths_by_pattern(ground)
            users = [SimulatedUser(console.address, cookie, token, paths, seed) for seed in range(USERS - 1)]
            shown, failed, stop = Counter[str](), Counter[str](), threading.Event()
            pids = {_CONSOLE: console.pid} | {
                status.name: status.pid for status in ground.stack.status() if status.name == _DOCUMENTS
            }
            processes = {name: psutil.Process(pid) for name, pid in pids.items()}
            with ThreadPoolExecutor(USERS) as threads:
                asking = [threads.submit(_click, user, failed, stop) for user in users]
                asking.append(
                    threads.submit(
                        _browse,
                        program,
                        console.address,
                        cookie,
                        paths,
                        shown=shown,
                        failed=failed,
                        stop=stop,
                    )
                )
                try:
                    return list(_noted(users, shown, failed, processes=processes, minutes=minutes, tell=tell))
                finally:
                    stop.set()
                    for task in asking:
                        task.result()


def _noted(
    users: Sequence[SimulatedUser],
    shown: Mapping[str, int],
    failed: Mapping[str, int],
    *,
    processes: Mapping[str, psutil.Process],
    minutes: float,
    tell: Callable[[str], None],
) -> list[Minute]:
    noted: list[Minute] = []
    begun = time.monotonic()
    while True:
        passed = (time.monotonic() - begun) / _MINUTE_S
        in_browser = sum(shown.values())
        memory = {name: process.memory_info().rss / 2**20 for name, process in processes.items()}
        noted.append(
            Minute(
                minutes=passed,
                loads=in_browser + sum(len(times) for user in users for times in user.times.values()),
                failed=sum(failed.values()),
                in_browser=in_browser,
                console_mb=memory[_CONSOLE],
                documents_mb=memory[_DOCUMENTS],
            )
        )
        tell(_told(noted[-1]))
        if passed >= minutes:
            return noted
        time.sleep(min(_MINUTE_S, max(0.0, minutes - passed) * _MINUTE_S))


def _told(minute: Minute) -> str:
    return (
        f"{minute.minutes:.0f} min, {minute.loads} loads, {minute.failed} failed: "
        f"console {minute.console_mb:.0f} MB, documents {minute.documents_mb:.0f} MB"
    )


def _click(user: SimulatedUser, failed: Counter[str], stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            user.request_all(1, reading_s=READING_S, stop=stop)
        except requests.RequestException as error:
            failed[type(error).__name__] += 1


def _browse(
    program: str,
    address: str,
    cookie: Mapping[str, str],
    paths: Mapping[str, str],
    *,
    shown: Counter[str],
    failed: Counter[str],
    stop: threading.Event,
) -> None:
    """Show one page after the other in a browser, until told to stop."""
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415 - of an extra

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, chromium_sandbox=has_sandbox())
        context = browser.new_context(locale="zh-CN")
        context.add_cookies(
            [{"name": name, "value": value, "url": address} for name, value in cookie.items()]
        )
        page = context.new_page()
        for pattern, path in cycle(paths.items()):
            if stop.is_set():
                break
            if not pattern.startswith("/api/"):
                try:
                    page.goto(address + path, wait_until="networkidle")
                    shown[pattern] += 1
                except Error as error:
                    failed[type(error).__name__] += 1
                stop.wait(READING_S)
        browser.close()


def table(noted: Sequence[Minute]) -> Table:
    """Return how memory stood in the course of the time."""
    step = max(1, round((len(noted) - 1) / (_ROWS - 1)))
    rows = [*noted[:-1:step], noted[-1]]
    return Table(
        f"Clicking: {USERS} people, who read for {READING_S:.0f} s, one of them in a browser",
        ("minutes", "loads", "failed", "in the browser", "console, MB", "documents, MB"),
        tuple(
            (
                f"{row.minutes:.0f}",
                f"{row.loads:,}",
                f"{row.failed:,}",
                f"{row.in_browser:,}",
                f"{row.console_mb:.0f}",
                f"{row.documents_mb:.0f}",
            )
            for row in rows
        ),
    )
