"""Waiting for the worker, on a clock of the test's own."""

from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from deploy.cli import waiting
from storage.exit_status import ExitStatus
from storage.records import Crawl, Scan
from storage.settings import Settings

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
    monkeypatch.setattr(waiting, "time", clock)
    return clock


@pytest.fixture(autouse=True)
def bar(monkeypatch):
    bar = Bar()

    @contextmanager
    def progress():
        yield bar

    monkeypatch.setattr(waiting, "progress", progress)
    return bar


class Runtime:
    """Works by status, one scan, and a queue whose workers answer or not."""

    def __init__(self, *, workers=(), **works):
        self.counts = works
        self.asked = []
        self.workers = workers
        self.scan = scan()
        self.crawls = []
        self.waiting_pages = 0
        self.settings = Settings()
        self.queue = SimpleNamespace(workers=self.answer, send="send")
        self.stores = SimpleNamespace(
            works=SimpleNamespace(count=lambda status: self.counts.get(status, 0)),
            scans=SimpleNamespace(get=lambda _id: self.scan, crawls=lambda _id: self.crawls),
            pages=SimpleNamespace(waiting=lambda _id: self.waiting_pages),
        )

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


def test_nothing_to_wait_for_takes_no_time(clock, bar, dispatches):
    waiting.wait_for_works(Runtime(indexed=5))
    assert (clock.now, dispatches, len(bar.shown)) == (1000.0, [], 1)


def test_a_total_that_grows_is_shown(clock, bar):
    runtime = Runtime(stored=2)
    counts = iter([5, 1, 0])
    clock.steps.append(lambda: runtime.counts.update(stored=next(counts)))
    waiting.wait_for_works(runtime)
    assert bar.shown[1:] == [(0, 5), (4, 5), (5, 5)]


def test_without_a_worker_the_wait_for_works_ends(clock):
    runtime = Runtime(stored=2)
    with pytest.raises(waiting.NoWorker) as raised:
        waiting.wait_for_works(runtime)
    assert raised.value.exit_status == ExitStatus.DOWN
    assert runtime.asked == [10.0]
    assert clock.now == 1030.5  # more than thirty seconds without any progress


def test_a_worker_that_answers_may_take_its_time(clock):
    runtime = Runtime(stored=1, workers=["w"])

    def finish():
        if clock.now >= 1095:
            runtime.counts["stored"] = 0

    clock.steps.append(finish)
    waiting.wait_for_works(runtime)
    assert len(runtime.asked) == 3  # every thirty seconds


def test_progress_puts_the_question_off(clock):
    runtime = Runtime(stored=5, workers=["w"])

    def finish():
        if (clock.now - 1000) % 20 == 0:
            runtime.counts["stored"] -= 1

    clock.steps.append(finish)
    waiting.wait_for_works(runtime)
    assert (clock.now, runtime.asked) == (1100.0, [])


def test_a_scan_waits_on_without_a_worker_and_says_so(clock, dispatches, capsys):
    runtime = Runtime()

    def finish():
        if clock.now >= 1070:
            runtime.scan = scan(status="finished")

    clock.steps.append(finish)
    closed = waiting.wait_for_scan(runtime, runtime.scan)
    assert closed.status == "finished"
    assert set(dispatches) == {("tick", "send")}
    assert len(runtime.asked) == 2
    assert capsys.readouterr().err.count("celery -A tracker worker") == 2


def test_a_scan_counts_crawls_that_are_due_pages_that_wait_and_its_own_end(clock, bar):
    runtime = Runtime()
    runtime.crawls = [
        Crawl(id=f"s1:{state}", scan_id="s1", source="a", state=state) for state in ("due", "done")
    ]
    runtime.waiting_pages = 4

    def close():
        runtime.scan = scan(status="failed")

    clock.steps.append(close)
    assert waiting.wait_for_scan(runtime, runtime.scan).status == "failed"
    assert [step[-2:] for step in bar.shown] == [(0, 6), (6, 6)]


@pytest.mark.parametrize(
    ("works", "missing", "lines"),
    [
        ({"indexed": 3}, 0, []),
        ({"stored": 2}, 2, ["2 works are not indexed yet"]),
        ({"failed": 4}, 4, ["4 works could not be indexed"]),
        ({"stored": 2, "failed": 4}, 6, ["2 works are not indexed yet", "4 works could not be indexed"]),
    ],
)
def test_works_that_are_not_compared_with_are_counted_and_told(monkeypatch, works, missing, lines):
    errors = []
    monkeypatch.setattr(waiting, "print_error", errors.append)
    runtime = Runtime(**works)
    assert waiting.missing_works(runtime) == missing
    assert errors == []
    assert waiting.warn_of_missing_works(runtime) == missing
    assert [str(error)[: len(line)] for error, line in zip(errors, lines, strict=True)] == lines
