"""The processes that tests start: commands and workers."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psutil

from deploy.stack import EmbeddedStack
from storage.servers.redis_client import open_redis
from storage.settings import Settings

_WORKER = (sys.executable, "-m", "celery", "-A", "tracker", "worker", "--concurrency", "2", "-l", "info")
PINDNA = Path(sys.executable).with_name("pindna")


def settings_on(services: EmbeddedStack, folder: Path, *, redis_database: int) -> Settings:
    """Return settings of a new MongoDB database and a numbered one of Redis, which is emptied."""
    settings = Settings(
        storage={
            "mongo_url": services.mongo_url,
            "mongo_database": f"test_{uuid.uuid4().hex}",
            "redis_url": services.redis_url.removesuffix("/0") + f"/{redis_database}",
            "data_dir": folder / "data",
        },
        crawler={"allow_inner": ["127.0.0.1"], "delay_s": 0, "processes": 1},
        tracker={"lease_s": 5},
        analysis={"report_dir": folder / "reports", "evidence": {"folder": folder / "evidence"}},
    )
    with closing(open_redis(settings.storage)) as client:
        client.flushdb()
    return settings


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the environment of processes on a test's own databases and folder, who print into pipes."""
    around = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    return {
        **around,
        "LC_ALL": "C.UTF-8",
        "PINDNA_ANALYSIS__EVIDENCE__FOLDER": str(settings.analysis.evidence.folder),
        "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
        "PINDNA_CRAWLER__DELAY_S": "0",
        "PINDNA_CRAWLER__EXTRACT_PROCESSES": "1",
        "PINDNA_CRAWLER__MAX_RENDERED_PAGES": "0",  # no browser in a crawl that tests something else
        "PINDNA_STORAGE__DATA_DIR": str(settings.storage.data_dir),
        "PINDNA_STORAGE__MONGO_URL": settings.storage.mongo_url.get_secret_value(),
        "PINDNA_STORAGE__MONGO_DATABASE": settings.storage.mongo_database,
        "PINDNA_STORAGE__REDIS_URL": settings.storage.redis_url.get_secret_value(),
        "PINDNA_TRACKER__LEASE_S": "5",
    }


def children_with(word: str) -> list[psutil.Process]:
    """Return the processes below this one whose command line holds a word; ended ones have none."""
    children = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # of which ZombieProcess is a kind
            if word in " ".join(child.cmdline()):
                children.append(child)
    return children


def processes_of(folder: Path) -> list[psutil.Process]:
    """Return the other processes that name a folder, work in it or keep their temporary files there."""
    processes = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if (
                process.pid != os.getpid()
                and process.status() != psutil.STATUS_ZOMBIE
                and any(str(folder) in place for place in _places_of(process))
            ):
                processes.append(process)
    return processes


def _places_of(process: psutil.Process) -> Iterator[str]:
    yield from process.cmdline()
    yield process.cwd()
    yield process.environ().get("TMPDIR", "")


@contextmanager
def worker(
    environment: dict[str, str], log: Path, *options: str, within: Sequence[str] = ()
) -> Iterator[subprocess.Popen]:
    """A Celery worker as ops start it, in a process group of its own; ``within`` a program that runs it."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*within, *_WORKER, *options],
            env=environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                kill_group(process)


def kill_group(process: subprocess.Popen) -> None:
    """Kill -9 a worker with its children, as the kernel's memory killer or a power cut would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
