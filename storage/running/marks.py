"""Marks of running processes in Redis: one hash for each kind, one field for each process.

A mark that is not renewed for a week is deleted.
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
        """Name of the machine and process number, see :func:`process_name`."""

    @property
    def seen(self) -> datetime:
        """Time of the mark, by the clock of Redis."""


M = TypeVar("M", bound=_Mark)


def process_name() -> str:
    """Return the name of this process, unique over all machines."""
    return f"{socket.gethostname()}:{os.getpid()}"


class Marks(Generic[M]):
    """The marks of one kind.

    Args:
        key: of the hash.
        kind: class of the marks.
    """

    def __init__(self, key: str, kind: type[M]) -> None:
        self._key, self._form = key, TypeAdapter(kind)

    def record(self, settings: StorageSettings, mark: M) -> None:
        """Store a mark, and delete marks that are a week older.

        Raises:
            ServiceDown, RedisFailed: Redis refuses the mark.
        """
        with open_redis(settings) as client, redis_errors(client):
            client.hset(self._key, mark.name, self._form.dump_json(mark))
            marks = self._read_marks(client.hgetall(self._key))
            old = [old_mark.name for old_mark in marks if mark.seen - old_mark.seen > _FORGOTTEN]
            if old:
                client.hdel(self._key, *old)

    def all(self, settings: StorageSettings) -> list[M]:
        """Return the marks of the last week, the latest first.

        Raises:
            ServiceDown, RedisFailed: Redis does not answer.
        """
        with open_redis(settings) as client, redis_errors(client):
            marks = self._read_marks(client.hgetall(self._key))
        return sorted(marks, key=lambda mark: mark.seen, reverse=True)

    def _read_marks(self, row: object) -> list[M]:
        return [self._form.validate_json(value) for value in cast("Mapping[bytes, bytes]", row).values()]
