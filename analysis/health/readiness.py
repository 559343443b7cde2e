"""Readiness: whether the services answer, and whether the database has this version's schema."""

from collections.abc import Callable, Mapping

from storage.collections.schema import VERSION
from storage.servers.redis_client import ping, ping_cluster
from system.errors import PindnaError
from tracker.runtime import Runtime


def readiness(runtime: Runtime) -> dict[str, bool]:
    """Return whether each service is ready: MongoDB, its schema, Redis, the index cluster."""
    stores, storage = runtime.stores, runtime.settings.storage
    looks: Mapping[str, Callable[[], bool]] = {
        "mongodb": lambda: bool(stores.ping()),
        "schema": lambda: stores.schema_version() == VERSION,
        "redis": lambda: bool(ping(storage)),
        **({"index": lambda: bool(ping_cluster(storage))} if storage.index_cluster is not None else {}),
    }
    return {name: _is_well(look) for name, look in looks.items()}


def _is_well(look: Callable[[], bool]) -> bool:
    try:
        return look()
    except PindnaError:
        return False
