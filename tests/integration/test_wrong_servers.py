"""Servers of one's own that cannot be used: what is wrong with each is told in a line of its own.

A wrong password, a port on which nothing listens, a name that leads nowhere and a server that is not ready
want four different things of whoever reads of them, so they are four messages; none shows what a server or a
driver said.
"""

import re
from contextlib import closing
from functools import partial

import pytest
from pydantic import SecretStr
from support.wrong_servers import electing_mongo, free_port, loading_redis, redis_process

from storage.settings import StorageSettings
from system.errors import MemoryFull
from tracker.queue import Queue

RAW = re.compile(r"[{<]|Errno|errmsg|Topology|codeName|Traceback|pass-word")


@pytest.fixture
def told(pindna, environment):
    """Return what a command tells that meets a server by a wrong address."""

    def tell(*arguments, status=3, **addresses):
        variables = {f"PINDNA_STORAGE__{name.upper()}": url for name, url in addresses.items()}
        environment.update(variables, PINDNA_STORAGE__TIMEOUT_S="1")
        line = pindna(*arguments, status=status).stderr
        assert line.count("\n") == 1
        assert not RAW.search(line), line
        return line

    return tell


@pytest.mark.parametrize("user", ["", ":pass-word@", "me:pass-word@"])
def test_wrong_redis_password_is_reported(told, tmp_path, user):
    with redis_process(tmp_path, "--requirepass", "another") as port:
        line = told("index", "stats", redis_url=f"redis://{user}127.0.0.1:{port}/0")
    assert line.startswith(f"Redis at 127.0.0.1:{port} refuses the login. Correct user and password in")
    assert line.endswith("storage.redis_url.\n")


@pytest.mark.parametrize("user", ["", "me:pass-word@", "pindna:pass-word@"])
def test_wrong_mongodb_password_is_reported(told, settings, user):
    place = settings.storage.mongo_url.get_secret_value().rpartition("@")[2]
    line = told("corpus", "list", mongo_url=f"mongodb://{user}{place}")
    assert line.startswith("MongoDB at 127.0.0.1:")
    assert line.endswith("refuses the login. Correct user and password in storage.mongo_url.\n")


def test_missing_redis_server_is_reported(told):
    line = told("index", "stats", redis_url=f"redis://me:pass-word@127.0.0.1:{(port := free_port())}/0")
    assert line == (
        f"Nothing listens at 127.0.0.1:{port}, the address of Redis. "
        "Start Redis, or correct storage.redis_url.\n"
    )


def test_missing_mongodb_server_is_reported(told):
    line = told("corpus", "list", mongo_url=f"mongodb://me:pass-word@127.0.0.1:{(port := free_port())}/")
    assert line == (
        f"Nothing listens at 127.0.0.1:{port}, the address of MongoDB. "
        "Start MongoDB, or correct storage.mongo_url.\n"
    )


@pytest.mark.parametrize(
    ("command", "addresses", "service"),
    [
        (("index", "stats"), {"redis_url": "redis://me:pass-word@no-such.invalid:6379/0"}, "Redis"),
        (("corpus", "list"), {"mongo_url": "mongodb://me:pass-word@no-such.invalid:27017"}, "MongoDB"),
        (("corpus", "list"), {"mongo_url": "mongodb+srv://me:pass-word@no-such.invalid"}, "MongoDB"),
    ],
)
def test_unresolvable_server_name_is_reported(told, command, addresses, service):
    line = told(*command, **addresses)
    assert line.startswith("The host name in no-such.invalid:")
    assert f", the address of {service}, cannot be resolved. " in line
    assert line.endswith("or fix the name resolution (DNS) of this machine.\n")


def test_loading_redis_is_reported(told, tmp_path):
    with loading_redis(tmp_path) as port:
        line = told("index", "stats", redis_url=f"redis://127.0.0.1:{port}/0")
    assert line.startswith(f"Redis at 127.0.0.1:{port} runs but is not ready yet")


def test_mongodb_without_a_primary_is_reported(told):
    with electing_mongo() as port:
        line = told("corpus", "list", mongo_url=f"mongodb://127.0.0.1:{port}/")
    assert line.startswith(f"MongoDB at 127.0.0.1:{port} runs but is not ready yet")


def test_full_redis_is_reported_by_every_queue_operation(tmp_path):
    limit = ("--maxmemory", "1kb", "--maxmemory-policy", "noeviction")
    with redis_process(tmp_path, *limit) as port:
        storage = StorageSettings(redis_url=SecretStr(f"redis://127.0.0.1:{port}/0"))
        with closing(Queue(storage)) as queue:
            for ask in (partial(queue.send_again, "tick"), partial(queue.workers, timeout_s=1)):
                with pytest.raises(MemoryFull) as raised:
                    ask()
                assert raised.value.data["address"] == f"127.0.0.1:{port}"
