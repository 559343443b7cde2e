"""Waiting for the worker, on a clock of the test's own."""

from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from analysis.health.services import missing_works
from deploy.cli import wait
from deploy.cli.scan import waiting
from storage.records import Crawl, Scan
from storage.settings import Settings
from system.errors import DiskRefuses, MemoryFull, NothingListens, StillLoading
from system.exit_status import ExitStatus

STARTED = datetime(2025, 3, 1, 4, 0, tzinfo=UTC)


def scan(**fields):
    return Scan(id="s1", trigger="hand", sources=("a",), started=STARTED, **fields)


class Clock:
    """Time that passes only by sleeping, in which other things happen."""

    def __init__(self):
        self.now = 1000.0
        self.steps = []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        for step in self.steps:
            step()


class Bar:
    def __init__(self):
        self.shown = []

    def add_task(self, description, total):
        self.shown.append((description, 0, total))
        return 7

    def update(self, task, *, total, completed):
        assert task == 7
        self.shown.append((completed, total))


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(wait, "time", clock)
    return clock


@pytest.fixture(autouse=True)
def bar(monkeypatch):
    bar = Bar()

    @contextmanager
    def progress():
        yield bar

    monkeypatch.setattr(wait, "progress", progress)
    return bar


class Runtime:
    """Works by status, one scan, and a queue whose workers answer or not."""

    def __init__(self, *, workers=(), **works):
        self.counts = works
        self.asked = []
        self.workers = workers
        self.scan = scan()
        self.crawls = []
        self.waiting_pages = self.compared_pages = 0
        self.settings = Settings()
        self.queue = SimpleNamespace(workers=self.answer, send="send")
        self.stores = SimpleNamespace(
            works=SimpleNamespace(count=self.count),
            scans=SimpleNamespace(get=lambda _id: self.scan, crawls=lambda _id: self.crawls),
            pages=SimpleNamespace(
                waiting=lambda _id: self.waiting_pages, compared=lambda _id: self.compared_pages
            ),
        )

    def count(self, status, *, owners=None):
        assert owners is None  # those of all holders
        return self.counts.get(status, 0)

    def answer(self, *, timeout_s):
        self.asked.append(timeout_s)
        return list(self.workers)


@pytest.fixture(autouse=True)
def dispatches(monkeypatch):
    """What was called to keep work going, with the function that sends."""
    calls = []
    for name in ("dispatch_works", "tick"):
        monkeypatch.setattr(
            waiting, name, lambda _stores, _settings, send, name=name: calls.append((name, send))
        )
    return calls


def test_every_work_is_awaited(clock, bar, dispatches):
    runtime = Runtime(stored=3)
    clock.steps.append(lambda: runtime.counts.update(stored=runtime.counts["stored"] - 1))
    waiting.wait_for_works(runtime)
    assert [step[-2:] for step in bar.shown] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert dispatches == [("dispatch_works", "send")] * 3
    assert clock.now == 1001.5
    assert runtime.asked == []


def test_wait_without_pending_work_returns_at_once(clock, bar, dispatches):
    waiting.wait_for_works(Runtime(indexed=5))
    assert (clock.now, dispatches, len(bar.shown)) == (1000.0, [], 1)


def test_total_that_grows_is_shown(clock, bar):
    runtime = Runtime(stored=2)
    counts = iter([5, 1, 0])
    clock.steps.append(lambda: runtime.counts.update(stored=next(counts)))
    waiting.wait_for_works(runtime)
    assert bar.shown[1:] == [(0, 5), (4, 5), (5, 5)]


@pytest.fixture
def lines(monkeypatch):
    """What is printed while a command waits."""
    lines = []
    monkeypatch.setattr(wait, "print_progress", lines.append)
    return lines


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(wait, "has_bar", lambda: True)


def at(clock, moment, act):
    """Let something happen once, so many seconds after the beginning."""

    def step():
        if clock.now >= 1000 + moment:
            act()

    clock.steps.append(step)


def test_missing_worker_is_reported_after_ten_seconds_and_the_wait_ends(clock, lines):
    runtime = Runtime(stored=2)
    with pytest.raises(wait.NoWorker) as raised:
        waiting.wait_for_works(runtime)
    assert raised.value.exit_status == ExitStatus.DOWN
    assert lines == [
        f"No worker has answered for {seconds} s; start one: celery -A tracker worker" for seconds in (12, 22)
    ]
    assert runtime.asked == [2.0, 2.0, 10.0]
    assert clock.now == 1030.0


