"""Another user of this machine tries to get at the embedded servers, their files and their passwords."""

import os
import shutil
import socket
import stat
import subprocess
import tempfile
from pathlib import Path

import bson
import psutil
import pytest
import redis
from support.strangers import ask_as_nobody, require_root, run_as_nobody

from deploy.stack import embedded_stack, passwords
from deploy.stack import errors as reasons
from deploy.stack.folder import DataFolder
from deploy.stack.state import load
from storage.collections.stores import open_stores
from storage.servers.redis_client import open_redis
from storage.settings import Settings

pytestmark = [
    pytest.mark.services,
    pytest.mark.timeout(120),
    pytest.mark.usefixtures("embedded_programs"),
]

# Sends what it reads to a port of this machine, says that this is all, and prints what comes back.
_TALK = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as link:
    link.sendall(sys.stdin.buffer.read())
    link.shutdown(socket.SHUT_WR)
    link.settimeout(60)
    while part := link.recv(65536):
        sys.stdout.buffer.write(part)
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """All four services, with something in both stores, started under a careless umask."""
    folder = tmp_path_factory.mktemp("house") / "data"
    before = os.umask(0)
    try:
        settings = Settings(tracker={"worker_processes": 1})
        with embedded_stack(folder, worker=True, beat=True, settings=settings) as stack:
            client, stores = open_redis(stack.settings.storage), open_stores(stack.settings.storage)
            client.set("word", "kept")
            stores.database["words"].insert_one({"_id": "kept"})
            yield stack, client, stores
            client.close()
            stores.close()
    finally:
        os.umask(before)


def _redis_command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


def _ask_redis(stack, line):
    port = load(stack.folder.state).ports["redis"]
    return ask_as_nobody(_TALK, port, stdin=_redis_command(*line.encode().split()))


@pytest.mark.parametrize(
    "line",
    [
        *("PING", "GET word", "SET word changed", "CONFIG GET dir", "CONFIG SET dir /root/.ssh", "FLUSHALL"),
        *("MODULE LOAD /x.so", "DEBUG SLEEP 1", "REPLICAOF 127.0.0.1 1", "INFO", "KEYS *", "SHUTDOWN NOSAVE"),
        *("ACL LIST", "ACL SETUSER default on nopass ~* +@all", "EVAL return(1) 0", "SUBSCRIBE celery"),
        *("MONITOR", "HELLO 3", "PSYNC ? -1", "SCRIPT FLUSH", "FUNCTION LIST", "CLIENT LIST", "MULTI"),
    ],
)
def test_another_user_gets_nothing_from_redis(house, line):
    stack, client, _ = house
    assert _ask_redis(stack, line).startswith(b"-NOAUTH")
    assert client.get("word") == b"kept"


@pytest.mark.parametrize("line", ["AUTH x", "AUTH default x", "AUTH pindna x", "HELLO 3 AUTH pindna x"])
def test_another_user_guesses_no_password(house, line):
    assert _ask_redis(house[0], line).startswith((b"-WRONGPASS", b"-ERR"))


@pytest.mark.parametrize(
    "command",
    [
        {"find": "words", "$db": "pindna"},
        {"insert": "words", "documents": [{"_id": "theirs"}], "$db": "pindna"},
        {"update": "words", "updates": [{"q": {}, "u": {"$set": {"x": 1}}}], "$db": "pindna"},
        {"aggregate": "words", "pipeline": [], "cursor": {}, "$db": "pindna"},
        {"dropDatabase": 1, "$db": "pindna"},
        {"listDatabases": 1, "$db": "admin"},
        {"createUser": "x", "pwd": "x", "roles": ["root"], "$db": "admin"},
        {"usersInfo": 1, "$db": "admin"},
        {"find": "system.users", "$db": "admin"},
        {"secantusAdmin.backupArchive": 1, "path": "/x.tar.gz", "$db": "admin"},
        {"getLog": "global", "$db": "admin"},
        {"shutdown": 1, "$db": "admin"},
    ],
    ids=lambda command: next(iter(command)),
)
def test_another_user_gets_nothing_from_the_documents(house, command):
    stack, _, stores = house
    body = b"\0\0\0\0\0" + bson.encode(command)
    head = b"".join(number.to_bytes(4, "little") for number in (len(body) + 16, 1, 0, 2013))
    answer = ask_as_nobody(_TALK, load(stack.folder.state).ports["mongo"], stdin=head + body)
    reply = bson.decode(answer[21:])
    assert reply["ok"] == 0
    assert reply["code"] in {13, 59}, reply  # not authorised, no such command
    assert list(stores.database["words"].find()) == [{"_id": "kept"}]


