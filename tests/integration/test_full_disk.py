"""A disk that fills up under the servers: nothing that was acknowledged is lost, and work goes on with room.

The disk is a small file system in memory, which only root may mount; elsewhere these tests are left out.
"""

import os
import signal
import threading
from contextlib import closing, contextmanager

import pytest
from pydantic import SecretStr
from support.disks import mounted_disk
from support.waiting import wait_until
from support.wrong_servers import redis_process

from deploy.stack import embedded_stack
from deploy.stack.errors import DataFolderUnusable
from storage.collections.checked import CheckedDatabase
from storage.collections.stores import open_stores
from storage.servers.redis_client import open_redis, redis_errors
from storage.settings import Settings, StorageSettings
from system.errors import DiskRefuses, PindnaError

pytestmark = [pytest.mark.services, pytest.mark.usefixtures("embedded_programs")]
_MB = 2**20


@pytest.fixture
def disk(tmp_path):
    """A disk of 100 megabytes."""
    with mounted_disk(tmp_path / "disk", "size=100m") as mounted:
        yield mounted


def _succeeds(act):
    try:
        act()
    except PindnaError:
        return False
    return True


def test_redis_says_that_its_disk_is_full_and_goes_on_when_it_has_room(disk):
    disk.remount("size=2m")
    stored = []
    with redis_process(disk.path, "--appendonly", "yes", "--save", "") as port:
        url = SecretStr(f"redis://127.0.0.1:{port}/0")
        with closing(open_redis(StorageSettings(redis_url=url))) as client:

            def store():
                with redis_errors(client):
                    client.set(f"key {len(stored)}", os.urandom(_MB // 4))
                stored.append(1)

            with pytest.raises(DiskRefuses, match=f"Redis at 127.0.0.1:{port} cannot write to its disk"):
                wait_until(store, tell=lambda: f"{len(stored)} stored")
            disk.remount("size=50m")
            wait_until(lambda: _succeeds(store), tell=lambda: "it does not take anything again")
            assert client.dbsize() == len(stored)


@contextmanager
def watching(stack):
    """Look after servers during the block; yields the errors that ended it."""
    stop, ended = threading.Event(), []

    def watch():
        try:
            stack.watch(stop)
        except PindnaError as error:
            ended.append(error)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    yield ended
    stop.set()
    watcher.join()


@pytest.fixture
def watched(disk, monkeypatch):
    """The servers on the disk, looked after; whatever ends the watch fails the test."""
    monkeypatch.setattr("deploy.stack.supervisor._DISK_S", 0.5)
    with embedded_stack(disk.path / "data", settings=Settings()) as stack, watching(stack) as ended:
        yield stack
    assert ended == []


def test_document_server_is_started_again_when_its_disk_has_room(disk, watched, caplog):
    stored = []
    with closing(open_stores(watched.settings.storage)) as stores:
        heap = CheckedDatabase(stores.database)["heap"]

        def store():
            heap.insert_one({"_id": len(stored), "body": os.urandom(_MB)})
            stored.append(1)

        wait_until(lambda: not _succeeds(store), tell=lambda: f"{len(stored)} stored")
        wait_until(lambda: "is full (" in caplog.text, tell=lambda: caplog.text)
        assert f"The disk of {disk.path / 'data'} is full (" in caplog.text
        disk.remount("size=1g")
        wait_until(lambda: _succeeds(store), pause_s=0.5, tell=lambda: caplog.text)
        kept = {row["_id"] for row in heap.find({}, {"_id": 1})}
        assert kept >= set(range(len(stored)))


def test_read_only_disk_is_named_before_anything_is_started(disk):
    disk.remount("ro")
    with pytest.raises(DataFolderUnusable, match="read-only file system"):
        embedded_stack(disk.path / "data", settings=Settings()).__enter__()


def test_disk_that_becomes_read_only_ends_the_watch_with_its_reason(disk):
    with embedded_stack(disk.path / "data", settings=Settings()) as stack, watching(stack) as ended:
        disk.lay_read_only()
        for status in filter(lambda status: status.running, stack.status()):
            os.kill(status.pid, signal.SIGKILL)
        wait_until(lambda: ended)
        disk.unmount()
    (error,) = ended
    assert isinstance(error, DataFolderUnusable)
    assert "read-only file system" in str(error)
