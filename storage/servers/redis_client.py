"""Connections to Redis (one server or a cluster), and conversion of the client's errors.

The index may be in a Redis Cluster (``storage.index_cluster``). The queue is always on one server
(``storage.redis_url``), because Celery's transport does not support clusters.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.exceptions import (
    ClusterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
)
from redis.retry import Retry

from storage.records import utc_now
from storage.servers.connections import Server, causes, unreachable
from storage.settings import StorageSettings
from system.clocks import clock_lead_seconds
from system.errors import (
    BadSettings,
    DiskRefuses,
    LoginRefused,
    MemoryFull,
    MissingPermission,
    PindnaError,
    ReadsOnly,
    ServerFault,
    ServiceDown,
    StillLoading,
    one_line,
)
from system.exit_status import ExitStatus
from system.messages import N_
from system.urls import host_and_port

Client = redis.Redis | redis.RedisCluster
_PORT = 6379
# The client's own text may contain the password.
_NO_ADDRESS = N_("it is not an address such as redis://user:password@host:6379/0")
_REASONS: dict[type[RedisError], type[ServiceDown]] = {
    redis.AuthenticationError: LoginRefused,
    NoPermissionError: MissingPermission,
    redis.BusyLoadingError: StillLoading,
    ReadOnlyError: ReadsOnly,
    OutOfMemoryError: MemoryFull,
}
# Error codes in replies for which the driver has no class, or which it reports as the error of a script.
_REPLIES: dict[str, type[ServiceDown]] = {
    "MISCONF": DiskRefuses,
    "NOREPLICAS": ServerFault,
    "OOM": MemoryFull,
    "READONLY": ReadsOnly,
    "UNBLOCKED": ReadsOnly,  # a primary ends blocking reads when it becomes a replica
}
_IN_PIPELINE = " of pipeline caused error: "  # the driver inserts the command and this text before the reply
_REPLY = re.compile(rf"(?:.*: -)?({'|'.join(_REPLIES)}) ")
# Prefix of a test key. Celery's transport writes below it, so every user of the queue may write there.
_WRITING_KEY = "_kombu.pindna.writing"
_WRITING_S = 60
_UNREACHABLE = (redis.ConnectionError, redis.TimeoutError, ClusterDownError, RedisClusterException)
_CONNECTING = re.compile(r"connecting to ([^\s,]+:\d+)\.")
_DOWN: tuple[type[Exception], ...] = (*_REASONS, *_UNREACHABLE)


class RedisFailed(PindnaError):
    """Redis refused an operation, for instance for lack of disk. Data: ``problem``."""

    template = "Redis could not carry out an operation: {problem}."
    exit_status = ExitStatus.DOWN


def open_redis(settings: StorageSettings) -> redis.Redis:
    """Open a client; it connects lazily and is not fork-safe.

    Raises:
        ServiceDown: no URL is set.
        BadSettings: the URL cannot be parsed.
    """
    if settings.redis_url is None:
        raise ServiceDown(service="Redis", address="storage.redis_url", problem="no address is set")
    try:
        return redis.Redis.from_url(
            settings.redis_url.get_secret_value(),
            socket_timeout=settings.timeout_s,
            socket_connect_timeout=settings.timeout_s,
            health_check_interval=30,
        )
    except ValueError as error:
        raise BadSettings(where="storage.redis_url", problem=_NO_ADDRESS) from error


def open_index(settings: StorageSettings) -> Client:
    """Open a client of the index: of the configured cluster, or else of the server of the queue.

    The nodes of a cluster are queried at once.

    Raises:
        ServiceDown: no address is set, or no node of the cluster answers.
        BadSettings: an address cannot be parsed.
    """
    if settings.index_cluster is None:
        return open_redis(settings)
    url, *other_nodes = settings.index_cluster.get_secret_value().split(",")
    try:
        nodes = [_cluster_node(address) for address in other_nodes]
    except ValueError as error:
        raise BadSettings(where="storage.index_cluster", problem=_NO_ADDRESS) from error
    try:
        client: redis.RedisCluster = redis.RedisCluster.from_url(
            url,
            startup_nodes=nodes,
            socket_timeout=settings.timeout_s,
            socket_connect_timeout=settings.timeout_s,
            retry=Retry(NoBackoff(), 1),
        )
    except ValueError as error:
        raise BadSettings(where="storage.index_cluster", problem=_NO_ADDRESS) from error
    except (RedisError, RedisClusterException) as error:
        server = Server("Redis Cluster", index_address_of(settings), "storage.index_cluster")
        raise outage_error(server, error) from error
    return client


def _cluster_node(address: str) -> ClusterNode:
    """Return a node of the cluster from ``host:port``.

    Raises:
        ValueError: the text is invalid.
    """
    parts = urlsplit(f"//{address.rpartition('//')[2]}")
    if not parts.hostname:
        raise ValueError("not host:port")
    return ClusterNode(parts.hostname, parts.port or _PORT)  # type: ignore[no-untyped-call]


@contextmanager
def redis_errors(client: Client) -> Iterator[None]:
    """Convert the driver's errors to pindna's.

    Raises:
        ServiceDown: the server, or a node of the cluster, cannot be used; the subclass gives the reason.
        RedisFailed: any other failure of the server.
    """
    try:
        yield
    except (RedisError, RedisClusterException) as error:
        if _is_down(error):
            raise outage_error(_server_of(client), error) from error
        raise RedisFailed(problem=one_line(str(error)).rstrip(".")) from error


def is_outage(error: BaseException) -> bool:
    """Return whether an error, or one of its causes, means that a Redis server cannot be used."""
    return any(map(_is_down, causes(error)))


def _is_down(error: BaseException) -> bool:
    return isinstance(error, _DOWN) or _write_refusal_code(error) is not None


def _write_refusal_code(error: BaseException) -> str | None:
    """Return the code in a reply that refuses a write; None for any other error.

    In a pipeline the driver inserts the command before the reply; in a script Redis 6.2 inserts the script's
    line.
    """
    if not isinstance(error, redis.ResponseError):
        return None
    match = _REPLY.match(str(error).rpartition(_IN_PIPELINE)[2])
    return match[1] if match else None


def outage_error(server: Server, error: BaseException) -> ServiceDown:
    """Return the error for a Redis server that cannot be used.

    Args:
        server: which one.
        error: error of the driver, or of a library that wraps it.
    """
    for cause in causes(error):
        if code := _write_refusal_code(cause):
            return server.error(_REPLIES[code], problem=one_line(str(cause)).rstrip("."))
        for kind, reason in _REASONS.items():
            if isinstance(cause, kind):
                return server.error(reason)
    return unreachable(_node_of(server, error), error)


def _node_of(server: Server, error: BaseException) -> Server:
    """Return the node whose connection failed, if the driver names it; other nodes may still run."""
    names = (match[1] for cause in causes(error) for match in _CONNECTING.finditer(str(cause)))
    return replace(server, address=next(names, server.address))


def _server_of(client: Client) -> Server:
    """Return the description of a client's server for messages."""
    if isinstance(client, redis.RedisCluster):
        return Server("Redis Cluster", _shown_address(client), "storage.index_cluster")
    return Server("Redis", _shown_address(client), "storage.redis_url")


