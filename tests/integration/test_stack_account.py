"""Stores get their passwords: new ones, those of earlier versions, those of killed commands."""

import json
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pymongo
import pytest
from support.processes import processes_of

from deploy.stack import EmbeddedStack, embedded_stack, processes
from deploy.stack import errors as reasons
from deploy.stack.ports import choose
from deploy.stack.probes import hasten_mongo
from storage.collections.server_account import account_names
from storage.collections.stores import open_stores
from storage.servers.redis_client import open_redis
from storage.settings import Settings

pytestmark = [
    pytest.mark.services,
    pytest.mark.timeout(240),
    pytest.mark.usefixtures("embedded_programs"),
]
_GUESS = "mallory's"
ROOT = Path(__file__).parents[2]
# What Redis 6.2 wrote: SELECT 0, SET word kept.
_OLD_FILE = b"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n*3\r\n$3\r\nSET\r\n$4\r\nword\r\n$4\r\nkept\r\n"


@pytest.fixture
def data(tmp_path):
    """A data folder; whatever a failed test leaves running in it is killed."""
    folder = tmp_path / "data"
    yield folder
    left = processes_of(folder)
    for process in left:
        process.kill()
    assert left == []


@contextmanager
def _open_server(data):
    """The document server as earlier versions started it: it asks nobody for a password."""
    (data / "mongo").mkdir(parents=True, exist_ok=True)
    (data / "secantusd.toml").write_text("")
    port = choose("SecantusDB")
    options = ["--storage-path", data / "mongo", "--config", data / "secantusd.toml", "--port", port]
    command = [sys.executable, "-m", "secantus", *map(str, options), "--standalone"]
    server = subprocess.Popen(command, cwd=data)
    mark = processes.mark_of(server.pid)
    with pymongo.MongoClient(port=port, directConnection=True) as client:
        yield client
    assert processes.end(mark, [(signal.SIGTERM, 20)], hasten=partial(hasten_mongo, port))
    server.wait()


@pytest.fixture(scope="module")
def earlier_folder(tmp_path_factory):
    """A folder without passwords, with something in both stores."""
    data = tmp_path_factory.mktemp("earlier") / "data"
    data.mkdir(mode=0o700)
    with _open_server(data) as client:
        client["pindna"]["words"].insert_one({"_id": "kept"})
    (data / "redis").mkdir()
    (data / "redis" / "appendonly.aof").write_bytes(_OLD_FILE)
    return data


@pytest.fixture
def earlier_data(data, earlier_folder):
    """A copy of it."""
    return shutil.copytree(earlier_folder, data)


def _contents(stack):
    client, stores = open_redis(stack.settings.storage), open_stores(stack.settings.storage)
    try:
        return client.get("word"), [row["_id"] for row in stores.database["words"].find()]
    finally:
        client.close()
        stores.close()


def _fill(stack):
    client, stores = open_redis(stack.settings.storage), open_stores(stack.settings.storage)
    client.set("word", "kept")
    stores.database["words"].replace_one({"_id": "kept"}, {}, upsert=True)
    client.close()
    stores.close()


def _is_closed(stack):
    """Say whether the documents are shown to nobody who has no password."""
    host = stack.mongo_url.rpartition("@")[2]
    with pymongo.MongoClient(f"mongodb://{host}") as client:
        try:
            client["pindna"]["words"].find_one()
        except pymongo.errors.OperationFailure as error:
            return error.code == 13
    return False


def test_folder_of_an_earlier_version_gets_passwords_and_keeps_its_data(earlier_data):
    data = earlier_data
    for _ in range(2):
        with embedded_stack(data) as stack:
            assert _contents(stack) == (b"kept", ["kept"])
            assert account_names(stack.settings.storage) == ["admin.pindna"]
            assert _is_closed(stack)
    assert not (data / "account.pem").exists()


@pytest.mark.parametrize("database", ["admin", "pindna"])
@pytest.mark.long
def test_foreign_account_is_named(earlier_data, database):
    data = earlier_data
    with _open_server(data) as client:
        client[database].command("createUser", "mallory", pwd=_GUESS, roles=["readWrite"])
    with pytest.raises(reasons.ForeignAccounts, match=rf"{data}/mongo .*\({database}\.mallory\)") as raised:
        embedded_stack(data).__enter__()
    assert raised.value.exit_status == 3
    assert processes_of(data) == []
    # It asked for our account, and was opened to make it; with another account beside it, nobody is let in.
    assert (data / "logs" / "mongo.log").read_text("utf-8").count("=== started") == 2
    with _open_server(data) as client:  # as the error says
        client[database].command("dropUser", "mallory")
    with embedded_stack(data) as stack:
        assert _contents(stack) == (b"kept", ["kept"])


