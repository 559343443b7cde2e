"""From passages to postings, and the proof that the index holds what MongoDB says it should.

Before anything is compared, :class:`IndexGuard` looks at the index:

* it must be an index of this database, built with these parameters, and not ahead of the database (which
  was then restored from a backup);
* every passage of every indexed work must be complete in it, asked anew whenever its stamp, the corpus
  version or the number of indexed works changed;
* the postings of a few passages, drawn anew each time, must be found, as they are not when Redis evicted or
  lost keys.

What is missing is added again from the stored fingerprints; an index that is gone or not to be trusted is
rebuilt as a new generation; one of another database is left alone and stops the comparison. So an empty,
stale or foreign index never answers 'nothing found'.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np

from fingerprint.fingerprints import Fingerprints
from fingerprint.letters import to_letters
from storage.errors import ForeignIndex, IndexUnusable, MayEvict
from storage.index.interface import Hits, PassageFingerprints
from storage.index.redis_index import RedisIndex, drop_abandoned, index_lock, may_evict
from storage.records import FingerprintSet, Passage, Work, utc_now
from storage.redis_client import Client
from storage.stores import Stores
from tracker.methods import DEFAULT_METHODS, Methods

_BATCH = 40  # passages fingerprinted and added at once
_PROBES = 4  # passages whose postings are looked for before each batch of comparisons
_PROBE_HASHES = 8


class PassagesLost(Exception):
    """MongoDB does not hold the text of a passage that a work names: the work cannot be indexed."""


def index_work(
    work: Work,
    stores: Stores,
    index: RedisIndex,
    methods: Methods = DEFAULT_METHODS,
    *,
    keep: Callable[[], bool] = lambda: True,
) -> bool:
    """Fingerprint and index the passages of a work that are not in the index yet.

    The corpus version rises before the work is marked: a page compared in between is compared again.

    Args:
        work: as it was reserved.
        stores: the database.
        index: the live generation.
        methods: the fingerprints to compute.
        keep: called between batches to keep the lease; the work is left alone when it answers False.

    Returns:
        Whether the work is indexed now; not if it changed or was lost to another worker meanwhile.

    Raises:
        PassagesLost: a passage's text is not stored.
        IndexUnusable: another generation went live meanwhile; the call may be repeated with that one.
        ServiceDown: a service does not answer; the call may be repeated.
    """
    for batch in _batches(index.missing(work.passage_ids)):
        if not keep():
            return False
        passages = stores.passages.get_many(batch).values()
        found = [_fingerprinted(passage, methods) for passage in passages]
        stores.fingerprints.save_many(_stored(found))
        index.add(found)
    if missing := index.missing(work.passage_ids):
        raise PassagesLost(f"work {work.id} lacks {len(missing)} passages")
    index.stamp()
    index.note_version(stores.works.raise_corpus_version(added=True))
    return stores.works.mark_indexed(work, postings=index.postings(work.passage_ids), at=utc_now())


def rebuild(stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS) -> RedisIndex:
    """Build a new generation from MongoDB beside the live one, and swap.

    Raises:
        ServiceDown: a service does not answer; the live generation is untouched.
    """
    with index_lock(client) as keep:
        return _rebuild(stores, client, methods, keep)


def verify(stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS) -> int:
    """Return how many passages of indexed works the live index lacks.

    Raises:
        IndexUnusable: there is no index, or it is not an index of this database.
        ServiceDown: a service does not answer.
    """
    index = RedisIndex.live(client, methods.params_ids, corpus=stores.works.corpus_id())
    expected = _expected(stores)
    _probe(expected, stores, index, methods)
    return len(index.missing(expected))


class IndexGuard:
    """Hands out the live index only after checking it against MongoDB."""

    def __init__(self, stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS) -> None:
        self._stores = stores
        self._client = client
        self._methods = methods
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
            return self._live()
        except ForeignIndex:
            raise
        except IndexUnusable:
            return self._rebuilt(None)

    def _live(self) -> RedisIndex:
        works = self._stores.works
        index = RedisIndex.live(self._client, self._methods.params_ids, corpus=works.corpus_id())
        if index.version > works.corpus_version():
            raise IndexUnusable(problem="MongoDB is older than the index: it was restored")
        return index

    def _check(self, index: RedisIndex) -> None:
        """Ask for everything when the index changed, and look for some postings each time."""
        works = self._works()
        if (index.stamp(), works) != self._seen:
            if may_evict(self._client):
                raise MayEvict
            self._expected = _expected(self._stores)
            self._restore(index)
            self._seen = index.stamp(), works
        _probe(self._expected, self._stores, index, self._methods)

    def _works(self) -> tuple[int, int]:
        """Return what tells that the works changed: a work is marked after its last change of the index."""
        works = self._stores.works
        return works.corpus_version(), works.count("indexed")

    def _restore(self, index: RedisIndex) -> None:
        if not index.missing(self._expected):
            return
        with index_lock(self._client) as keep:
            _add(self._expected, self._stores, index, self._methods, keep)
        if missing := index.missing(self._expected):
            raise IndexUnusable(problem=f"{len(missing)} passages are not stored in MongoDB")

    def _rebuilt(self, distrusted: str | None) -> RedisIndex:
        """Rebuild, unless another process did so while we waited for the lock."""
        with index_lock(self._client) as keep:
            try:
                index = self._live()
                if index.generation != distrusted:
                    return index
            except IndexUnusable:
                pass
            return _rebuild(self._stores, self._client, self._methods, keep)


def _rebuild(stores: Stores, client: Client, methods: Methods, keep: Callable[[], object]) -> RedisIndex:
    """Build and swap; the caller holds the lock."""
    drop_abandoned(client)
    version = stores.works.corpus_version()
    index = RedisIndex.create(client, methods.params_ids, corpus=stores.works.corpus_id())
    _add([each for work in stores.works.all() for each in work.passage_ids], stores, index, methods, keep)
    index.note_version(version)
    index.go_live()
    return index


def _expected(stores: Stores) -> list[int]:
    """Return the passages that the index must hold."""
    works = (work for work in stores.works.all() if work.status == "indexed")
    return [each for work in works for each in work.passage_ids]


def _probe(expected: Sequence[int], stores: Stores, index: RedisIndex, methods: Methods) -> None:
    """Look up some stored hashes of some passages.

    Raises:
        IndexUnusable: a posting is not there.
    """
    chosen = random.sample(expected, min(_PROBES, len(expected)))
    for each, known in _stored_fingerprints(chosen, stores, methods).items():
        hashes = {name: found.hashes[:_PROBE_HASHES] for name, found in known.sets.items()}
        answers = index.lookup(hashes)
        if any(_lacks(each, len(hashes[name]), hits) for name, hits in answers.items()):
            raise IndexUnusable(problem=f"postings of passage {each} are missing")


def _lacks(passage_id: int, asked: int, hits: Hits) -> bool:
    """Tell whether a looked-up hash does not lead to its passage, though nothing was capped."""
    return not hits.capped and len(np.unique(hits.queries[hits.passages == passage_id])) < asked


def _add(
    passage_ids: Sequence[int],
    stores: Stores,
    index: RedisIndex,
    methods: Methods,
    keep: Callable[[], object],
) -> None:
    """Add the passages that an index lacks, from stored fingerprints where there are any."""
    for batch in _batches(index.missing(passage_ids)):
        keep()
        known = _stored_fingerprints(batch, stores, methods)
        rest = stores.passages.get_many(each for each in batch if each not in known).values()
        made = [_fingerprinted(passage, methods) for passage in rest]
        stores.fingerprints.save_many(_stored(made))
        index.add([*known.values(), *made])


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
