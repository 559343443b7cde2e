"""A worker's log: an outage is a line with a count, whatever logs it, and an error of ours is one line."""

import logging
import os
import socket
from types import SimpleNamespace

import pytest
import redis
from kombu.exceptions import OperationalError

from storage.servers.connections import Server
from system.errors import DiskRefuses, IndexBusy, NothingListens
from tracker.worker_log import LogFilter, Outages, name_worker, note_task_success

SERVER = Server("Redis", "h.example:6379", "storage.redis_url")
MONGO = NothingListens(service="MongoDB", address="db.example:1", setting="storage.mongo_url")


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def lines(clock):
    """What comes through the filter, of a logger of the test's own."""
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(f"{record.levelname} {logging.Formatter().format(record)}")
    handler.addFilter(LogFilter(Outages(clock), SERVER))
    root = logging.getLogger()
    root.addHandler(handler)
    level = root.level
    root.setLevel(logging.INFO)
    yield lines
    root.removeHandler(handler)
    root.setLevel(level)


def fail(error, cause=None):
    """Log a failure as Celery logs a task's."""
    error.__cause__ = cause
    logging.getLogger("celery.app.trace").error(
        "Task %s raised unexpected: %s", "tick", error, exc_info=error
    )


def test_outage_is_a_line_now_and_then_with_a_count(lines, clock):
    for _ in range(70):
        fail(MONGO)
        clock.now += 5
    assert lines == [
        f"WARNING MongoDB is away; work goes on when it is back. {MONGO}",
        "WARNING MongoDB has been away for 60 s, 13 attempts",
        "WARNING MongoDB has been away for 3 min, 37 attempts",
    ]


def test_long_outages_are_logged_every_hour(clock):
    outages = Outages(clock)
    told = 0
    for _ in range(24 * 60):
        told += outages.note_down(MONGO) is not None
        clock.now += 60
    assert 24 <= told <= 32


def test_end_of_an_outage_is_logged_and_the_next_outage_is_new(clock):
    outages = Outages(clock)
    assert outages.note_up("MongoDB") is None
    outages.note_down(MONGO)
    clock.now += 250
    outages.note_down(MONGO)
    assert outages.note_up("Redis") is None
    assert outages.note_up("MongoDB") == "MongoDB is back after 4 min, 2 attempts"
    assert outages.note_up("MongoDB") is None
    assert outages.note_down(MONGO).startswith("MongoDB is away")


def test_broker_errors_of_celery_are_the_same_outage(lines):
    refused = redis.ConnectionError("Error 111 connecting to h.example:6379.")
    refused.__cause__ = ConnectionRefusedError(111)
    consumer = logging.getLogger("celery.worker.consumer.consumer")
    consumer.error("consumer: Cannot connect to %s: %s.\n%s\n", "redis://:**@h", refused, "Trying again …")
    consumer.error("consumer: Cannot connect to %s: %s.\n%s\n", "redis://:**@h", refused, "Trying again …")
    fail(OperationalError("no"), refused)
    logging.getLogger("celery.worker.consumer.connection").info("Connected to %s", "redis://:**@h")
    assert [line.partition(";")[0] for line in lines] == [
        "WARNING Redis is away",
        "INFO Redis is back after 0 s, 3 attempts",
    ]
    assert "Nothing listens at h.example:6379" in lines[0]


def test_connection_without_an_outage_is_logged_as_by_celery(lines):
    logging.getLogger("celery.worker.consumer.connection").info("Connected to %s", "redis://:**@h")
    assert lines == ["INFO Connected to redis://:**@h"]


def test_pindna_errors_have_no_traceback_but_bugs_have(lines):
    fail(IndexBusy())
    fail(ValueError("a bug"))
    assert lines[0] == f"ERROR {IndexBusy()}"
    assert "ValueError: a bug" in lines[1]


def test_ticks_are_not_logged(lines):
    logging.getLogger("celery.beat").info("Scheduler: Sending due task %s (%s)", "tick", "tracker.tasks.tick")
    logging.getLogger("celery.beat").info("Scheduler: Sending due task %s (%s)", "daily-scan", "…")
    assert lines == ["INFO Scheduler: Sending due task daily-scan (…)"]


FULL = DiskRefuses(service="Redis", address="h.example:6379", setting="storage.redis_url")


def refuse_writes(_):
    raise FULL


def test_task_that_only_reads_ends_no_outage_of_a_full_disk(lines, clock, monkeypatch):
    outages = Outages(clock)
    monkeypatch.setattr("tracker.worker_log.require_writes", refuse_writes)
    for error in (FULL, MONGO):
        outages.note_down(error)
    note_task_success(outages)
    assert lines == ["WARNING MongoDB is back after 0 s, 1 attempts"]
    monkeypatch.setattr("tracker.worker_log.require_writes", lambda _: None)
    note_task_success(outages)
    assert lines[1:] == ["WARNING Redis is back after 0 s, 1 attempts"]


def test_success_without_an_outage_queries_no_server(lines, clock, monkeypatch):
    monkeypatch.setattr("tracker.worker_log.require_writes", refuse_writes)
    note_task_success(Outages(clock))
    assert lines == []


def test_processes_share_their_outages(clock):
    outages = Outages(clock)
    child = os.fork()
    if not child:
        outages.note_down(MONGO)
        os._exit(0)
    os.waitpid(child, 0)
    assert outages.note_down(MONGO) is None
    assert outages.note_up("MongoDB") == "MongoDB is back after 0 s, 2 attempts"


def test_only_an_unnamed_worker_gets_a_name():
    host = socket.gethostname()
    for name, expected in ((f"celery@{host}", f"pindna-{os.getpid()}@{host}"), ("mine@here", "mine@here")):
        worker = SimpleNamespace(hostname=name)
        name_worker(worker)
        assert worker.hostname == expected