def _shown_address(client: Client) -> str:
    """Return ``host:port`` of the server, or of all known nodes of a cluster."""
    if isinstance(client, redis.RedisCluster):
        return ", ".join(sorted(str(node.name) for node in client.nodes_manager.nodes_cache.values()))
    options = client.connection_pool.connection_kwargs
    return f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"


def ping(settings: StorageSettings) -> str:
    """Return the version of the server of the queue.

    Raises:
        LoginRefused: it does not accept user and password.
        ReadsOnly: it is a replica.
        ServiceDown: it does not answer.
    """
    with open_redis(settings) as client, redis_errors(client):
        client.ping()  # refused while the server loads its data, unlike HELLO
        hello = _hello_reply(client)
        if hello["role"] == "replica":
            raise _server_of(client).error(ReadsOnly)
        return hello["version"]


def require_writes(settings: StorageSettings) -> None:
    """Check that the server of the queue accepts a small write.

    Raises:
        DiskRefuses: the server cannot write to its disk.
        MemoryFull: the server is at its memory limit.
        ReadsOnly: it is a replica.
        ServiceDown: it cannot be used for another reason.
    """
    with open_redis(settings) as client, redis_errors(client):
        client.set(_WRITING_KEY, "", ex=_WRITING_S)


def _hello_reply(node: redis.Redis) -> dict[str, str]:
    """Return the reply to HELLO, which every user may send; the command INFO requires a right."""
    reply = node.execute_command("HELLO")  # type: ignore[no-untyped-call]
    pairs = reply.items() if isinstance(reply, dict) else zip(reply[::2], reply[1::2], strict=True)
    return {name.decode(): value.decode() for name, value in pairs if isinstance(value, bytes)}


def clock_ahead_s(settings: StorageSettings) -> float:
    """Return by how many seconds the clock of the queue's server is ahead of this machine's.

    Raises:
        ServiceDown: it does not answer.
    """
    with open_redis(settings) as client, redis_errors(client):
        client.ping()  # connects first, so that the login does not delay the measured answer
        started = utc_now()
        seconds, microseconds = client.time()
        server_time = datetime.fromtimestamp(int(seconds), UTC) + timedelta(microseconds=int(microseconds))
        return clock_lead_seconds(server_time, asked_at=started, answered_at=utc_now())


def list_lengths(settings: StorageSettings, keys: Sequence[str]) -> dict[str, int]:
    """Return the lengths of lists on the queue's server; a Celery queue is a list.

    Raises:
        ServiceDown: it does not answer.
    """
    with open_redis(settings) as client, redis_errors(client):
        pipeline = client.pipeline(transaction=False)
        for key in keys:
            pipeline.llen(key)
        return dict(zip(keys, map(int, pipeline.execute()), strict=True))


def ping_cluster(settings: StorageSettings) -> tuple[int, str]:
    """Return the number of nodes with data in the index's cluster, and the oldest version among them.

    Raises:
        ServiceDown: a node does not answer, or slots are not served.
    """
    client = open_index(settings)
    try:
        with redis_errors(client):
            nodes = primaries(client)
            return len(nodes), min(_hello_reply(node)["version"] for node in nodes)
    finally:
        client.close()


def primaries(client: Client) -> list[redis.Redis]:
    """Return a client for each server that has data: the single server, or the primaries of a cluster."""
    if isinstance(client, redis.RedisCluster):
        return [client.get_redis_connection(node) for node in client.get_primaries()]  # type: ignore[no-untyped-call]
    return [client]


def address_of(settings: StorageSettings) -> str:
    """Return ``host:port`` of the configured server, without credentials."""
    if settings.redis_url is None:
        return ""
    return host_and_port(settings.redis_url.get_secret_value(), port=_PORT)


def index_address_of(settings: StorageSettings) -> str:
    """Return ``host:port`` of the configured nodes of the index's cluster, without credentials."""
    if settings.index_cluster is None:
        return address_of(settings)
    nodes = settings.index_cluster.get_secret_value().rpartition("@")[2]
    return ", ".join(host_and_port(node, port=_PORT) for node in nodes.split(","))
