"""Both sides of every store interface: in memory and on the real servers."""

from types import SimpleNamespace

import pytest
from support.cluster import running_node
from support.databases import PreparedDatabase
from support.plans import listening
from support.processes import settings_on
from support.stable_api import Inspector
from support.two_works import TEXTS

from storage.index.memory import MemoryIndex
from storage.index.redis_index import RedisIndex
from storage.records import Passage, Work
from tracker.corpus.memory import MemoryPassages, MemoryWorks
from tracker.indexing.adding import index_works
from tracker.indexing.guard import IndexGuard

PARAMS = ("dna-test", "shingle-test")
BOTH = ["memory", pytest.param("real", marks=pytest.mark.services)]


@pytest.fixture(scope="session", autouse=True)
def inspector():
    """Looks at every command that any client of the run sends to MongoDB."""
    looking = Inspector()
    with listening(looking):
        yield looking
    assert looking.problems == set()


@pytest.fixture(scope="session")
def prepared(services, tmp_path_factory):
    """The database that all tests with ``stores`` use, one after another."""
    database = PreparedDatabase(
        settings_on(services, tmp_path_factory.mktemp("prepared"), redis_database=0).storage
    )
    yield database
    database.close()


@pytest.fixture
def settings(request, settings):
    """Settings of a new database, or of the prepared one for a test of ``stores``; ``texts`` uses two."""
    if {"stores", "texts"}.isdisjoint(request.fixturenames):
        return settings
    storage = {"mongo_database": request.getfixturevalue("prepared").name}
    return settings.model_copy(update={"storage": settings.storage.model_copy(update=storage)})


@pytest.fixture
def stores(settings, prepared):
    """Open stores of an empty database with its schema."""
    with prepared.stores(settings.storage) as opened:
        yield opened


@pytest.fixture(params=[*BOTH, pytest.param("cluster", marks=pytest.mark.services)])
def new_index(request):
    """A function that makes an empty index for ``PARAMS``; each answers for itself."""
    if request.param == "memory":
        return MemoryIndex
    client = request.getfixturevalue("redis_client" if request.param == "real" else "cluster_client")

    def create():
        index = RedisIndex.create(client, PARAMS, corpus="of the tests")
        index.go_live()
        return index

    return create


@pytest.fixture(scope="module")
def lenient_server(tmp_path_factory):
    """A key-value server that lets itself be set up otherwise, as pindna's own does not."""
    with running_node(tmp_path_factory.mktemp("lenient")) as node:
        yield node


@pytest.fixture
def lenient_redis(services, lenient_server):  # noqa: ARG001 - skips or fails where there are no servers
    """A client of that server, if it is empty."""
    with lenient_server.client() as client:
        client.flushall()
        yield client


@pytest.fixture
def save_work(stores):
    """A function that stores a work as loading does; its passages have the ids of the texts."""

    def save(work_id, texts, **fields):
        stores.passages.save_many(
            Passage(
                id=passage_id,
                work_id=work_id,
                ordinal=passage_id,
                title="",
                text=text,
                sha256=f"s{passage_id}",
            )
            for passage_id, text in texts.items()
        )
        work = Work(
            id=work_id,
            key=f"k{work_id}",
            title=f"书{work_id}",
            kind="novel",
            origin="o",
            passage_ids=tuple(texts),
            **{"sha256": "v1", **fields},
        )
        stores.works.save(work)
        return work

    return save


@pytest.fixture
def guard(stores, redis_client):
    return IndexGuard(stores, redis_client)


@pytest.fixture
def works(stores, save_work, guard):
    """Two works, both indexed; see :mod:`support.two_works`."""
    saved = [
        save_work(1, {passage_id: TEXTS[passage_id] for passage_id in (1, 2, 3)}),
        save_work(2, {passage_id: TEXTS[passage_id] for passage_id in (4, 5)}),
    ]
    for work in saved:
        assert index_works([work], stores, guard.index())
    return saved


@pytest.fixture
def taken(stores):
    """A function that reserves and claims one waiting page like a worker, and returns the token."""

    def take(page_id, *, lease_s=60):
        token, ids, _ = stores.pages.reserve_fetched(count=10_000, lease_s=lease_s)
        stores.pages.release([other_id for other_id in ids if other_id != page_id], token=token)
        own, (page,) = stores.pages.claim_many([page_id], token=token, lease_s=lease_s)
        assert page.id == page_id
        return own

    return take


@pytest.fixture(params=BOTH)
def texts(request):
    """A store of works and a store of passages."""
    if request.param == "memory":
        return SimpleNamespace(works=MemoryWorks(), passages=MemoryPassages())
    return request.getfixturevalue("stores")
