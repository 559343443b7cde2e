"""Proof that the index matches MongoDB.

Before any comparison, :class:`IndexGuard` checks the index:

* It must belong to this database and have these parameters, and the database must know its corpus version. A
  database restored from a backup does not know later versions; once it has issued these numbers again, they
  have different marks.
* Every passage of every indexed work must be complete. This is checked again whenever the index stamp, the
  corpus version or the number of indexed works changed. If stamp and version are unchanged, works are counted
  only every few seconds.
* The postings of a few random passages must be found; if Redis evicted or lost keys, they are not. After a
  restart of a cluster node, nodes may have lost different parts of their last second, so some postings of
  every passage are looked up.

Missing passages are added again from the stored fingerprints. A lost or untrusted index is rebuilt as a new
generation. The index of another database is left alone and stops the comparison. So an empty, stale or
foreign index never answers 'nothing found'.
"""

import random
import time
from collections.abc import Callable, Sequence

import numpy as np

from storage.collections.stores import Stores
from storage.index.interface import Hits
from storage.index.redis_index import RedisIndex
from storage.index.upkeep import index_lock, refuse_evicting
from storage.servers.redis_client import Client
from system.batches import batched
from system.errors import ForeignIndex, IndexUnusable, MayEvict, OvertakenIndex
from system.messages import N_, Message
from tracker.indexing.adding import add_missing
from tracker.indexing.fingerprints import known_fingerprints
from tracker.indexing.generations import always, build, expected_passages
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams

_PROBES = 4  # number of passages whose postings are looked up before each batch of comparisons
_PROBE_HASHES = 8
_PROBED_AT_ONCE = 500
_COUNTED_S = 5.0  # seconds between two counts of works if nothing else changed


