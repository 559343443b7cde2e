"""A worker and its Redis are killed, idle and at work, and started again: work goes on."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import pytest
from kombu.transport.redis import Channel
from support.cluster import running_node
from support.faults.index_faults import works
from support.waiting import wait_until

from deploy.stack import embedded_stack, errors
from deploy.stack.worker_ping import ping_worker
from storage.settings import Settings
from system.errors import PindnaError
from tracker.corpus.loading import Terms, store_works
from tracker.indexing.guard import verify
from tracker.runtime import open_runtime
from tracker.scans.scanning import tick

pytestmark = [
    pytest.mark.services,
    pytest.mark.timeout(240),
    pytest.mark.usefixtures("embedded_programs"),
]

_LEASE_S = 2.0


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Servers and a worker that are looked after, and a corpus that grows from test to test."""
    settings = Settings(tracker={"worker_processes": 1, "lease_s": _LEASE_S})
    folder = tmp_path_factory.mktemp("supervised")
    lease = {"PINDNA_TRACKER__LEASE_S": str(_LEASE_S)}
    with embedded_stack(folder, worker=True, settings=settings, env=lease) as stack, _watched(stack):
        runtime = open_runtime(stack.settings)
        try:
            yield House(stack, runtime)
        finally:
            runtime.close()


@contextmanager
def _watched(stack):
    """As ``deploy.cli.session.watching``, but whatever ends the watch fails the test."""
    stop, ended = threading.Event(), []

    def watch():
        try:
            stack.watch(stop)
        except errors.StackError as error:
            ended.append(error)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
    assert ended == []


class House:
    """The stack, and works that go through it one batch after the other."""

    def __init__(self, stack, runtime):
        self.stack, self.stores, self.runtime = stack, runtime.stores, runtime
        self._rest = iter(works())

    def pids(self):
        return {service.name: service.pid for service in self.stack.status() if service.running}

    def kill(self, name):
        """Kill a service, and its children, at once."""
        os.killpg(os.getpgid(self.pids()[name]), signal.SIGKILL)

    def add(self, count):
        """Store some works that no worker has seen."""
        raws = [next(self._rest) for _ in range(count)]
        store_works(raws, self.stores, self.runtime.guard.live(), terms=Terms())

    def dispatch(self):
        tick(self.stores, self.runtime.settings, self.runtime.queue.send)

    def is_indexed(self):
        """Send on what waits, and say whether all is done."""
        try:
            self.dispatch()
            return not self.stores.works.count("stored")
        except PindnaError:
            return False  # Redis is being started again

    def works_now(self):
        """Say whether the worker has begun; on a fast machine it is done before anybody looks."""
        taken = {"status": "stored", "lease.taken": True}
        return self.stores.database["works"].count_documents(taken) or not self.stores.works.count("stored")


def test_idle_worker_consumes_again_when_redis_is_back(house):
    house.add(1)
    wait_until(house.is_indexed)
    before = house.pids()
    house.kill("redis")
    wait_until(lambda: house.pids().get("redis", before["redis"]) != before["redis"])
    wait_until(lambda: _answers(house))
    house.add(1)
    wait_until(house.is_indexed)
    assert house.pids()["worker"] == before["worker"]
    assert verify(house.stores, house.runtime.redis) == 0


def test_working_worker_consumes_again_when_redis_is_back(house):
    before = house.pids()
    house.add(4)
    house.dispatch()
    wait_until(house.works_now)
    house.kill("redis")
    wait_until(house.is_indexed)
    assert house.pids()["worker"] == before["worker"]
    assert house.pids()["redis"] != before["redis"]
    assert verify(house.stores, house.runtime.redis) == 0


def test_redis_comes_back_though_it_ended_while_its_worker_was_starting(house):
    before = house.pids()
    house.add(1)
    house.kill("worker")
    wait_until(lambda: house.pids().get("worker", before["worker"]) != before["worker"])
    house.kill("redis")  # the new worker is far from answering
    wait_until(house.is_indexed)
    after = house.pids()
    assert not set(before.values()) - {before["mongo"]} & set(after.values())
    assert verify(house.stores, house.runtime.redis) == 0


def test_probe_does_not_wait_for_an_ended_broker(tmp_path, monkeypatch):
    """Otherwise the supervisor that must restart the broker would wait for it."""
    publish = Channel._put_fanout
    with running_node(tmp_path) as node:

        def publish_too_late(*arguments, **options):
            node.stop()
            return publish(*arguments, **options)

        monkeypatch.setattr(Channel, "_put_fanout", publish_too_late)
        began = time.monotonic()
        with pytest.raises(PindnaError, match="no broker"):
            ping_worker(f"redis://127.0.0.1:{node.port}/0", "pindna@localhost")
        assert time.monotonic() - began < 60


def _answers(house):
    try:
        return house.runtime.guard.live() is not None
    except PindnaError:
        return False