def test_worker_that_answers_may_take_its_time(clock, lines):
    runtime = Runtime(stored=3, workers=["w"])
    at(clock, 95, lambda: runtime.counts.update(stored=0))
    waiting.wait_for_works(runtime)
    assert lines[0] == "Waiting: 0 of 3 works indexed"
    assert len(lines) == 4  # at 10, 20 and 30 seconds, then every minute


@pytest.mark.usefixtures("terminal")
def test_moving_progress_bar_needs_no_messages(clock, lines):
    runtime = Runtime(stored=5, workers=["w"])

    def finish():
        if (clock.now - 1000) % 8 == 0:
            runtime.counts["stored"] -= 1

    clock.steps.append(finish)
    waiting.wait_for_works(runtime)
    assert (clock.now, runtime.asked, lines) == (1040.0, [], [])


@pytest.mark.usefixtures("terminal")
def test_stalled_progress_bar_is_explained(clock, lines):
    runtime = Runtime(stored=5, workers=["w"])
    at(clock, 4, lambda: runtime.counts.update(stored=4))
    at(clock, 15, lambda: runtime.counts.update(stored=0))
    waiting.wait_for_works(runtime)
    assert lines == ["Waiting: 1 of 5 works indexed"]


def test_progress_is_printed_every_minute_without_a_bar(clock, lines):
    runtime = Runtime(workers=["w"])
    clock.steps.append(lambda: setattr(runtime, "compared_pages", int(clock.now - 1000)))
    at(clock, 80, lambda: setattr(runtime, "scan", scan(status="finished")))
    waiting.wait_for_scan(runtime, runtime.scan)
    assert lines == ["Waiting: 10 of 10 pages compared", "Waiting: 70 of 70 pages compared"]
    assert runtime.asked == []


def test_scan_waits_on_without_a_worker_and_says_so(clock, dispatches, lines):
    runtime = Runtime()
    at(clock, 100, lambda: setattr(runtime, "scan", scan(status="finished")))
    closed = waiting.wait_for_scan(runtime, runtime.scan)
    assert closed.status == "finished"
    assert set(dispatches) == {("tick", "send")}
    assert [line.partition("; ")[2] for line in lines] == ["start one: celery -A tracker worker"] * 2


def test_scan_names_its_crawls_and_counts_its_pages(clock, bar, lines):
    runtime = Runtime(workers=["w"])
    runtime.crawls = [
        Crawl(id=f"s1:{name}", scan_id="s1", source=name, state=state)
        for name, state in (("a", "due"), ("b", "due"), ("c", "done"))
    ]
    runtime.waiting_pages, runtime.compared_pages = 260, 40
    at(clock, 12, lambda: setattr(runtime, "scan", scan(status="failed")))
    assert waiting.wait_for_scan(runtime, runtime.scan).status == "failed"
    assert lines == ["Waiting: 2 crawls still run: a, b; 40 of 300 pages compared"]
    assert set(bar.shown[1:]) == {(40, 300)}


def down():
    return NothingListens(service="Redis", address="here:1", setting="storage.redis_url")


@pytest.fixture
def redis_away(monkeypatch, clock):
    """Redis is away from the second of a test on, for so long."""

    def go_away(first, last, runtime):
        def ask(*_, **__):
            if first <= clock.now - 1000 < last:
                raise down()
            return ["w"]

        for name in ("dispatch_works", "tick"):
            monkeypatch.setattr(waiting, name, ask)
        runtime.queue.workers = ask

    return go_away


@pytest.fixture
def stays(request, monkeypatch):
    """Whether services and workers run on when the command ends."""
    monkeypatch.setattr(wait, "services_stay", lambda: request.param)


GONE = "Nothing listens at here:1, the address of Redis. Start Redis, or correct storage.redis_url. "


WITHOUT = "The running work continues without this command, which waits until the service is back."
PENDING = "Works are missing in the comparison, because they are not indexed yet (2)"
FAILED = "Works are missing in the comparison, because they could not be indexed (4)"
WITH = "This command waits until the service is back."