def test_passwords_are_invisible_to_other_users(house):
    stack = house[0]
    secrets = passwords.load(stack.folder)
    seen = ask_as_nobody(
        """
import glob, sys
for path in [*sys.argv[1:], *glob.glob("/proc/[0-9]*/environ"), *glob.glob("/proc/[0-9]*/cmdline")]:
    try:
        sys.stdout.buffer.write(open(path, "rb").read())
    except OSError:
        pass
""",
        *(path for path in stack.folder.path.rglob("*") if path.is_file()),
    )
    assert b"secantus" in seen  # arguments are there for all
    for secret in (secrets.redis, secrets.mongo):
        assert secret.encode() not in seen


def test_no_password_is_in_a_log_or_an_argument(house):
    stack = house[0]
    secrets = passwords.load(stack.folder)
    own = stack.folder.passwords
    files = [path for path in stack.folder.path.rglob("*") if path.is_file() and path != own]
    running = [psutil.Process(service.pid) for service in stack.status() if service.pid is not None]
    assert len(running) == 4
    kept = [path.read_bytes() for path in files] + [
        " ".join(process.cmdline()).encode() for process in running
    ]
    for secret in (secrets.redis, secrets.mongo):
        assert not [text for text in kept if secret.encode() in text]


def test_all_files_are_readable_only_by_their_owner(house):
    folder = house[0].folder.path
    assert house[0].folder.is_nothing_else
    loose = {path: oct(path.stat().st_mode) for path in folder.rglob("*") if path.stat().st_mode & 0o077}
    assert loose == {}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_servers_listen_on_this_machine_only(house):
    for service in house[0].status()[:2]:
        listening = [
            link.laddr.ip for link in psutil.Process(service.pid).net_connections() if link.status == "LISTEN"
        ]
        assert listening == ["127.0.0.1"]


@pytest.mark.parametrize(
    "line",
    [
        *(
            "CONFIG SET dir /",
            "CONFIG SET maxmemory-policy allkeys-lru",
            "CONFIG REWRITE",
            "CONFIG RESETSTAT",
        ),
        *("MODULE LIST", "MODULE LOAD /x.so", "DEBUG SLEEP 0", "REPLICAOF NO ONE", "SLAVEOF NO ONE"),
        *("SAVE", "BGSAVE", "BGREWRITEAOF", "SHUTDOWN NOSAVE", "ACL LIST", "ACL SETUSER x on", "FLUSHALL"),
        *("MIGRATE 127.0.0.1 1 word 0 1", "MONITOR", "PSYNC ? -1", "FAILOVER", "RESTORE a 0 x", "SWAPDB 0 1"),
    ],
)
def test_pindna_user_cannot_attack_the_machine_through_redis(house, line):
    client = house[1]
    refusal = r"no permissions|not allowed"
    with pytest.raises(redis.ResponseError, match=refusal):
        client.execute_command(*line.split())
    with pytest.raises(redis.ResponseError):
        client.eval(f"return redis.call({','.join(map(repr, line.split()))})", 0)


def test_pindna_user_may_read_the_configuration_of_redis(house):
    client = house[1]
    assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    assert client.info("server")["run_id"]


def test_pindna_account_can_neither_create_accounts_nor_write_files(house, tmp_path):
    admin = house[2].database.client["admin"]
    for command in (
        {"createUser": "x", "pwd": "x", "roles": []},
        {"updateUser": "pindna", "pwd": "x"},
        {"secantusAdmin.backupArchive": 1, "path": str(tmp_path / "x.tar.gz")},
    ):
        assert admin.command(command, check=False)["code"] == 13
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def place():
    """A path that every user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="pindna-strangers-"))
    folder.chmod(0o1777)
    yield folder / "data"
    shutil.rmtree(folder)


@pytest.fixture
def victim(tmp_path):
    """A file of ours that links lead to."""
    path = tmp_path / "authorized_keys"
    path.write_text("keep me")
    yield path
    assert path.read_text() == "keep me"


_PLANT = """
import os, sys
place, victim, *names = sys.argv[1:]
os.mkdir(place)
for name in names:
    os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
    os.symlink(victim, os.path.join(place, name))
