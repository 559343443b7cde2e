"""The embedded services for real: started, shared, killed and found again."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from support.processes import processes_of
from support.waiting import wait_until

from deploy.stack import EmbeddedStack, embedded_stack, status_of
from deploy.stack import errors as reasons
from deploy.stack.state import ProcessMark, State, load, save
from storage.collections.stores import open_stores
from storage.servers.redis_client import open_redis
from storage.settings import Settings

pytestmark = [
    pytest.mark.services,
    pytest.mark.timeout(240),
    pytest.mark.usefixtures("embedded_programs"),
]

_USER = """
import json, sys
from pathlib import Path
from deploy.stack import embedded_stack
with embedded_stack(Path(sys.argv[1])) as stack:
    print(json.dumps({each.name: each.pid for each in stack.status()}), flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def data(tmp_path):
    """A data folder; whatever a failed test leaves running in it is killed."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    yield folder
    for process in processes_of(folder):
        process.kill()


@contextmanager
def _user(data):
    """Another program that uses the services until its input ends."""
    user = subprocess.Popen(
        [sys.executable, "-c", _USER, str(data)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        user.pids = json.loads(user.stdout.readline())
        yield user
    finally:
        user.kill()
        user.communicate()


def _servers_of(data, user):
    """Return the processes in the data folder that a program has started."""
    return [process for process in processes_of(data) if process.pid != user.pid]


def _pids(stack):
    return {service.name: service.pid for service in stack.status() if service.running}


def _write(stack, word):
    storage = stack.settings.storage
    client, stores = open_redis(storage), open_stores(storage)
    client.set("word", word)
    stores.database["words"].insert_one({"_id": word})
    wait_until(lambda: _is_written(client))
    client.close()
    stores.close()


def _is_written(client):
    """Return whether the system has all that Redis was told, so that killing Redis loses none of it."""
    state = client.info("persistence")
    return not state["aof_buffer_length"] and not state["aof_pending_bio_fsync"]


def _read(stack):
    storage = stack.settings.storage
    client, stores = open_redis(storage), open_stores(storage)
    word, documents = client.get("word"), [row["_id"] for row in stores.database["words"].find()]
    client.close()
    stores.close()
    return (word or b"").decode(), documents


def _start_of_python_s():
    """Return how long a program takes now that imports what the document server does."""
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import secantus.server"], check=True)
    return time.monotonic() - began


def test_servers_start_quickly_and_leave_nothing_behind(data):
    """Three seconds on an idle machine; a busy one is measured against the start of another program."""
    with embedded_stack(data) as stack:  # which makes the account first
        assert set(_pids(stack)) == {"redis", "mongo"}
        _write(stack, "留下")
        urls = stack.mongo_url, stack.redis_url
    assert processes_of(data) == []
    reference_s = _start_of_python_s()
    began = time.monotonic()
    with embedded_stack(data) as stack:
        took_s = time.monotonic() - began
        assert took_s < max(3.0, 5 * max(reference_s, _start_of_python_s()))
        assert (stack.mongo_url, stack.redis_url) == urls
        assert _read(stack) == ("留下", ["留下"])


def test_folder_name_may_hold_spaces_and_chinese(tmp_path):
    folder = tmp_path / "数据 dir"
    with embedded_stack(folder) as stack:
        _write(stack, "词")
    with embedded_stack(folder) as stack:
        assert _read(stack) == ("词", ["词"])
    assert processes_of(folder) == []


def test_addresses_exist_only_inside_the_block(data):
    stack = embedded_stack(data)
    with pytest.raises(RuntimeError, match="with block"):
        _ = stack.redis_url


def test_second_user_shares_the_servers_and_the_last_user_stops_them(data):
    with _user(data) as other:
        with embedded_stack(data) as stack:
            assert _pids(stack) == {name: pid for name, pid in other.pids.items() if pid}
        assert len(processes_of(data)) >= 2  # the other program still uses them
        with embedded_stack(data) as stack:
            other.stdin.close()
            other.stdin = None
            assert other.wait(100) == 0
            _write(stack, "仍在")
            assert _read(stack) == ("仍在", ["仍在"])
    assert processes_of(data) == []


def test_services_of_a_killed_user_are_adopted_and_stopped(data):
    with _user(data) as other:
        pids = {name: pid for name, pid in other.pids.items() if pid}
    assert {service.pid for service in status_of(data) if service.running} == set(pids.values())
    with embedded_stack(data) as stack:
        assert _pids(stack) == pids
    assert processes_of(data) == []


def test_servers_are_recognised_without_their_state_file(data):
    with _user(data) as other:
        pids = {name: pid for name, pid in other.pids.items() if pid}
    (data / "stack.json").unlink()
    with embedded_stack(data) as stack:
        assert _pids(stack) == pids
        _write(stack, "找到")
    assert processes_of(data) == []


def test_user_joins_without_a_note_while_another_works(data):
    with embedded_stack(data) as stack:
        (data / "stack.json").write_text("{ cut off")
        with embedded_stack(data) as second:
            pids = _pids(second)
            _write(second, "二")
        assert _pids(stack) == pids
        assert _read(stack) == ("二", ["二"])
    assert processes_of(data) == []


@pytest.mark.parametrize("name", ["redis", "mongo"])
def test_killed_server_comes_back_with_its_data(data, name):
    with embedded_stack(data) as stack:
        _write(stack, "耐久")
        os.kill(_pids(stack)[name], signal.SIGKILL)
        wait_until(lambda: name not in _pids(stack))
        with embedded_stack(data) as again:
            assert _read(again) == ("耐久", ["耐久"])
            assert again.settings.storage == stack.settings.storage
    assert processes_of(data) == []


def test_watch_starts_a_dead_server_again_on_its_port(data):
    stop = threading.Event()
    with embedded_stack(data) as stack:
        _write(stack, "看守")
        before, urls = _pids(stack), (stack.mongo_url, stack.redis_url)
        watcher = threading.Thread(target=stack.watch, args=(stop,))
        watcher.start()
        os.kill(before["redis"], signal.SIGKILL)
        os.kill(before["mongo"], signal.SIGKILL)
        wait_until(lambda: not set(before.values()) & set(_pids(stack).values()) and len(_pids(stack)) == 2)
        wait_until(lambda: Path(stack.folder.log("mongo")).exists() and _answers(stack))
        stop.set()
        watcher.join()
        assert (stack.mongo_url, stack.redis_url) == urls
        assert _read(stack) == ("看守", ["看守"])
    assert processes_of(data) == []


def _answers(stack):
    try:
        return bool(_read(stack))
    except Exception:  # noqa: BLE001 - whatever it is, it does not answer yet
        return False


@pytest.mark.long
def test_watch_gives_up_on_a_server_that_cannot_start(data):
    with embedded_stack(data) as stack:
        os.kill(_pids(stack)["redis"], signal.SIGKILL)
        for part in (data / "redis" / "appendonlydir").glob("*.aof"):
            part.write_bytes(b"*3\r\n$3\r\nSET\r\nnonsense\r\n" * 3)
        with pytest.raises(reasons.ServiceKeepsDying, match=r"Redis died 5 times.*append only file"):
            stack.watch()
    assert processes_of(data) == []


def test_stale_state_file_is_harmless(data):
    own = psutil.Process()
    note = State(
        ports={"redis": 20101, "mongo": 20102},
        marks={
            "redis": ProcessMark(pid=own.pid, started=own.create_time()),  # runs, but is no Redis server
            "mongo": ProcessMark(pid=2**22 - 1, started=1.0),
        },
    )
    save(data / "stack.json", note)
    with embedded_stack(data) as stack:
        assert own.pid not in _pids(stack).values()
        _write(stack, "新")
    assert load(data / "stack.json").marks == {}


def test_occupied_port_is_replaced_if_unused(data):
    with embedded_stack(data) as stack:
        port = load(data / "stack.json").ports["redis"]
        _write(stack, "换")
    with socket.create_server(("127.0.0.1", port)), embedded_stack(data) as stack:
        assert f":{port}/" not in stack.redis_url
        assert _read(stack) == ("换", ["换"])


def _can_bind(port):
    """Whether the kernel has let go of a killed server's port."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_occupied_port_of_a_needed_server_is_named(data):
    with embedded_stack(data) as stack:
        port = load(data / "stack.json").ports["redis"]
        os.kill(_pids(stack)["redis"], signal.SIGKILL)
        wait_until(lambda: "redis" not in _pids(stack))
        wait_until(lambda: _can_bind(port))
        with (
            socket.create_server(("127.0.0.1", port)),
            pytest.raises(reasons.PortTaken, match=f"port {port} .*process {os.getpid()}"),
            embedded_stack(data),
        ):
            pass
        assert "mongo" in _pids(stack)
    assert processes_of(data) == []


def test_frozen_server_is_named_with_its_folder(data):
    with _user(data) as other:
        os.kill(other.pids["mongo"], signal.SIGSTOP)
    try:
        with (
            pytest.raises(reasons.FolderHeld, match=f"{data}/mongo: process {other.pids['mongo']}"),
            EmbeddedStack(data, ready_timeout_s=1.0),
        ):
            pass
        assert psutil.Process(other.pids["mongo"]).status() == psutil.STATUS_STOPPED
    finally:
        for pid in other.pids.values():
            if pid and psutil.pid_exists(pid):
                os.kill(pid, signal.SIGKILL)


def test_file_in_the_folder_of_a_service_is_named(data):
    (data / "mongo").write_text("in the way")
    with pytest.raises(reasons.DataFolderUnusable, match=f"{data}/mongo"), embedded_stack(data):
        pass
    assert processes_of(data) == []


def test_server_that_ends_at_once_is_quoted(data):
    (data / "redis").mkdir()
    (data / "redis" / "appendonly.aof").write_bytes(b"*3\r\n$3\r\nSET\r\nnonsense\r\n" * 3)
    with (
        pytest.raises(reasons.ServiceExited, match=r"Redis .*append only file.*redis\.log"),
        embedded_stack(data),
    ):
        pass
    assert processes_of(data) == []


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, -2), (signal.SIGHUP, 129)]
)
def test_signal_leaves_no_process(data, number, status):
    with _user(data) as other:
        other.send_signal(number)
        assert other.wait(100) == status
        assert processes_of(data) == []