@pytest.mark.parametrize(("stays", "is_in_progress"), [(True, WITHOUT), (False, WITH)], indirect=["stays"])
@pytest.mark.usefixtures("stays")
def test_scan_waits_for_a_server_that_is_away(clock, lines, redis_away, is_in_progress):
    runtime = Runtime()
    redis_away(3, 100, runtime)
    at(clock, 105, lambda: setattr(runtime, "scan", scan(status="finished")))
    assert waiting.wait_for_scan(runtime, runtime.scan).status == "finished"
    assert lines == [GONE + is_in_progress] * 2 + ["Redis was down for 98 s and is back."]


@pytest.mark.parametrize("kind", [DiskRefuses, MemoryFull, StillLoading])
def test_service_error_is_reported_and_waited_for(monkeypatch, clock, lines, kind):
    runtime = Runtime(workers=["w"])

    def tick(*_):
        if clock.now < 1020:
            raise kind(service="Redis", address="here:1", setting="storage.redis_url")

    monkeypatch.setattr(waiting, "tick", tick)
    at(clock, 25, lambda: setattr(runtime, "scan", scan(status="finished")))
    assert waiting.wait_for_scan(runtime, runtime.scan).status == "finished"
    told, back = lines[0], lines[-1]
    assert told.startswith("Redis at here:1 ")
    assert told.endswith(
        " The running work continues without this command, which waits until the service is back."
    )
    assert back.startswith("Redis was down for ")


def test_works_wait_for_a_server_ten_minutes(clock, lines, redis_away):
    runtime = Runtime(stored=2)
    redis_away(3, 10_000, runtime)
    with pytest.raises(NothingListens):
        waiting.wait_for_works(runtime)
    assert clock.now == 1603.0
    assert len(lines) == 10


def test_database_error_during_a_check_is_waited_for_too(monkeypatch, clock, lines):
    runtime, look = Runtime(workers=["w"]), waiting._situation_of

    def look_or_fail(*arguments):
        if 1002 <= clock.now < 1008:
            raise down()
        return look(*arguments)

    monkeypatch.setattr(waiting, "_situation_of", look_or_fail)
    at(clock, 9, lambda: setattr(runtime, "scan", scan(status="finished")))
    assert waiting.wait_for_scan(runtime, runtime.scan).status == "finished"
    assert [line[:5] for line in lines] == ["Nothi", "Redis"]


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.parametrize(("stays", "kind"), [(True, waiting.ScanGoesOn), (False, waiting.ScanRests)])
def test_ctrl_c_says_how_the_scan_continues(monkeypatch, clock, stays, kind):
    monkeypatch.setattr(waiting, "services_stay", lambda: stays)
    runtime = Runtime()
    runtime.waiting_pages, runtime.compared_pages = 2, 1
    clock.steps.append(interrupt)
    with pytest.raises(kind) as raised:
        waiting.wait_for_scan(runtime, runtime.scan)
    assert raised.value.data == {"id": "s1", "state": "1 of 3 pages compared"}
    assert raised.value.exit_status == ExitStatus.INTERRUPTED


@pytest.mark.parametrize(("stays", "kind"), [(True, waiting.IndexingGoesOn), (False, waiting.IndexingRests)])
def test_ctrl_c_says_how_the_works_continue(monkeypatch, clock, stays, kind):
    monkeypatch.setattr(waiting, "services_stay", lambda: stays)
    clock.steps.append(interrupt)
    with pytest.raises(kind) as raised:
        waiting.wait_for_works(Runtime(stored=2))
    assert raised.value.data == {"state": "0 of 2 works indexed"}


@pytest.mark.parametrize(
    ("works", "missing", "lines"),
    [
        ({"indexed": 3}, 0, []),
        ({"stored": 2}, 2, [PENDING]),
        ({"failed": 4}, 4, [FAILED]),
        ({"stored": 2, "failed": 4}, 6, [PENDING, FAILED]),
    ],
)
def test_works_missing_from_comparisons_are_counted_and_reported(monkeypatch, works, missing, lines):
    errors = []
    monkeypatch.setattr(waiting, "print_error", errors.append)
    runtime = Runtime(**works)
    assert missing_works(runtime.stores) == missing
    assert errors == []
    assert waiting.warn_of_missing_works(runtime) == missing
    assert [str(error)[: len(line)] for error, line in zip(errors, lines, strict=True)] == lines
