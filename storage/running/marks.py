"""Marks that processes leave in Redis, so that others see that they run: a hash a kind, a field a process.

A mark that is not renewed for a week is forgotten.
"""

import os
import socket
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar, cast

from pydantic import TypeAdapter

from storage.servers.redis_client import open_redis, redis_errors
from storage.settings import StorageSettings

_FORGOTTEN = timedelta(days=7)


class _Mark(Protocol):
    @property
    def name(self) -> str:
        """Of the machine, with the process number: :func:`process_name`."""

    @property
    def seen(self) -> datetime:
        """When the process left it, by the clock of Redis."""


M = TypeVar("M", bound=_Mark)


def process_name() -> str:
    """Return what this process is called among those of all machines."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Marks(Generic[M]):
    """The marks of one kind.

    Args:
        key: of the hash.
        kind: what a mark says.
    """

    def __init__(self, key: str, kind: type[M]) -> None:
        self._key, self._form = key, TypeAdapter(kind)

    def record(self, settings: StorageSettings, mark: M) -> None:
        """Leave a mark, and forget those that were left a week before it.

        Raises:
            ServiceDown, RedisFailed: Redis does not take it.
        """
        with open_redis(settings) as client, redis_errors(client):
            client.hset(self._key, mark.name, self._form.dump_json(mark))
            marks = self._read(client.hgetall(self._key))
            old = [old_mark.name for old_mark in marks if mark.seen - old_mark.seen > _FORGOTTEN]
            if old:
                client.hdel(self._key, *old)

    def all(self, settings: StorageSettings) -> list[M]:
        """Return the marks of the last week, the newest first.

        Raises:
            ServiceDown, RedisFailed: Redis does not answer.
        """
        with open_redis(settings) as client, redis_errors(client):
            marks = self._read(client.hgetall(self._key))
        return sorted(marks, key=lambda mark: mark.seen, reverse=True)

    def _read(self, row: object) -> list[M]:
        return [self._form.validate_json(value) for value in cast("Mapping[bytes, bytes]", row).values()]
