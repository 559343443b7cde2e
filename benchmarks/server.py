"""A Redis server of the benchmark's own: the embedded one, on a temporary folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from deploy.stack import embedded
from storage.redis_client import Client, open_redis
from storage.settings import Settings


@contextmanager
def redis_server() -> Iterator[Client]:
    """Run a server for the duration of the block, and give a client of it.

    Raises:
        StackError: it cannot be started.
    """
    with TemporaryDirectory() as folder, embedded(Path(folder) / "data", settings=Settings()) as stack:
        client = open_redis(stack.settings.storage)
        try:
            yield client
        finally:
            client.close()
