"""The servers of a run: SecantusDB, a replica set of one behind a proxy that fails; Redis on a small disk."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis
from support.disks import Disk, may_mount
from support.strict_mongo import StrictMongo, strict_mongo
from support.waiting import wait_until
from support.wrong_servers import _listens, free_port, redis_process

_DISK = "size=96m"
_APPENDS = ("--appendonly", "yes", "--save", "", "--auto-aof-rewrite-percentage", "0")


@dataclass(frozen=True, slots=True)
class Servers:
    """Running servers.

    Attributes:
        mongo_port: of the document server itself, which nothing disturbs.
        mongo: the proxy before it, which workers go through.
        redis_port: of Redis.
        redis: a client of it.
        disk: that Redis writes to; None where nothing may be mounted.
    """

    mongo_port: int
    mongo: StrictMongo
    redis_port: int
    redis: redis.Redis
    disk: Disk | None


@contextmanager
def running_servers(folder: Path) -> Iterator[Servers]:
    """Run both servers with their data in a folder."""
    with ExitStack() as opened:
        disk = opened.enter_context(_disk(folder / "redis"))
        redis_port = opened.enter_context(redis_process(folder / "redis", *_APPENDS))
        mongo_port = opened.enter_context(document_server(folder))
        proxy = opened.enter_context(strict_mongo(f"127.0.0.1:{mongo_port}"))
        client = opened.enter_context(closing(redis.Redis(port=redis_port)))
        yield Servers(mongo_port, proxy, redis_port, client, disk)


@contextmanager
def _disk(path: Path) -> Iterator[Disk | None]:
    """Make a folder, on a disk of its own where that can be."""
    path.mkdir()
    disk = Disk(path)
    if not may_mount() or not disk.mount(_DISK):
        yield None
        return
    try:
        yield disk
    finally:
        disk.unmount()


@contextmanager
def document_server(folder: Path) -> Iterator[int]:
    """Run SecantusDB as a replica set of one, with its data in a folder; yields its port."""
    port, config = free_port(), folder / "secantusd.toml"
    config.touch()  # or the server reads one that it finds
    options = (
        "--storage-path",
        folder / "mongo",
        "--port",
        port,
        "--config",
        config,
        "--log-level",
        "WARNING",
    )
    with (folder / "mongo.log").open("wb") as log:
        command = [sys.executable, "-m", "secantus", *map(str, options)]
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        wait_until(lambda: _listens(port), tell=(folder / "mongo.log").read_text)
        yield port
    finally:
        process.terminate()
        process.wait(60)
