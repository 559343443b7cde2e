"""Both sides of every store interface: in memory and on the real servers."""

from types import SimpleNamespace

import pytest

from storage.index.memory import MemoryIndex
from storage.index.redis_index import RedisIndex
from storage.memory import MemoryPassages, MemoryWorks

PARAMS = ("dna-test", "shingle-test")
BOTH = ["memory", pytest.param("real", marks=pytest.mark.services)]


@pytest.fixture(params=BOTH)
def new_index(request):
    """A function that makes an empty index for ``PARAMS``; each answers for itself."""
    if request.param == "memory":
        return MemoryIndex
    client = request.getfixturevalue("redis_client")

    def create():
        index = RedisIndex.create(client, PARAMS)
        index.go_live()
        return index

    return create


@pytest.fixture(params=BOTH)
def texts(request):
    """A store of works and a store of passages."""
    if request.param == "memory":
        return SimpleNamespace(works=MemoryWorks(), passages=MemoryPassages())
    return request.getfixturevalue("stores")
