"""Crawl processes as the tracker starts them, on a database of their own: for rates and for kill rounds."""

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from storage.collections.scan_turns import ScanOpening
from storage.collections.scans import crawl_id
from storage.collections.stores import Stores, open_stores
from storage.records import Scan, Source, utc_now
from storage.settings import StorageSettings


@dataclass(frozen=True, slots=True)
class Ground:
    """A fresh database and the environment that processes find it by."""

    stores: Stores
    environment: Mapping[str, str]

    def open_scan(self, source: Source, scan: str, *, processes: int = 1) -> None:
        """Store a source and a scan of it."""
        self.stores.sources.save(source)
        opened = Scan(id=scan, trigger="hand", sources=(source.name,), started=utc_now())
        self.stores.scans.store(ScanOpening(scan=opened, processes={source.name: processes}))

    def start(self, source: Source, scan: str, number: int = 1) -> subprocess.Popen[bytes]:
        """Start the n-th crawl process of a scan."""
        command = [sys.executable, "-m", "crawler", "--source", source.name, "--scan", scan]
        return subprocess.Popen(
            [*command, "--crawl", crawl_id(scan, source.name, number)],
            env=dict(self.environment),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )


@contextmanager
def open_ground(storage: StorageSettings, **settings: str) -> Iterator[Ground]:
    """Make a database for the duration of the block.

    Args:
        storage: where the services are.
        **settings: of the section ``crawler``, as environment variables have them.
    """
    fresh = storage.model_copy(update={"mongo_database": f"crawls_{uuid.uuid4().hex}"})
    stores = open_stores(fresh)
    stores.ensure_schema()
    if fresh.mongo_url is None or fresh.redis_url is None:
        raise ValueError("the services have no addresses")
    own = {
        "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
        "PINDNA_CRAWLER__DELAY_S": "0",
        "PINDNA_STORAGE__MONGO_DATABASE": fresh.mongo_database,
        "PINDNA_STORAGE__MONGO_URL": fresh.mongo_url.get_secret_value(),
        "PINDNA_STORAGE__REDIS_URL": fresh.redis_url.get_secret_value(),
        **{f"PINDNA_CRAWLER__{name.upper()}": value for name, value in settings.items()},
    }
    try:
        yield Ground(stores, {**os.environ, **own})
    finally:
        stores.database.client.drop_database(stores.database.name)
        stores.close()