"""


def test_folder_that_another_user_has_prepared_is_refused(place, victim):
    ask_as_nobody(_PLANT, place, victim, "secantusd.toml", "logs/redis.log")
    with pytest.raises(reasons.FolderOfOthers, match=f"{place} belongs to nobody"), embedded_stack(place):
        pass
    os.chown(place, os.geteuid(), -1)  # one may think that this is enough
    place.chmod(0o700)
    with pytest.raises((reasons.FolderOfOthers, reasons.LinkInFolder)), embedded_stack(place):
        pass
    for path in (place, *place.rglob("*")):
        os.chown(path, os.geteuid(), -1, follow_symlinks=False)
    with pytest.raises(reasons.LinkInFolder, match=r"secantusd\.toml|logs/redis\.log"), embedded_stack(place):
        pass
    assert {path.name for path in place.rglob("*")} == {"logs", "redis.log", "secantusd.toml"}


_POSE = """
import sys, time
print(flush=True)
time.sleep(60)
"""


def test_similar_process_of_another_user_is_neither_used_nor_ended(place):
    require_root()
    with embedded_stack(place) as stack:
        argv = psutil.Process({service.name: service.pid for service in stack.status()}["mongo"]).cmdline()
    posing = place.parent / "secantus.py"
    posing.write_text(_POSE)
    program = run_as_nobody(
        "import os, sys; os.environ['PYTHONPATH'] = sys.argv[1]; os.execv('/proc/self/exe', sys.argv[2:])",
        place.parent,
        *argv,
    )
    try:
        assert program.stdout.readline() == b"\n"
        assert psutil.Process(program.pid).cmdline() == argv
        with embedded_stack(place) as stack:
            assert program.pid not in {service.pid for service in stack.status()}
            assert load(stack.folder.state).marks["mongo"].pid != program.pid
        assert program.poll() is None
    finally:
        program.kill()
        program.communicate()


def test_foreign_program_in_the_redis_folder_is_named_and_not_ended(tmp_path):
    with embedded_stack(tmp_path / "data"):
        pass
    posing = tmp_path / "redis-server"
    shutil.copy(shutil.which("sleep"), posing)
    program = subprocess.Popen([posing, "60"], cwd=tmp_path / "data" / "redis", start_new_session=True)
    try:
        with (
            pytest.raises(reasons.FolderHeld, match=f"Redis .*process {program.pid} uses it"),
            embedded_stack(tmp_path / "data"),
        ):
            pass
        assert program.poll() is None
    finally:
        program.kill()
        program.wait()
    with embedded_stack(tmp_path / "data"):
        pass


def test_port_that_another_user_holds_learns_no_password(tmp_path):
    with embedded_stack(tmp_path / "data") as stack:
        port = load(stack.folder.state).ports["redis"]
    listening = run_as_nobody(
        """
import socket, sys
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as door:
    print(flush=True)
    door.settimeout(15)
    link, _ = door.accept()
    print(link.recv(1000))
""",
        port,
    )
    try:
        assert listening.stdout.readline() == b"\n"
        with embedded_stack(tmp_path / "data") as stack:
            assert load(stack.folder.state).ports["redis"] != port
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(b"nobody else came")
        assert listening.communicate()[0] == b"b'nobody else came'\n"
    finally:
        listening.kill()
        listening.communicate()


def test_nothing_is_imported_from_the_current_folder(tmp_path, monkeypatch):
    for name in ("secantus", "pymongo", "bson"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('planted')")
    monkeypatch.chdir(tmp_path)
    with embedded_stack(tmp_path / "data") as stack:
        assert {service.name for service in stack.status() if service.running} == {"redis", "mongo"}


@pytest.mark.parametrize("lost", ["passwords.json", "secantusd.toml", "redis-users.conf", "stack.json"])
def test_lost_file_is_created_again(tmp_path, lost):
    settings = Settings()
    with embedded_stack(tmp_path / "data", settings=settings) as stack:
        client = open_redis(stack.settings.storage)
        client.set("word", "kept")
        client.close()
        (tmp_path / "data" / lost).unlink()
        with embedded_stack(tmp_path / "data", settings=settings) as again:
            client, stores = open_redis(again.settings.storage), open_stores(again.settings.storage)
            assert client.get("word") == b"kept"
            assert stores.works.all() == []
            client.close()
            stores.close()
    assert DataFolder(tmp_path / "data").passwords.exists()