class IndexGuard:
    """A guard that returns the live index only after checking it against MongoDB.

    Args:
        stores: the database.
        client: Redis.
        params: of the index.
        clock: seconds from any origin.
    """

    def __init__(
        self,
        stores: Stores,
        client: Client,
        params: IndexParams = DEFAULT_PARAMS,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stores = stores
        self._client = client
        self._params = params
        self._clock = clock
        self._seen: tuple[object, ...] = ()  # last checked stamp and version
        self._works = 0
        self._counted = clock()
        self._expected: list[int] = []

    def index(self) -> RedisIndex:
        """Return the live index, repaired or rebuilt if needed.

        Raises:
            IndexUnusable: it cannot be repaired: it belongs to another database, or MongoDB lost texts.
        """
        index, version = self._live_index()
        try:
            self._check_index(index, version)
        except MayEvict:
            raise
        except IndexUnusable:
            index, version = self._rebuild_once(index.generation)
            self._check_index(index, version)
        return index

    def live(self) -> RedisIndex:
        """Return the live index, rebuilt if there is none; sufficient for adding and removing.

        Raises:
            IndexUnusable: it belongs to another database.
        """
        return self._live_index()[0]

    def _live_index(self) -> tuple[RedisIndex, int]:
        try:
            return _find_live_index(self._stores, self._client, self._params)
        except ForeignIndex:
            raise
        except IndexUnusable:
            return self._rebuild_once(None)

    def _check_index(self, index: RedisIndex, version: int) -> None:
        """Check all passages if the index changed, and look up some postings each time.

        Args:
            index: the live one.
            version: of the corpus, read before the index.
        """
        stamp = index.stamp()
        has_changed = (stamp, version) != self._seen
        if has_changed or not self._expected or self._clock() - self._counted >= _COUNTED_S:
            now, works = self._clock(), self._stores.works.count("indexed")
            # checked each time, because the policy of a running Redis may change
            refuse_evicting(self._client)
            if has_changed or works != self._works:
                self._ask_for_all(index)
                # the stamp from before the check: it changes if data is lost during the check
                self._seen, self._works = (stamp, version), works
            self._counted = now
        _probe_passages(_random_passages(self._expected), self._stores, index, self._params)
        if index.was_restarted():
            _probe_passages(self._expected, self._stores, index, self._params)
            index.record_server_runs()

    def _ask_for_all(self, index: RedisIndex) -> None:
        self._expected = expected_passages(self._stores)
        self._restore_index(index)

    def _restore_index(self, index: RedisIndex) -> None:
        if not index.missing(self._expected):
            return
        with index_lock(self._client) as keep:
            add_missing(self._expected, self._stores, index, self._params, always(keep))
        if missing := index.missing(self._expected):
            raise IndexUnusable(
                problem=Message(N_("passages that are missing in MongoDB: {count}"), {"count": len(missing)})
            )

    def _rebuild_once(self, distrusted: str | None) -> tuple[RedisIndex, int]:
        """Rebuild the index, unless another process did so during the wait for the lock."""
        with index_lock(self._client) as keep:
            try:
                index, version = _find_live_index(self._stores, self._client, self._params)
                if index.generation != distrusted:
                    return index, version
            except IndexUnusable:
                pass
            version = self._stores.versions.current()
            return build(self._stores, self._client, self._params, keep), version


def live_index(stores: Stores, client: Client, params: IndexParams = DEFAULT_PARAMS) -> RedisIndex:
    """Return the live index if it belongs to this database in its present state; passages are not checked.

    Raises:
        OvertakenIndex: the database is older than the index: it was restored.
        IndexUnusable: there is no index, or it belongs to another database.
    """
    return _find_live_index(stores, client, params)[0]


def _find_live_index(stores: Stores, client: Client, params: IndexParams) -> tuple[RedisIndex, int]:
    """Return the live index, and the corpus version read before it; see :func:`live_index`."""
    corpus_id, version, mark = stores.versions.state()
    index = RedisIndex.live(client, params.params_ids, corpus=corpus_id)
    if index.caught_up != (version, mark) and not stores.versions.has_version(*index.caught_up):
        raise OvertakenIndex(problem="the database is older than the index because it was restored")
    return index, version


def verify(stores: Stores, client: Client, params: IndexParams = DEFAULT_PARAMS) -> int:
    """Return how many passages of indexed works the live index lacks.

    Raises:
        OvertakenIndex: the database is older than the index.
        IndexUnusable: there is no index, or it belongs to another database.
    """
    index = live_index(stores, client, params)
    expected = expected_passages(stores)
    missing = index.missing(expected)
    _probe_passages(_random_passages(expected), stores, index, params)
    return len(missing)


def _random_passages(passage_ids: Sequence[int]) -> list[int]:
    """Return a few random passages."""
    return random.sample(passage_ids, min(_PROBES, len(passage_ids)))


def _probe_passages(
    passage_ids: Sequence[int], stores: Stores, index: RedisIndex, params: IndexParams
) -> None:
    """Look up some hashes of passages, also if MongoDB lost their fingerprints.

    Raises:
        IndexUnusable: a posting is missing.
    """
    for ids in batched(passage_ids, _PROBED_AT_ONCE):
        known_prints = known_fingerprints(ids, stores, params)
        hashes = [
            {name: prints.hashes[:_PROBE_HASHES] for name, prints in fingerprints.sets.items()}
            for fingerprints in known_prints
        ]
        for fingerprints, queries, answers in zip(
            known_prints, hashes, index.lookup_many(hashes), strict=True
        ):
            if any(
                _lacks_posting(fingerprints.passage_id, len(queries[name]), hits)
                for name, hits in answers.items()
            ):
                raise IndexUnusable(
                    problem=Message(
                        N_("postings of passage {id} are missing"), {"id": fingerprints.passage_id}
                    )
                )


def _lacks_posting(passage_id: int, queried: int, hits: Hits) -> bool:
    """Return whether a hash does not lead to its passage although no posting was capped."""
    return not hits.capped and len(np.unique(hits.queries[hits.passages == passage_id])) < queried
