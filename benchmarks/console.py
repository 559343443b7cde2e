"""How soon the console's pages come with five people at work, beside the server's plainest answer.

The peer is ``/healthz`` of the same server, asked by the same clients in the same rounds: what machine, load
and HTTP take of each answer. A page is asked for as a browser asks: with the cookie of a session, to the end
of its HTML, which holds its first content.

It is measured twice: with people who read for some seconds between two answers, as people at work do, and
with five that never pause, which shows what the server can do at most.
"""

import random
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from statistics import median, quantiles

import requests
from support.scale.scale_fill import Prose
from support.scale.scale_ground import Ground, open_ground

from analysis.accounts.managing import Manager
from analysis.accounts.otp_keys import OneTimeKeys
from analysis.accounts.signing_in import SignInService, Visitor
from analysis.accounts.tokens import make_token
from benchmarks.report import Table
from deploy.cli.session import export
from storage.servers.redis_client import open_redis
from storage.servers.throttle import Throttle

PAGES = 10_000
MATCHING = 5  # one page in so many has a match
PEOPLE = 5
FIRST_S = 1.0  # a page's first content at the 95th percentile
LIST_S = 0.5  # a list of the API
READING_S = 5.0  # between two answers, on average: half of it to one and a half times
PEER = "/healthz"
_START_S = 180.0
_TIMEOUT_S = 60.0
_PAUSE_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What one address took.

    Attributes:
        reading_s: how long people read between two answers, on average.
        path: pattern of the address.
        count: answers.
        median_ms, p95_ms: to the last byte.
        peer_p95_ms: of the peer, in the same rounds.
        goal_ms: at the 95th percentile.
        kilobytes: of an answer, as it is sent.
    """

    reading_s: float
    path: str
    count: int
    median_ms: float
    p95_ms: float
    peer_p95_ms: float
    goal_ms: float
    kilobytes: float


@dataclass(frozen=True, slots=True)
class Served:
    """A console that runs: where it is reached, and its process."""

    address: str
    pid: int


def measure(pool: str, *, pages: int, rounds: int, tell: Callable[[str], None]) -> list[Answers]:
    """Return what pages and lists take, asked for by people who read, and by people who never pause.

    Args:
        pool: real prose that texts are mixed from.
        pages: in the database.
        rounds: in which each of the people who never pause asks for everything once, in an own order;
            of those who read, a quarter.
        tell: is told what is done.

    Raises:
        StackError: the servers cannot be started.
    """
    with open_ground(pages, Prose(pool), matching=MATCHING) as ground:
        tell(f"filled: {pages} pages")
        with served(ground) as console, closing(open_redis(ground.runtime.settings.storage)) as client:
            cookie, token = let_in(ground, Throttle(client))
            paths = paths_of(ground)
            address = console.address
            Person(address, cookie, token, paths, seed=PEOPLE).work(1, reading_s=0)  # imports, first plans
            reading = ask(address, cookie, token, paths, rounds=max(1, rounds // 4), reading_s=READING_S)
            tell(f"with {READING_S:.0f} s of reading: done")
            return reading + ask(address, cookie, token, paths, rounds=rounds, reading_s=0)


def ask(
    address: str, cookie: dict[str, str], token: str, paths: dict[str, str], *, rounds: int, reading_s: float
) -> list[Answers]:
    """Let people ask a server for everything, all at once.

    Args:
        address: of the server.
        cookie: of a session.
        token: for the API.
        paths: pattern → address.
        rounds: see :func:`measure`.
        reading_s: how long they read between two answers, on average.
    """
    people = [Person(address, cookie, token, paths, seed) for seed in range(PEOPLE)]
    with ThreadPoolExecutor(PEOPLE) as pool:
        for future in [pool.submit(person.work, rounds, reading_s=reading_s) for person in people]:
            future.result()
    return _summed(people, paths, reading_s)


def paths_of(ground: Ground) -> dict[str, str]:
    """Pattern → address of each page and list."""
    stores = ground.runtime.stores
    match, case = next(iter(stores.matches.listed())), next(iter(stores.cases.listed()))
    scan = stores.scans.newest(1)[0]
    pages = ("/", "/review", "/cases", "/works", "/sources", "/scans", "/statistics", "/pages", "/check")
    record_paths = {
        f"/matches/{match.name}": "/matches/…",
        f"/review/{match.name}": "/review/…",
        f"/cases/{case.name}": "/cases/…",
        f"/works/{match.work_id}": "/works/…",
        f"/scans/{scan.id}": "/scans/…",
    }
    lists = ("works", "matches", "cases", "pages", "scans", "sources", "notices")
    return {
        PEER: PEER,
        **{path: path for path in pages},
        **{pattern: path for path, pattern in record_paths.items()},
        **{f"/api/v1/{name}": f"/api/v1/{name}" for name in lists},
    }


@contextmanager
def served(ground: Ground) -> Iterator[Served]:
    """Run `pindna serve` over the database."""
    export(ground.stack.settings)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-P", "-m", "deploy.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 - our own program
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(address, process)
        yield Served(address, process.pid)
    finally:
        process.terminate()
        process.wait()


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            requests.get(address + PEER, timeout=_TIMEOUT_S)
        except requests.ConnectionError:
            time.sleep(_PAUSE_S)
        else:
            return
    raise RuntimeError("the console did not start")


def let_in(ground: Ground, throttle: Throttle) -> tuple[dict[str, str], str]:
    """Return the cookie of a session and a token, both of an administrator."""
    stores, settings = ground.runtime.stores, ground.runtime.settings.analysis.server
    password = secrets.token_urlsafe(24)
    Manager(stores, "benchmark").add("benchmark", role="administrator", password=password)
    keys = OneTimeKeys.of(ground.runtime.settings, stores.accounts)
    door = SignInService(stores, throttle, settings, keys)
    secret, _session = door.sign_in("benchmark", password, visitor=Visitor("127.0.0.1"))
    token, _ = make_token(
        stores, settings, account="benchmark", label="benchmark", scopes=(), days=1, by="benchmark"
    )
    return {"pindna": secret}, token


class Person:
    """Somebody who asks for everything, again and again."""

    def __init__(
        self, address: str, cookie: dict[str, str], token: str, paths: dict[str, str], seed: int
    ) -> None:
        self._address, self._paths = address, paths
        self._rng = random.Random(seed)
        self._session = requests.Session()
        self._session.headers.update({"Accept": "text/html", "Accept-Language": "zh"})
        self._session.cookies.update(cookie)
        self._token = {"Authorization": f"Bearer {token}"}
        self.times: dict[str, list[float]] = {}
        self.sizes: dict[str, int] = {}

    def work(self, rounds: int, *, reading_s: float, stop: threading.Event | None = None) -> None:
        """Ask for everything some times, or until told to stop."""
        stop = stop or threading.Event()
        for _ in range(rounds):
            for pattern in self._rng.sample(list(self._paths), len(self._paths)):
                if stop.wait(reading_s * self._rng.uniform(0.5, 1.5)):
                    return
                headers = self._token if pattern.startswith("/api/") else {}
                begun = time.perf_counter()
                answer = self._session.get(
                    self._address + self._paths[pattern], headers=headers, timeout=_TIMEOUT_S
                )
                self.times.setdefault(pattern, []).append(time.perf_counter() - begun)
                answer.raise_for_status()
                self.sizes[pattern] = len(answer.content)


def _summed(people: Sequence[Person], paths: dict[str, str], reading_s: float) -> list[Answers]:
    peer = _p95(_times(people, PEER))
    return [
        Answers(
            reading_s=reading_s,
            path=pattern,
            count=len(times := _times(people, pattern)),
            median_ms=median(times) * 1000,
            p95_ms=_p95(times) * 1000,
            peer_p95_ms=peer * 1000,
            goal_ms=(LIST_S if pattern.startswith("/api/") else FIRST_S) * 1000,
            kilobytes=people[0].sizes[pattern] / 1000,
        )
        for pattern in paths
    ]


def _times(people: Sequence[Person], pattern: str) -> list[float]:
    return [seconds for person in people for seconds in person.times[pattern]]


def _p95(times: Sequence[float]) -> float:
    return quantiles(times, n=20)[-1] if len(times) > 1 else times[0]


def tables(answers: Sequence[Answers]) -> list[Table]:
    """Return what each address took beside the peer and the goal, a table for each way of asking."""
    ways = dict.fromkeys(row.reading_s for row in answers)
    return [_table([row for row in answers if row.reading_s == way]) for way in ways]


def _table(answers: Sequence[Answers]) -> Table:
    head = ("address", "answers", "median, ms", "p95, ms", "peer's p95, ms", "goal, ms", "reached", "kB")
    rows = tuple(
        (
            row.path,
            str(row.count),
            f"{row.median_ms:.0f}",
            f"{row.p95_ms:.0f}",
            f"{row.peer_p95_ms:.0f}",
            f"{row.goal_ms:.0f}",
            "yes" if row.p95_ms <= row.goal_ms else "no",
            f"{row.kilobytes:.0f}",
        )
        for row in answers
    )
    reading_s = answers[0].reading_s
    how = f"who read for {reading_s:.0f} s between two answers" if reading_s else "who never pause"
    return Table(f"The console with {PEOPLE} people {how}", head, rows)
