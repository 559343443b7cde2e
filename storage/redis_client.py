"""The connection to Redis, and its errors turned into ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import redis
from redis.exceptions import RedisError

from storage.errors import BadSettings, PindnaError, ServiceDown
from storage.settings import StorageSettings

Client = redis.Redis


class RedisFailed(PindnaError):
    """Redis refused an operation, for instance for lack of memory or disk. Data: ``problem``."""

    template = "Redis could not carry out an operation: {problem}."
    exit_status = 3


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
        raise BadSettings(where="storage.redis_url", problem=str(error)) from error


@contextmanager
def redis_errors(client: redis.Redis) -> Iterator[None]:
    """Turn the driver's errors into ours.

    Raises:
        ServiceDown: the server cannot be reached.
        RedisFailed: any other failure of the server.
    """
    try:
        yield
    except (redis.ConnectionError, redis.TimeoutError) as error:
        options = client.connection_pool.connection_kwargs
        address = f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
        raise ServiceDown(service="Redis", address=address, problem="no connection") from error
    except RedisError as error:
        raise RedisFailed(problem=str(error)) from error


def ping(settings: StorageSettings) -> str:
    """Return the server's version.

    Raises:
        ServiceDown: it does not answer.
    """
    client = open_redis(settings)
    try:
        with redis_errors(client):
            client.ping()  # unlike INFO it is refused while the server still loads its data
            return str(client.info("server")["redis_version"])
    finally:
        client.close()


def address_of(settings: StorageSettings) -> str:
    """Return ``host:port`` of the configured server, without credentials."""
    if settings.redis_url is None:
        return ""
    parts = urlsplit(settings.redis_url.get_secret_value())
    return f"{parts.hostname or 'localhost'}:{parts.port or 6379}"
