"""The command line and the sample sites, as processes and servers of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import PINDNA, environment_of
from webserver import web_site

from deploy.demo.sites import start_sites
from deploy.stack.errors import EmbeddedMissing
from deploy.stack.programs import redis_server, require_document_server
from storage.records import Scan, utc_now
from storage.settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environment(settings: Settings) -> dict[str, str]:
    """The environment in which processes see the test's own database."""
    return environment_of(settings)


@pytest.fixture
def pindna(environment: dict[str, str], tmp_path: Path):
    """Run the ``pindna`` command in a folder of the test's own."""

    def run(*arguments: str, stdin: bytes = b"", status: int | None = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [PINDNA, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            env=environment,
            cwd=tmp_path,
            timeout=200,
            check=False,
        )
        text = subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )
        assert "Traceback" not in text.stderr, text.stderr
        assert status is None or text.returncode == status, (text.stdout, text.stderr)
        return text

    return run


@pytest.fixture
def sites():
    """The sample sites of the demo."""
    with start_sites() as running:
        yield running


@pytest.fixture
def site():
    with web_site() as running:
        yield running


@pytest.fixture
def crawl(stores, settings):
    """Crawl a source in a new scan; returns the process's result and the counts."""

    def run(source, scan="s1", *, trigger="hand", **env):
        stores.sources.save(source)
        stores.scans.open(Scan(id=scan, trigger=trigger, sources=(source.name,), started=utc_now()))
        command = [sys.executable, "-m", "crawler", "--source", source.name, "--scan", scan]
        result = subprocess.run(
            [*command, "--crawl", f"{scan}:{source.name}"],
            cwd=ROOT,
            env={**environment_of(settings), "PINDNA_CRAWLER__RETRIES": "0", **env},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in result.stderr, result.stderr
        return result, stores.scans.crawls(scan)[0].counts

    return run


@pytest.fixture(scope="session")
def embedded_programs() -> None:
    """The programs of the embedded servers: absent ones skip a test locally and fail it in CI."""
    try:
        redis_server(), require_document_server()
    except EmbeddedMissing as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))