@pytest.mark.parametrize("servers", [0, 1, 2])
def test_signal_while_starting_leaves_no_process(data, servers):
    """The signal comes when the folder is made, when the first server runs, and when the second runs."""
    user = subprocess.Popen(
        [sys.executable, "-c", _USER, str(data)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(_servers_of(data, user)) >= servers and any(data.iterdir()), pause_s=0.01)
    user.terminate()
    user.wait(100)
    user.communicate()
    assert processes_of(data) == []


def test_status_of_an_untouched_folder_creates_nothing(tmp_path):
    assert not any(service.running for service in status_of(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("turn", [1, 2])
def test_every_test_gets_empty_stores(stores, redis_client, turn):
    assert redis_client.dbsize() == 0
    assert stores.works.all() == []
    redis_client.set("turn", turn)
    stores.versions.raise_version()
    assert stores.versions.current() == 1


def test_worker_and_beat_run_join_and_come_back(data):
    """A worker is started for the first user, shared, replaced when it dies, and stopped after the last."""
    settings = Settings(tracker={"worker_processes": 1})
    with embedded_stack(data, settings=settings) as first:
        assert set(_pids(first)) == {"redis", "mongo"}
        with embedded_stack(data, settings=settings, worker=True, beat=True) as second:
            pids = _pids(first)
            assert set(pids) == {"redis", "mongo", "worker", "beat"}
            stop = threading.Event()
            watcher = threading.Thread(target=second.watch, args=(stop,))
            watcher.start()
            os.kill(pids["worker"], signal.SIGKILL)
            wait_until(lambda: _pids(first).get("worker") not in {None, pids["worker"]})
            stop.set()
            watcher.join()
        with embedded_stack(data, settings=settings, worker=True) as third:
            assert _pids(third) == _pids(first)
            assert set(_pids(third)) == {"redis", "mongo", "worker", "beat"}
    assert processes_of(data) == []
    assert _celery_processes(pids) == []
    shutil.rmtree(data)


def _celery_processes(pids):
    return [pid for pid in pids.values() if psutil.pid_exists(pid) and not _is_zombie(pid)]


def _is_zombie(pid):
    return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
