"""Servers of the benchmark's own: the embedded ones, on a temporary folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from deploy.stack import embedded_stack
from storage.servers.redis_client import Client, open_redis
from storage.settings import Settings, StorageSettings


@contextmanager
def servers() -> Iterator[StorageSettings]:
    """Run both servers for the duration of the block, and give their addresses.

    Raises:
        StackError: one cannot be started.
    """
    with TemporaryDirectory() as folder, embedded_stack(Path(folder) / "data", settings=Settings()) as stack:
        yield stack.settings.storage


@contextmanager
def redis_server() -> Iterator[Client]:
    """Run a server for the duration of the block, and give a client of it.

    Raises:
        StackError: it cannot be started.
    """
    with TemporaryDirectory() as folder, embedded_stack(Path(folder) / "data", settings=Settings()) as stack:
        client = open_redis(stack.settings.storage)
        try:
            yield client
        finally:
            client.close()