def test_account_that_comes_with_a_copied_store_is_named(data):
    with embedded_stack(data) as stack:
        _fill(stack)
    with _open_server(data) as client:
        client["admin"].command("createUser", "mallory", pwd=_GUESS, roles=["root"])
    with pytest.raises(reasons.ForeignAccounts, match=r"\(admin\.mallory\)"):
        embedded_stack(data).__enter__()
    assert processes_of(data) == []


def test_no_other_client_can_connect_while_the_account_is_created(earlier_data):
    """The server runs without a password for a moment; it refuses every client without the key."""
    data = earlier_data
    stopped = _run_until(data, "save_account", 1, how=signal.SIGSTOP)
    try:
        (server,) = [
            server for server in processes_of(data) if "--tls-require-client-cert" in server.cmdline()
        ]
        (port,) = {link.laddr.port for link in server.net_connections() if link.status == "LISTEN"}
        for secure in ({}, {"tls": True, "tlsInsecure": True}):
            with (
                pymongo.MongoClient(port=port, serverSelectionTimeoutMS=700, **secure) as client,
                pytest.raises(pymongo.errors.ServerSelectionTimeoutError),
            ):
                client["admin"].command("ping")
        with socket.create_connection(("127.0.0.1", port)):
            pass
    finally:
        stopped.kill()
        stopped.communicate()
    with embedded_stack(data) as stack:
        assert _contents(stack) == (b"kept", ["kept"])


# A program that uses the services, and gets a signal as soon as a function has returned for the n-th time.
_USER = """
import json, os, sys
from pathlib import Path
import deploy.stack.account, deploy.stack.launcher, storage.collections.server_account
from deploy.stack import embedded_stack

data, name, count, number = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
watched = {name} if name else {
    "ensure", "start", "save_account", "stop", "_save", "fresh_key",
}
returned = []

def note(frame, event, _):
    if event == "return" and frame.f_code.co_name in watched:
        where = frame.f_globals.get("__name__", "")
        if where.startswith(("deploy.stack", "storage.collections.server_account")):
            returned.append(frame.f_code.co_name)
            if len(returned) == count:
                sys.setprofile(None)
                print("now", flush=True)
                os.kill(os.getpid(), number)

sys.setprofile(note)
with embedded_stack(Path(data)):
    sys.setprofile(None)
print(json.dumps(returned), flush=True)
"""


def _run_until(data, name, count, *, how=signal.SIGKILL):
    """Start the program, and return it when it has got its signal or has come to its end."""
    program = subprocess.Popen(
        [sys.executable, "-c", _USER, str(data), name, str(count), str(int(how))],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    program.told = program.stdout.readline()
    return program


def _steps(data):
    """Return the names of the steps in which a folder gets its passwords."""
    with _run_until(data, "", 0) as program:
        output, complaint = program.communicate(timeout=60)
    assert program.returncode == 0, complaint.decode()
    return json.loads(program.told + output)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("earlier", [pytest.param(False, marks=pytest.mark.long), True])
@pytest.mark.parametrize("is_every_step", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.long
def test_kill_between_any_two_steps_is_repaired(tmp_path, earlier_folder, *, earlier, is_every_step):
    """One step of each kind, the first in a new folder, the last in an old one; ``test-long`` has all."""

    def fresh(number):
        folder = tmp_path / str(number)
        return shutil.copytree(earlier_folder, folder) if earlier else folder

    steps = _steps(fresh(0))
    assert set(steps) == {"ensure", "start", "save_account", "stop", "_save", "fresh_key"}
    numbered = list(enumerate(steps, start=1))
    of_a_kind = {step: number for number, step in (numbered if earlier else reversed(numbered))}
    for number, step in numbered if is_every_step else [(number, step) for step, number in of_a_kind.items()]:
        data = fresh(number)
        with _run_until(data, "", number) as program:
            program.communicate(timeout=60)
        assert program.returncode == -signal.SIGKILL, (number, step)
        with EmbeddedStack(data, settings=Settings()) as stack:
            if not earlier:
                _fill(stack)
            assert _contents(stack) == (b"kept", ["kept"]), (number, step)
            assert account_names(stack.settings.storage) == ["admin.pindna"]
            assert _is_closed(stack)
        assert processes_of(data) == [], (number, step)
        assert not (data / "account.pem").exists()
