"""A Redis that answers and takes no writes: real workers stay, and go on with everything when it takes them.

Three causes: its disk is full, it has become a replica, its memory is used up. Two servers: pindna's own, and
the Redis of the system.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import redis
from pydantic import SecretStr
from support.disks import Disk, mounted_disk
from support.faults.index_faults import outcome
from support.loading import raw, store_work
from support.processes import PINDNA, environment_of, worker
from support.strategies import story
from support.waiting import wait_until
from support.wrong_servers import redis_process

from storage.records import Page, Scan, utc_now
from system.errors import ServiceDown
from tracker.corpus.chapters import ChapterSection
from tracker.corpus.loading import Terms
from tracker.indexing.guard import verify
from tracker.runtime import Runtime, open_runtime
from tracker.scans.dispatch import dispatch_pages, dispatch_works

pytestmark = [pytest.mark.services, pytest.mark.timeout(400)]
CHAPTERS = 8
OPTIONS = ("--appendonly", "yes", "--save", "", "--auto-aof-rewrite-percentage", "0")
STAYS_S = 6  # a worker that did not outlive it ended within four seconds
SERVERS = [
    pytest.param(None, id="shipped"),
    pytest.param("/usr/bin/redis-server", id="system", marks=pytest.mark.long),
]
REASONS = {
    "disk": "cannot write to its disk, which is full or read-only",
    "replica": "is a replica and does not accept writes",
    "memory": "has reached its memory limit",
}


@pytest.fixture
def disk(tmp_path) -> Iterator[Disk]:
    """A disk of 64 megabytes."""
    with mounted_disk(tmp_path / "disk", "size=64m") as mounted:
        yield mounted


def is_refused(client: redis.Redis) -> bool:
    try:
        client.set("probe", "1")
    except redis.ResponseError:
        return True
    return False


@contextmanager
def full_disk(client, disk, _folder):
    disk.fill()
    wait_until(lambda: is_refused(client), pause_s=0.2)
    yield
    disk.make_room()


@contextmanager
def failover(client, _disk, folder):
    """Make the server the replica of another one, which has all that it has, and later the primary again."""
    port = client.get_connection_kwargs()["port"]
    folder.mkdir()
    with redis_process(folder, "--replicaof", "127.0.0.1", str(port)) as other_port:
        with closing(redis.Redis(port=other_port)) as other:
            wait_until(lambda: other.info("replication")["master_link_status"] == "up")
            client.execute_command("CLIENT", "PAUSE", "2000", "WRITE")
            client.execute_command("WAIT", "1", "2000")
            other.replicaof("NO", "ONE")
        client.replicaof("127.0.0.1", other_port)
        wait_until(lambda: client.info("replication")["master_link_status"] == "up")
        yield
        client.replicaof("NO", "ONE")


@contextmanager
def full_memory(client, _disk, _folder):
    client.config_set("maxmemory", 1)
    yield
    client.config_set("maxmemory", 0)


TROUBLES = {"disk": full_disk, "replica": failover, "memory": full_memory}


@dataclass
class Job:
    """Works and pages that a worker has in hand."""

    runtime: Runtime
    pages: list[str] = field(default_factory=list)

    def add_work(self, number: int) -> None:
        sections = [ChapterSection(f"第{n}章", story(600, 100 * number + n)) for n in range(CHAPTERS)]
        store_work(
            raw(*sections, title=f"书{number}"), self.runtime.stores, self.runtime.guard.live(), terms=Terms()
        )

    def add_pages(self, number: int, count: int) -> None:
        for n in range(count):
            page_id = f"p{len(self.pages)}"
            self.pages.append(page_id)
            page = Page(
                id=page_id,
                url=f"http://site.example/{page_id}",
                host="site.example",
                source="a",
                kind="chapter",
                scan_id="s1",
                content_hash=page_id,
                text=story(600, 100 * number + n % CHAPTERS),
            )
            self.runtime.stores.pages.see_many([page])

    def send(self) -> None:
        stores, tracker = self.runtime.stores, self.runtime.settings.tracker
        with suppress(ServiceDown):
            dispatch_works(stores, tracker, self.runtime.queue.send)
            dispatch_pages(stores, tracker, self.runtime.queue.send)

    def is_done(self) -> bool:
        self.send()
        stores = self.runtime.stores
        return not (stores.works.count("stored") or stores.pages.waiting("s1"))


def on_redis(settings, port):
    """Return settings with the queue and the index on another server."""
    url = SecretStr(f"redis://127.0.0.1:{port}/0")
    storage = settings.storage.model_copy(update={"redis_url": url, "timeout_s": 5.0})
    return settings.model_copy(update={"storage": storage})


@pytest.mark.usefixtures("stores")
@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("trouble", ["disk", "replica", pytest.param("memory", marks=pytest.mark.long)])
def test_worker_survives_a_redis_without_writes(server, trouble, settings, disk, tmp_path):
    program = server and shutil.which(server)
    if server and not program:
        pytest.skip(f"there is no {server}")
    log = tmp_path / "worker.log"
    with ExitStack() as opened:
        port = opened.enter_context(redis_process(disk.path, *OPTIONS, program=program and Path(program)))
        client = opened.enter_context(closing(redis.Redis(port=port)))
        own = on_redis(settings, port)
        job = Job(opened.enter_context(closing(open_runtime(own))))
        process = opened.enter_context(worker(environment_of(own), log))
        job.add_work(1)
        wait_until(job.is_done, pause_s=0.5, tell=log.read_text)
        job.add_work(2)
        job.add_pages(1, 20)
        job.send()
        with TROUBLES[trouble](client, disk, tmp_path / "other"):
            wait_until(lambda: "Redis is away" in log.read_text(), tell=log.read_text)
            job.add_pages(1, 20)
            end = time.monotonic() + STAYS_S
            while time.monotonic() < end:
                job.send()
                time.sleep(0.5)
            assert process.poll() is None, log.read_text()
        wait_until(lambda: job.is_done() and "Redis is back after" in log.read_text(), tell=log.read_text)
        job.add_pages(2, 20)
        wait_until(job.is_done, pause_s=0.5, tell=log.read_text)
        assert process.poll() is None
        ends = outcome(job.runtime)
        assert verify(job.runtime.stores, job.runtime.redis) == 0
    text = log.read_text()
    assert (
        re.findall("Redis is away; work goes on when it is back. (.*)", text)[0].count(REASONS[trouble]) == 1
    )
    assert text.count("Redis is away") == 1, text
    assert "Traceback" not in text, text
    assert len(ends["matches"]) == len(job.pages) == 60
    assert set(ends["postings"].values()) == {1}


@pytest.mark.usefixtures("stores")
def test_scan_names_the_full_disk_and_no_missing_worker(settings, disk, tmp_path):
    log, printed = tmp_path / "worker.log", tmp_path / "printed.txt"
    with ExitStack() as opened:
        port = opened.enter_context(redis_process(disk.path, *OPTIONS))
        client = opened.enter_context(closing(redis.Redis(port=port)))
        own = on_redis(settings, port)
        job = Job(opened.enter_context(closing(open_runtime(own))))
        job.runtime.stores.scans.open(Scan(id="s1", trigger="hand", sources=(), started=utc_now()))
        job.add_work(1)
        with full_disk(client, disk, tmp_path):  # the worker and the command start while the disk is full
            process = opened.enter_context(worker(environment_of(own), log))
            output = opened.enter_context(printed.open("w"))
            job.add_pages(1, 20)
            scan = subprocess.Popen(
                [PINDNA, "scan", "--watch"], env=environment_of(own), stdout=output, stderr=output
            )
            opened.callback(scan.kill)
            wait_until(lambda: REASONS["disk"] in printed.read_text(), tell=printed.read_text)
            wait_until(lambda: REASONS["disk"] in log.read_text(), tell=log.read_text)
            assert scan.poll() is None
        wait_until(lambda: scan.poll() is not None, tell=lambda: printed.read_text() + log.read_text())
        assert process.poll() is None
    assert scan.returncode == 1, printed.read_text()  # copies were found
    assert "worker" not in re.sub("cannot write.*", "", printed.read_text())
    assert "20 pages seen, 20 compared" in printed.read_text()


@pytest.mark.usefixtures("stores")
def test_beat_outlives_a_full_disk(settings, disk, tmp_path):
    log = tmp_path / "beat.log"
    command = [sys.executable, "-m", "celery", "-A", "tracker", "beat", "-s", tmp_path / "beat", "-l", "info"]
    with ExitStack() as opened:
        port = opened.enter_context(redis_process(disk.path, *OPTIONS))
        client = opened.enter_context(closing(redis.Redis(port=port)))
        environment = environment_of(on_redis(settings, port))
        output = opened.enter_context(log.open("w"))
        with full_disk(client, disk, tmp_path):
            beat = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
            opened.callback(beat.kill)
            wait_until(lambda: "Redis is away" in log.read_text(), tell=log.read_text)
            time.sleep(STAYS_S)
            assert beat.poll() is None, log.read_text()
        wait_until(lambda: client.llen("scan") > 0, tell=log.read_text)
        wait_until(lambda: "Redis is back after" in log.read_text(), tell=log.read_text)
        os.kill(beat.pid, signal.SIGTERM)
        beat.wait(60)
    assert REASONS["disk"] in log.read_text()
    assert "Traceback" not in log.read_text()
