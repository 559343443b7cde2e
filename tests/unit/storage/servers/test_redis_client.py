"""Clients of Redis: which addresses are taken, and how errors of the driver come out."""

import socket

import pytest
import redis
from pydantic import SecretStr
from redis.exceptions import (
    ClusterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
)

from storage.servers.connections import Server
from storage.servers.redis_client import (
    RedisFailed,
    address_of,
    index_address_of,
    is_outage,
    open_index,
    open_redis,
    outage_error,
    primaries,
    redis_errors,
)
from storage.settings import StorageSettings
from system.errors import (
    BadSettings,
    ConnectionLost,
    DiskRefuses,
    LoginRefused,
    MemoryFull,
    MissingPermission,
    NoAnswer,
    NothingListens,
    ReadsOnly,
    ServerFault,
    ServiceDown,
    StillLoading,
    UnknownHost,
)


def settings(**urls):
    """Settings that were not checked, as those of a program that builds them itself."""
    return StorageSettings.model_construct(
        **{"redis_url": None, "index_cluster": None, "timeout_s": 3.0}
        | {name: SecretStr(url) for name, url in urls.items()}
    )


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.fixture
def client():
    with redis.Redis(host="h.example", port=7) as client:
        yield client


def test_without_an_address_the_setting_is_named():
    with pytest.raises(ServiceDown, match=r"storage\.redis_url"):
        open_redis(settings())
    assert address_of(settings()) == index_address_of(settings()) == ""


def test_unreadable_address_is_not_repeated_in_the_error():
    for opener in (open_redis, open_index):
        with pytest.raises(BadSettings, match=r"storage\.redis_url") as raised:
            opener(settings(redis_url="http://user:geheim@host"))
        assert "geheim" not in str(raised.value)


@pytest.mark.parametrize("others", ["redis://b:x", "redis://", ""])
def test_further_node_of_a_cluster_is_host_and_port(others):
    with pytest.raises(BadSettings, match=r"storage\.index_cluster"):
        open_index(settings(index_cluster=f"redis://u:geheim@a:1,{others}"))


def test_index_is_where_the_queue_is_unless_a_cluster_is_set():
    with open_index(settings(redis_url="redis://u:p@q.example:9")) as client:
        options = client.connection_pool.connection_kwargs
        assert (options["host"], options["port"], options["password"]) == ("q.example", 9, "p")
        assert options["socket_timeout"] == options["socket_connect_timeout"] == 3.0
        assert primaries(client) == [client]
    assert index_address_of(settings(redis_url="redis://u:p@q.example")) == "q.example:6379"


def test_addresses_are_shown_without_credentials():
    nodes = settings(redis_url="redis://u:p@q:1", index_cluster="redis://u:p@a:1,b,redis://c:3")
    assert address_of(nodes) == "q:1"
    assert index_address_of(nodes) == "a:1, b:6379, c:3"


PIPELINED = "Command # 1 (ZADD unacked_index 1 a) of pipeline caused error: "


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (redis.AuthenticationError("geheim"), LoginRefused),
        (NoPermissionError("geheim"), MissingPermission),
        (redis.BusyLoadingError("no"), StillLoading),
        (redis.ConnectionError("no"), ConnectionLost),
        (caused(redis.ConnectionError("no"), ConnectionRefusedError(111)), NothingListens),
        (caused(redis.ConnectionError("no"), socket.gaierror(-2)), UnknownHost),
        (caused(redis.TimeoutError("no"), TimeoutError()), NoAnswer),
        (ClusterDownError("no"), ConnectionLost),
        (RedisClusterException("no"), ConnectionLost),
        (OutOfMemoryError("OOM"), MemoryFull),
        (ReadOnlyError("READONLY"), ReadsOnly),
        (redis.ResponseError("MISCONF Errors writing to the AOF file: No space left"), DiskRefuses),
        (
            redis.ResponseError(f"{PIPELINED}MISCONF Errors writing to the AOF file"),
            DiskRefuses,
        ),
        (redis.ResponseError(f"{PIPELINED}READONLY You can't write"), ReadsOnly),
        (redis.ResponseError("Error running script (call to f_1): @user_script:1: -OOM command"), MemoryFull),
        (redis.ResponseError("UNBLOCKED force unblock, instance state changed"), ReadsOnly),
        (redis.ResponseError("NOREPLICAS Not enough good replicas to write."), ServerFault),
        (redis.ResponseError("WRONGTYPE"), RedisFailed),
    ],
)
def test_driver_errors_become_pindna_errors(client, error, kind):
    with pytest.raises(kind) as raised, redis_errors(client):
        raise error
    assert type(raised.value) is kind
    assert raised.value.__cause__ is error
    expected = {"problem": "WRONGTYPE"} if kind is RedisFailed else {"address": "h.example:7"}
    assert raised.value.data.items() >= expected.items()


@pytest.mark.parametrize(
    ("error", "is_one"),
    [
        (redis.ResponseError("MISCONF Redis is configured to save RDB snapshots"), True),
        (redis.ConnectionError("no"), True),
        (redis.ResponseError("WRONGTYPE"), False),
        (redis.ResponseError("Command # 1 (SET a MISCONF ) of pipeline caused error: WRONGTYPE x"), False),
        (KeyError("MISCONF x"), False),
    ],
)
def test_wrapped_error_is_an_outage_or_a_mistake(error, is_one):
    assert is_outage(caused(RuntimeError("wrapped"), error)) is is_one


def test_node_that_a_connection_failed_to_is_named():
    server = Server("Redis Cluster", "a:1, b:2", "storage.index_cluster")
    error = caused(redis.ConnectionError("Error 111 connecting to b:2. No."), ConnectionRefusedError(111))
    assert outage_error(server, error).data["address"] == "b:2"
    assert outage_error(server, redis.ConnectionError("reset")).data["address"] == "a:1, b:2"
