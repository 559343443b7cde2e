"""Counters that several workers create at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from threading import Barrier

import pytest

from storage.collections.checked import CheckedDatabase
from storage.collections.naming import new_numbers

pytestmark = pytest.mark.services
WORKERS, ROUNDS = 6, 10


def test_numbers_of_a_new_counter_are_unique(stores):
    counters, barrier = CheckedDatabase(stores.database)["counters"], Barrier(WORKERS)

    def draw(name):
        barrier.wait()
        return [*new_numbers(counters, name, 2), *new_numbers(counters, name, 1)]

    with ThreadPoolExecutor(WORKERS) as pool:
        for number in range(ROUNDS):
            drawn = list(chain.from_iterable(pool.map(draw, [f"counter-{number}"] * WORKERS)))
            assert len(set(drawn)) == len(drawn) == 3 * WORKERS
            assert min(drawn) >= 1


def test_versions_of_a_new_corpus_are_unique(stores):
    barrier = Barrier(WORKERS)

    def rise(_):
        barrier.wait()
        return stores.versions.raise_version()

    with ThreadPoolExecutor(WORKERS) as pool:
        raised = dict(pool.map(rise, range(WORKERS)))
    assert len(raised) == WORKERS
    assert all(stores.versions.has_version(version, mark) for version, mark in raised.items())
