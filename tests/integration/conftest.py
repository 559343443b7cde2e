"""The command line and the sample sites, as processes and servers of their own."""

import os
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from support.commands import run_command
from support.crawls import Crawls, running_crawls
from support.processes import environment_of, settings_on, worker
from support.webserver import web_site
from support.wrong_servers import free_port

from deploy.demo.sites import start_sites
from deploy.stack import EmbeddedStack
from deploy.stack.errors import EmbeddedMissing
from deploy.stack.programs import redis_server, require_document_server
from storage.collections.stores import open_stores
from storage.records import Scan, utc_now
from storage.servers.redis_client import open_redis
from storage.settings import Settings


@pytest.fixture(scope="session")
def served_settings(services: EmbeddedStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of databases that one worker works for, which tells its metrics and logs as JSON."""
    folder = tmp_path_factory.mktemp("served")
    settings = settings_on(services, folder, redis_database=15)
    port = free_port()
    told = {"PINDNA_TRACKER__METRICS_PORT": str(port), "PINDNA_TRACKER__LOG_FORMAT": "json"}
    environment = {**environment_of(settings), **told}
    with worker(environment, folder / "worker.log"):
        tracker = settings.tracker.model_copy(update={"metrics_port": port})
        yield settings.model_copy(update={"tracker": tracker})


@pytest.fixture
def background_worker(served_settings: Settings) -> None:
    """Run the test on empty databases that a worker works for; it is started once."""
    with closing(open_redis(served_settings.storage)) as client:
        client.flushdb()
    with closing(open_stores(served_settings.storage)) as stores:
        stores.database.client.drop_database(stores.database.name)


@pytest.fixture
def settings(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """Settings of the test's own databases, or of those that the worker works for."""
    if "background_worker" not in request.fixturenames:
        return settings
    request.getfixturevalue("background_worker")
    return request.getfixturevalue("served_settings")


@pytest.fixture
def environment(settings: Settings) -> dict[str, str]:
    """The environment in which processes see the test's own database."""
    return environment_of(settings)


@pytest.fixture
def pindna(environment: dict[str, str], tmp_path: Path):
    """Run a ``pindna`` command in a folder of the test's own."""
    return partial(run_command, environment=environment, folder=tmp_path)


@pytest.fixture(autouse=True)
def _trial_of_browser(monkeypatch, request):
    """Let `pindna doctor` try the browser, which takes seconds, only in tests that are about it."""
    if "browser" not in request.node.name:
        monkeypatch.setattr("analysis.health.machine.rendering_problem", lambda: "")


@pytest.fixture
def sites():
    """The sample sites of the demo."""
    with start_sites() as running:
        yield running


@pytest.fixture
def site():
    with web_site() as running:
        yield running


@pytest.fixture(scope="session")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawls]:
    """What forks crawls."""
    with running_crawls(tmp_path_factory.mktemp("crawls")) as running:
        yield running


@pytest.fixture
def crawl(stores, settings, crawls):
    """Crawl a source in a new scan; returns the process's result and the counts."""

    def run(source, scan="s1", *, trigger="hand", **env):
        stores.sources.save(source)
        stores.scans.open(Scan(id=scan, trigger=trigger, sources=(source.name,), started=utc_now()))
        arguments = ["--source", source.name, "--scan", scan, "--crawl", f"{scan}:{source.name}"]
        result = crawls.run(arguments, {**environment_of(settings), "PINDNA_CRAWLER__RETRIES": "0", **env})
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
