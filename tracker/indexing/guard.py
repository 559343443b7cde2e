"""The proof that the index holds what MongoDB says it should.

Before anything is compared, :class:`IndexGuard` looks at the index:

* it must be an index of this database, built with these parameters, and of a version of the corpus that the
  database knows: one that was restored from a backup does not know the later ones, and once it has as many
  again they carry other marks;
* every passage of every indexed work must be complete in it, asked anew whenever its stamp, the corpus
  version or the number of indexed works changed;
* the postings of a few passages, drawn anew each time, must be found, as they are not when Redis evicted or
  lost keys. When a node of a cluster was started again, nodes may have lost more or less of their last second
  each, so the postings of all passages are looked for, a few of each.

What is missing is added again from the stored fingerprints; an index that is gone or not to be trusted is
rebuilt as a new generation; one of another database is left alone and stops the comparison. So an empty,
stale or foreign index never answers 'nothing found'.
"""

import random
from collections.abc import Sequence

import numpy as np

from storage.batches import batched
from storage.collections.stores import Stores
from storage.errors import ForeignIndex, IndexUnusable, MayEvict, OvertakenIndex
from storage.index.interface import Hits
from storage.index.redis_index import RedisIndex
from storage.index.upkeep import index_lock, refuse_evicting
from storage.redis_client import Client
from tracker.indexing.adding import add_missing
from tracker.indexing.fingerprints import stored_fingerprints
from tracker.indexing.generations import always, build, expected_passages
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams

_PROBES = 4  # passages whose postings are looked for before each batch of comparisons
_PROBE_HASHES = 8
_PROBED_AT_ONCE = 500


class IndexGuard:
    """Hands out the live index only after checking it against MongoDB."""

    def __init__(self, stores: Stores, client: Client, params: IndexParams = DEFAULT_PARAMS) -> None:
        self._stores = stores
        self._client = client
        self._params = params
        self._seen: tuple[object, ...] | None = None
        self._expected: list[int] = []

    def index(self) -> RedisIndex:
        """Return the live index, mended or rebuilt if need be.

        Raises:
            IndexUnusable: it cannot be mended: it is another database's, or MongoDB lost texts itself.
            ServiceDown: a service does not answer.
        """
        index = self.live()
        try:
            self._check(index)
        except MayEvict:
            raise
        except IndexUnusable:
            index = self._rebuilt(index.generation)
            self._check(index)
        return index

    def live(self) -> RedisIndex:
        """Return the live index, rebuilt if there is none: enough for adding and removing.

        Raises:
            IndexUnusable: it is another database's.
            ServiceDown: a service does not answer.
        """
        try:
            return live_index(self._stores, self._client, self._params)
        except ForeignIndex:
            raise
        except IndexUnusable:
            return self._rebuilt(None)

    def _check(self, index: RedisIndex) -> None:
        """Ask for everything when the index changed, and look for some postings each time."""
        works = self._works()
        if (index.stamp(), works) != self._seen:
            refuse_evicting(self._client)
            self._expected = expected_passages(self._stores)
            self._restore(index)
            self._seen = index.stamp(), works
        _probe(_sample(self._expected), self._stores, index, self._params)
        if index.was_restarted():
            _probe(self._expected, self._stores, index, self._params)
            index.note_runs()

    def _works(self) -> tuple[int, int]:
        """Return what tells that the works changed: a work is marked after its last change of the index."""
        return self._stores.versions.current(), self._stores.works.count("indexed")

    def _restore(self, index: RedisIndex) -> None:
        if not index.missing(self._expected):
            return
        with index_lock(self._client) as keep:
            add_missing(self._expected, self._stores, index, self._params, always(keep))
        if missing := index.missing(self._expected):
            raise IndexUnusable(problem=f"{len(missing)} passages are not stored in MongoDB")

    def _rebuilt(self, distrusted: str | None) -> RedisIndex:
        """Rebuild, unless another process did so while we waited for the lock."""
        with index_lock(self._client) as keep:
            try:
                index = live_index(self._stores, self._client, self._params)
                if index.generation != distrusted:
                    return index
            except IndexUnusable:
                pass
            return build(self._stores, self._client, self._params, keep)


def live_index(stores: Stores, client: Client, params: IndexParams = DEFAULT_PARAMS) -> RedisIndex:
    """Return the live index if it is of this database, in a state that it knows; passages are not looked for.

    Raises:
        OvertakenIndex: the database is older: it was restored.
        IndexUnusable: there is no index, or it is not an index of this database.
        ServiceDown: a service does not answer.
    """
    index = RedisIndex.live(client, params.params_ids, corpus=stores.versions.corpus_id())
    if not stores.versions.knows(*index.caught_up):
        raise OvertakenIndex(problem="MongoDB is older than the index: it was restored")
    return index


def verify(stores: Stores, client: Client, params: IndexParams = DEFAULT_PARAMS) -> int:
    """Return how many passages of indexed works the live index lacks.

    Raises:
        OvertakenIndex: the database is older than the index.
        IndexUnusable: there is no index, or it is not an index of this database.
        ServiceDown: a service does not answer.
    """
    index = live_index(stores, client, params)
    expected = expected_passages(stores)
    missing = index.missing(expected)
    _probe(_sample(expected), stores, index, params)
    return len(missing)


def _sample(passage_ids: Sequence[int]) -> list[int]:
    """Return a few passages, others each time."""
    return random.sample(passage_ids, min(_PROBES, len(passage_ids)))


def _probe(passage_ids: Sequence[int], stores: Stores, index: RedisIndex, params: IndexParams) -> None:
    """Look up some stored hashes of some passages.

    Raises:
        IndexUnusable: a posting is not there.
    """
    for ids in batched(passage_ids, _PROBED_AT_ONCE):
        stored = list(stored_fingerprints(ids, stores, params).values())
        hashes = [
            {name: prints.hashes[:_PROBE_HASHES] for name, prints in fingerprints.sets.items()}
            for fingerprints in stored
        ]
        for fingerprints, queries, answers in zip(stored, hashes, index.lookup_many(hashes), strict=True):
            if any(
                _lacks(fingerprints.passage_id, len(queries[name]), hits) for name, hits in answers.items()
            ):
                raise IndexUnusable(problem=f"postings of passage {fingerprints.passage_id} are missing")


def _lacks(passage_id: int, asked: int, hits: Hits) -> bool:
    """Return whether a looked-up hash does not lead to its passage, though nothing was capped."""
    return not hits.capped and len(np.unique(hits.queries[hits.passages == passage_id])) < asked
