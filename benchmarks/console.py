"""Response time of the console's pages with five users, compared with the server's simplest answer.

The peer is ``/healthz`` of the same server, requested by the same clients in the same rounds. Its time shows
how much of each response time is due to the machine, its load and HTTP. A page is requested as browsers do
it: with a session cookie, and up to the end of the HTML, which includes the first content.

There are two measurements: with users who read for some seconds between two answers, and with users who never
pause. The second measurement shows the server's maximum throughput.
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
MATCHING = 5  # every fifth page has a match
USERS = 5
FIRST_S = 1.0  # goal for the first content of a page, 95th percentile
LIST_S = 0.5  # goal for a list of the API, 95th percentile
READING_S = 5.0  # mean pause between two answers; a pause varies between 0.5 and 1.5 times the mean
PEER = "/healthz"
_START_S = 180.0
_TIMEOUT_S = 60.0
_PAUSE_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseTimes:
    """Response times of one address.

    Attributes:
        reading_s: mean pause of the users between two answers.
        path: pattern of the addresses.
        count: number of answers.
        median_ms, p95_ms: median and 95th percentile of the time to the last byte.
        peer_p95_ms: 95th percentile of the peer in the same rounds.
        goal_ms: goal for the 95th percentile.
        kilobytes: size of an answer as sent.
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
class RunningConsole:
    """Address and process id of a running console."""

    address: str
    pid: int


def measure(
    pool: str, *, pages: int, rounds: int, report_progress: Callable[[str], None]
) -> list[ResponseTimes]:
    """Measure the response times of pages and lists, for users who read and for users who never pause.

    Args:
        pool: real prose from which page texts are mixed.
        pages: number of pages in the database.
        rounds: number of rounds without pauses. In a round each user requests every address once, in random
            order. Users who read do a quarter of the rounds.
        report_progress: called with progress messages.

    Raises:
        StackError: the servers cannot be started.
    """
    with open_ground(pages, Prose(pool), matching=MATCHING) as ground:
        report_progress(f"filled: {pages} pages")
        with (
            running_console(ground) as console,
            closing(open_redis(ground.runtime.settings.storage)) as client,
        ):
            cookie, token = sign_in_administrator(ground, Throttle(client))
            paths = paths_by_pattern(ground)
            address = console.address
            SimulatedUser(address, cookie, token, paths, seed=USERS).request_all(1, reading_s=0)  # warm-up
            reading = request_as_users(
                address, cookie, token, paths, rounds=max(1, rounds // 4), reading_s=READING_S
            )
            report_progress(f"finished with {READING_S:.0f} s of reading")
            return reading + request_as_users(address, cookie, token, paths, rounds=rounds, reading_s=0)


def request_as_users(
    address: str, cookie: dict[str, str], token: str, paths: dict[str, str], *, rounds: int, reading_s: float
) -> list[ResponseTimes]:
    """Request every address as several users at the same time, and return the response times.

    Args:
        address: address of the server.
        cookie: session cookie.
        token: API token.
        paths: pattern of an address → path.
        rounds: number of rounds; see :func:`measure`.
        reading_s: mean pause between two answers.
    """
    users = [SimulatedUser(address, cookie, token, paths, seed) for seed in range(USERS)]
    with ThreadPoolExecutor(USERS) as pool:
        for future in [pool.submit(user.request_all, rounds, reading_s=reading_s) for user in users]:
            future.result()
    return _summarise(users, paths, reading_s)


def paths_by_pattern(ground: Ground) -> dict[str, str]:
    """Return pattern → path for each page and list."""
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
def running_console(ground: Ground) -> Iterator[RunningConsole]:
    """Run `pindna serve` for the database, and stop it at the end of the block."""
    export(ground.stack.settings)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-P", "-m", "deploy.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603 - our own program
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(address, process)
        yield RunningConsole(address, process.pid)
    finally:
        process.terminate()
        process.wait()


def _wait_until_ready(address: str, process: subprocess.Popen[bytes]) -> None:
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


def sign_in_administrator(ground: Ground, throttle: Throttle) -> tuple[dict[str, str], str]:
    """Return a session cookie and an API token of an administrator."""
    stores, settings = ground.runtime.stores, ground.runtime.settings.analysis.server
    password = secrets.token_urlsafe(24)
    Manager(stores, "benchmark").add("benchmark", role="administrator", password=password)
    keys = OneTimeKeys.of(ground.runtime.settings, stores)
    door = SignInService(stores, throttle, settings, keys)
    secret, _session = door.sign_in("benchmark", password, visitor=Visitor("127.0.0.1"))
    token, _ = make_token(
        stores, settings, account="benchmark", label="benchmark", scopes=(), days=1, by="benchmark"
    )
    return {"pindna": secret}, token


class SimulatedUser:
    """A simulated user who requests every address repeatedly."""

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

    def request_all(self, rounds: int, *, reading_s: float, stop: threading.Event | None = None) -> None:
        """Request every address ``rounds`` times, or until ``stop`` is set."""
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


def _summarise(
    users: Sequence[SimulatedUser], paths: dict[str, str], reading_s: float
) -> list[ResponseTimes]:
    peer = _p95(_all_times(users, PEER))
    return [
        ResponseTimes(
            reading_s=reading_s,
            path=pattern,
            count=len(times := _all_times(users, pattern)),
            median_ms=median(times) * 1000,
            p95_ms=_p95(times) * 1000,
            peer_p95_ms=peer * 1000,
            goal_ms=(LIST_S if pattern.startswith("/api/") else FIRST_S) * 1000,
            kilobytes=users[0].sizes[pattern] / 1000,
        )
        for pattern in paths
    ]


def _all_times(users: Sequence[SimulatedUser], pattern: str) -> list[float]:
    return [seconds for user in users for seconds in user.times[pattern]]


def _p95(times: Sequence[float]) -> float:
    return quantiles(times, n=20)[-1] if len(times) > 1 else times[0]


def tables(answers: Sequence[ResponseTimes]) -> list[Table]:
    """Return one table for each mean pause, which compares every address with the peer and the goal."""
    pauses = dict.fromkeys(row.reading_s for row in answers)
    return [_table([row for row in answers if row.reading_s == pause]) for pause in pauses]


def _table(answers: Sequence[ResponseTimes]) -> Table:
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
    how = f"reading {reading_s:.0f} s between two answers" if reading_s else "without pauses"
    return Table(f"Console with {USERS} users, {how}", head, rows)
