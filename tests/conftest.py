"""Fixtures over the real servers, started once a session (once per xdist worker) on a temporary folder."""

import gc
import itertools
import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest
import redis
from pydantic import SecretStr
from support import missing
from support.cluster import Cluster, running_cluster
from support.processes import settings_on
from support.signals import start_children_with_defaults
from support.strict_mongo import DB_ADMIN, StrictMongo, strict_mongo

from deploy.stack import EmbeddedStack, embedded_stack
from deploy.stack.errors import EmbeddedMissing
from storage.collections.stores import Stores, open_stores
from storage.servers.redis_client import open_index, open_redis
from storage.settings import Settings
from system.urls import host_and_port

_SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"  # real texts; not everybody has them

# Others outlive a test: 0 is of what a module shares, 13 of the API, 14 of the console, 15 of one worker.
_REDIS_DATABASES = itertools.cycle(range(1, 13))

# Machines are shared, so that no example may be judged by how long it took.
hypothesis.settings.register_profile("shared machine", deadline=None, max_examples=50)
hypothesis.settings.load_profile("shared machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    told = "write what the commands of the README print into tests/golden, instead of comparing with it"
    parser.addoption("--regenerate-golden", action="store_true", help=told)
    strict = "let MongoDB's part be played by SecantusDB behind a proxy that is as strict as MongoDB"
    parser.addoption("--strict-mongo", action="store_true", help=strict)
    seeds = "play the schedules of these seeds in tests/history, such as 7 or 7,9,20-29"
    parser.addoption("--history-seeds", default="", help=seeds)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect tests without garbage collection, which would visit a million objects that all stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


# Modules with a test of half a minute or more: they begin first, so that no worker is left alone with one.
_LONGEST = (
    "test_browser_safety",
    "test_demo",
    "test_histories",
    "test_visible_text",
    "test_every_page",
    "test_outages",
    "test_late_decisions",
    "test_review_cli",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest modules first, and mark the tests that need the servers."""
    items.sort(key=lambda item: item.path.stem not in _LONGEST)
    for item in items:
        if {"services", "running_nodes"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.services)


# Servers of one's own to run everything on; taken out of the environment, where they are no settings.
_OWN = {name: os.environ.pop(f"PINDNA_TEST_{name}_URL", "") for name in ("MONGO", "REDIS")}


def pytest_configure(config: pytest.Config) -> None:
    """Check that the user's own servers are both set, and used by one process: Redis has few databases."""
    start_children_with_defaults()
    if any(_OWN.values()) and not all(_OWN.values()):
        raise pytest.UsageError("set PINDNA_TEST_MONGO_URL and PINDNA_TEST_REDIS_URL, or neither")
    if any(_OWN.values()) and config.getoption("numprocesses", None):
        raise pytest.UsageError("servers of one's own serve one process of tests: leave out -n")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Report how long the whole suite takes and which tests it skips; runs of single tests report nothing."""
    is_whole = set(config.args) == {str(name) for name in config.getini("testpaths")}
    return missing.report_lines(shared_data=_SHARED_DATA) if is_whole else []


@dataclass(frozen=True, slots=True)
class OwnServers:
    """Servers that are there for tests alone: databases ``test_…`` of MongoDB, 0 to 15 of Redis."""

    mongo_url: str
    redis_url: str


@contextmanager
def _own_servers() -> Iterator[OwnServers]:
    """Yield the servers that the environment names; ends the run if they hold somebody's data."""
    redis_url = f"{_OWN['REDIS'].rstrip('/').removesuffix('/0')}/0"
    with ExitStack() as opened:
        clients = [
            opened.enter_context(closing(redis.Redis.from_url(f"{redis_url[:-1]}{number}")))
            for number in range(16)
        ]
        if filled := [number for number, client in enumerate(clients) if client.dbsize()]:
            pytest.exit(
                f"PINDNA_TEST_REDIS_URL: databases {filled} are not empty, and tests would empty them."
            )
        try:
            yield OwnServers(_OWN["MONGO"], redis_url)
        finally:
            for client in clients:
                client.flushdb()


@pytest.fixture(scope="session")
def services(
    running_services: EmbeddedStack | OwnServers, strict_proxy: StrictMongo | None
) -> EmbeddedStack | OwnServers:
    """Both servers: ``mongo_url`` and ``redis_url``; with ``--strict-mongo`` behind a proxy."""
    if strict_proxy is None:
        return running_services
    return OwnServers(strict_proxy.url_of(running_services.mongo_url), running_services.redis_url)


@pytest.fixture(scope="session")
def strict_proxy(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> Iterator[StrictMongo | None]:
    """The proxy that makes SecantusDB as strict as MongoDB, if an option requests it."""
    if not pytestconfig.getoption("--strict-mongo"):
        yield None
        return
    url = request.getfixturevalue("running_services").mongo_url
    with strict_mongo(host_and_port(url, port=27017)) as proxy:
        yield proxy


@pytest.fixture(autouse=True)
def _rights(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let a test that is marked ``db_admin`` change validators."""
    if request.node.get_closest_marker("db_admin") is None or not request.config.getoption("--strict-mongo"):
        yield
        return
    proxy = request.getfixturevalue("strict_proxy")
    proxy.allowed |= DB_ADMIN
    yield
    proxy.allowed -= DB_ADMIN


@pytest.fixture(scope="session")
def running_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStack | OwnServers]:
    """Both servers. If one is missing, a test is skipped locally and fails in CI.

    ``PINDNA_TEST_MONGO_URL`` and ``PINDNA_TEST_REDIS_URL`` name others.
    """
    if all(_OWN.values()):
        with _own_servers() as own:
            yield own
        return
    stack = embedded_stack(tmp_path_factory.mktemp("services"), settings=Settings())
    try:
        stack.__enter__()
    except EmbeddedMissing as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))
    try:
        yield stack
    finally:
        stack.__exit__(None, None, None)


@pytest.fixture
def settings(services: EmbeddedStack, tmp_path: Path) -> Settings:
    """Settings of a fresh MongoDB database and an empty Redis database of the test's own."""
    return settings_on(services, tmp_path, redis_database=next(_REDIS_DATABASES))


@pytest.fixture
def stores(settings: Settings) -> Iterator[Stores]:
    """Open stores with their schema; the database is dropped afterwards."""
    opened = open_stores(settings.storage)
    opened.ensure_schema()
    yield opened
    opened.database.client.drop_database(opened.database.name)
    opened.close()


@pytest.fixture
def redis_client(settings: Settings):
    """A client of the test's own, empty Redis database."""
    client = open_redis(settings.storage)
    yield client
    client.close()


@pytest.fixture(scope="session")
def running_nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three nodes of a Redis Cluster. An absent server skips a test locally and fails it in CI."""
    try:
        with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
            yield cluster
    except EmbeddedMissing as error:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(str(error))


@pytest.fixture
def cluster(running_nodes: Cluster) -> Cluster:
    """A whole and empty Redis Cluster."""
    running_nodes.wait()
    running_nodes.flush()
    return running_nodes


@pytest.fixture
def cluster_settings(settings: Settings, cluster: Cluster) -> Settings:
    """The test's settings with the index in the cluster."""
    storage = {"index_cluster": SecretStr(cluster.url)}
    return settings.model_copy(update={"storage": settings.storage.model_copy(update=storage)})


@pytest.fixture
def cluster_client(cluster_settings: Settings):
    """A client of the cluster."""
    client = open_index(cluster_settings.storage)
    yield client
    client.close()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real texts beside the repository; not everybody has them."""
    if not _SHARED_DATA.is_dir():
        pytest.skip(f"no {_SHARED_DATA.name} folder beside the repository")
    return _SHARED_DATA
