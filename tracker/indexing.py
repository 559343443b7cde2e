"""From passages to postings, and the proof that the index holds what MongoDB says it should.

Before anything is compared, :class:`IndexGuard` reads the index's stamp (one round trip). When it changed
since the last look, every passage of every indexed work is asked for; what is missing is added again from
the stored fingerprints, and an index that is gone, foreign or built with other parameters is rebuilt as a
new generation. So an empty or stale index never answers 'nothing found'.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from fingerprint.fingerprints import Fingerprints
from fingerprint.letters import to_letters
from storage.errors import IndexUnusable
from storage.index.interface import PassageFingerprints
from storage.index.redis_index import RedisIndex, index_lock
from storage.records import FingerprintSet, Passage, Work, utc_now
from storage.redis_client import Client
from storage.stores import Stores
from tracker.methods import DEFAULT_METHODS, Methods

_BATCH = 40  # passages fingerprinted and added at once


def index_work(work: Work, stores: Stores, index: RedisIndex, methods: Methods = DEFAULT_METHODS) -> int:
    """Fingerprint and index the passages of a work that are not in the index yet.

    Returns:
        The number of the work's postings.

    Raises:
        ServiceDown: a service does not answer; the call may be repeated.
    """
    for batch in _batches(index.missing(work.passage_ids)):
        passages = stores.passages.get_many(batch).values()
        found = [_fingerprinted(passage, methods) for passage in passages]
        stores.fingerprints.save_many(_stored(found))
        index.add(found)
    postings = index.postings(work.passage_ids)
    if stores.works.mark_indexed(work, postings=postings, at=utc_now()):
        stores.works.raise_corpus_version()
    return postings


def rebuild(stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS) -> RedisIndex:
    """Build a new generation from MongoDB beside the live one, and swap.

    Raises:
        ServiceDown: a service does not answer; the live generation is untouched.
    """
    index = RedisIndex.create(client, methods.params_ids)
    _add([each for work in stores.works.all() for each in work.passage_ids], stores, index, methods)
    index.go_live()
    return index


def restore_missing(
    stores: Stores, client: Client, index: RedisIndex, methods: Methods = DEFAULT_METHODS
) -> int:
    """Add the passages of indexed works that the index lacks; returns how many there were.

    Raises:
        ServiceDown: a service does not answer.
    """
    if not index.missing(_expected(stores)):
        return 0
    with index_lock(client):
        return _add(_expected(stores), stores, index, methods)


def _expected(stores: Stores) -> list[int]:
    """Return the passages that the index must hold."""
    works = (work for work in stores.works.all() if work.status == "indexed")
    return [each for work in works for each in work.passage_ids]


def verify(stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS) -> int:
    """Return how many passages of indexed works the live index lacks.

    Raises:
        IndexUnusable: there is no index, or it was built with other parameters.
        ServiceDown: a service does not answer.
    """
    return len(RedisIndex.live(client, methods.params_ids).missing(_expected(stores)))


class IndexGuard:
    """Hands out the live index only after checking it against MongoDB."""

    def __init__(self, stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS) -> None:
        self._stores = stores
        self._client = client
        self._methods = methods
        self._seen: tuple[int, int] | None = None

    def index(self) -> RedisIndex:
        """Return the live index, mended or rebuilt if need be.

        Raises:
            ServiceDown: a service does not answer.
        """
        index = self.live()
        if index.stamp() != self._seen:
            restore_missing(self._stores, self._client, index, self._methods)
            self._seen = index.stamp()
        return index

    def live(self) -> RedisIndex:
        """Return the live index as it is, rebuilt if there is none: enough for adding and removing.

        Raises:
            ServiceDown: a service does not answer.
        """
        try:
            return RedisIndex.live(self._client, self._methods.params_ids)
        except IndexUnusable:
            return self._rebuilt()

    def _rebuilt(self) -> RedisIndex:
        """Rebuild, unless another process did so while we waited for the lock."""
        with index_lock(self._client):
            try:
                return RedisIndex.live(self._client, self._methods.params_ids)
            except IndexUnusable:
                return rebuild(self._stores, self._client, self._methods)


def _add(passage_ids: Sequence[int], stores: Stores, index: RedisIndex, methods: Methods) -> int:
    """Add the passages that an index lacks, from stored fingerprints where there are any."""
    missing = index.missing(passage_ids)
    for batch in _batches(missing):
        known = _stored_fingerprints(batch, stores, methods)
        rest = stores.passages.get_many(each for each in batch if each not in known).values()
        made = [_fingerprinted(passage, methods) for passage in rest]
        stores.fingerprints.save_many(_stored(made))
        index.add([*known.values(), *made])
    return len(missing)


def _batches(ids: Sequence[int]) -> Iterable[list[int]]:
    rest = iter(ids)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _fingerprinted(passage: Passage, methods: Methods) -> PassageFingerprints:
    return PassageFingerprints(passage.id, methods.of_passage(to_letters(passage.text)))


def _stored(found: Iterable[PassageFingerprints]) -> list[FingerprintSet]:
    return [
        FingerprintSet(
            passage_id=each.passage_id,
            params_id=params_id,
            hashes=prints.hashes.astype("<u8").tobytes(),
            positions=prints.positions.astype("<u4").tobytes(),
        )
        for each in found
        for params_id, prints in each.sets.items()
    ]


def _stored_fingerprints(
    ids: Sequence[int], stores: Stores, methods: Methods
) -> dict[int, PassageFingerprints]:
    """Return the fingerprints of passages that are stored for every method."""
    by_params = {each: stores.fingerprints.get_many(ids, each) for each in methods.params_ids}
    complete = set(ids).intersection(*(found.keys() for found in by_params.values()))
    return {
        each: PassageFingerprints(
            each, {params_id: _unpacked(found[each]) for params_id, found in by_params.items()}
        )
        for each in sorted(complete)
    }


def _unpacked(stored: FingerprintSet) -> Fingerprints:
    return Fingerprints(
        np.frombuffer(stored.hashes, dtype="<u8"), np.frombuffer(stored.positions, dtype="<u4")
    )
