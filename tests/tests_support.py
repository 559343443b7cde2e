"""What tests of several kinds need: records, and the processes that they start."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from storage.records import Match
from storage.settings import Settings

# A match that says nothing in particular.
_MATCH = Match(
    id="m",
    page_id="p",
    passage_id=1,
    work_id=1,
    profile="novel@1",
    site="s",
    url="u",
    page_title="",
    work_title="",
    passage_title="",
    verdict="copy",
    coverage=1,
    passage_coverage=1,
    copied_chars=1,
    longest_span=1,
    char_identity=1,
    sound_identity=1,
    spans=(),
)

PINDNA = Path(sys.executable).with_name("pindna")


def match_with(**fields: object) -> Match:
    """Return a match of which only some fields matter."""
    return replace(_MATCH, **fields)


def run_alone(
    folder: Path, *arguments: object, stdin: bytes = b"", status: int | None = 0
) -> subprocess.CompletedProcess:
    """Run ``pindna`` in a folder where no service could be found; its output is text."""
    done = subprocess.run(
        [PINDNA, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        cwd=folder,
        timeout=120,
        check=False,
    )
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    assert status is None or done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


def environment_of(settings: Settings) -> dict[str, str]:
    return {
        **os.environ,
        "LC_ALL": "C.UTF-8",
        "PINDNA_CRAWLER__ALLOW_INNER": '["127.0.0.1"]',
        "PINDNA_CRAWLER__DELAY_S": "0",
        "PINDNA_CRAWLER__EXTRACT_PROCESSES": "1",
        "PINDNA_STORAGE__MONGO_URL": settings.storage.mongo_url.get_secret_value(),
        "PINDNA_STORAGE__MONGO_DATABASE": settings.storage.mongo_database,
        "PINDNA_STORAGE__REDIS_URL": settings.storage.redis_url.get_secret_value(),
        "PINDNA_TRACKER__LEASE_S": "5",
    }


@contextmanager
def worker(environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen]:
    """A Celery worker as ops start it, in a process group of its own."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "tracker", "worker", "--concurrency", "2", "-l", "info"],
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
