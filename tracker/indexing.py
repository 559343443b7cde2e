"""From passages to postings, and the proof that the index holds what MongoDB says it should.

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
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np

from storage.errors import ForeignIndex, IndexUnusable, MayEvict
from storage.index.interface import Hits, PassageFingerprints
from storage.index.redis_index import RedisIndex, bits_for
from storage.index.tending import needs_tending, tend
from storage.index.upkeep import drop_abandoned, index_lock, may_evict
from storage.records import Work, utc_now
from storage.redis_client import Client
from storage.stores import Stores
from tracker.making import made, save_fingerprints, stored_fingerprints
from tracker.methods import DEFAULT_METHODS, Methods

_PASSAGES = 200  # read from the database at once: 10 million characters at most, a third of one mostly
_POSTINGS = 1_000_000  # written to the index at once: each bucket then gets several records in one go
_PROBES = 4  # passages whose postings are looked for before each batch of comparisons
_PROBE_HASHES = 8
_PROBED_AT_ONCE = 500


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
    """Fingerprint and index the passages of a work; see :func:`index_works`.

    Returns:
        Whether the work is indexed now.
    """
    return index_works([work], stores, index, methods, keep=keep) == 1


def index_works(
    works: Sequence[Work],
    stores: Stores,
    index: RedisIndex,
    methods: Methods = DEFAULT_METHODS,
    *,
    keep: Callable[[], bool] = lambda: True,
) -> int:
    """Fingerprint and index the passages of some works that are not in the index yet.

    All are written together and marked together: a work of one article costs no round trip of its own. The
    corpus version rises before they are marked: a page compared in between is compared again.

    Args:
        works: as they were reserved.
        stores: the database.
        index: the live generation.
        methods: the fingerprints to compute.
        keep: called between batches to keep the leases; the works are left alone when it answers False.

    Returns:
        How many of them are indexed now; not those that changed or were lost to another worker meanwhile.

    Raises:
        PassagesLost: a passage's text is not stored.
        IndexUnusable: another generation went live meanwhile; the call may be repeated with that one.
        ServiceDown: a service does not answer; the call may be repeated.
    """
    ids = [each for work in works for each in work.passage_ids]
    if not _add(ids, stores, index, methods, keep, stored=False):
        return 0
    postings = index.postings(ids)
    lost = [work.id for work in works if not postings.keys() >= set(work.passage_ids)]
    if lost:
        raise PassagesLost(f"works {lost} lack passages")
    index.stamp()
    index.note_version(*stores.works.raise_corpus_version(added=True))
    counted = [(work, sum(postings[each] for each in work.passage_ids)) for work in works]
    return stores.works.mark_indexed_many(counted, at=utc_now())


def rebuild(stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS) -> RedisIndex:
    """Build a new generation from MongoDB beside the live one, and swap.

    Raises:
        ServiceDown: a service does not answer; the live generation is untouched.
    """
    with index_lock(client) as keep:
        return _rebuild(stores, client, methods, keep)


def keep_compact(
    stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS, *, steps: int | None = None
) -> tuple[RedisIndex, bool]:
    """Do what the live index needs to stay small and quick: more buckets, or a round of compaction.

    Args:
        stores: the database.
        client: Redis.
        methods: what the index must hold.
        steps: of compaction to do at most; None: to the end of the round.

    Returns:
        The live index, and whether there is more to do.

    Raises:
        IndexBusy: another process is at work on the index.
        IndexUnusable: there is no index, or it is not one of this database.
        ServiceDown: a service does not answer; the next call goes on where this one stopped.
    """
    index = RedisIndex.live(client, methods.params_ids, corpus=stores.works.corpus_id())
    if index.is_crowded():
        with index_lock(client, wait=False) as keep:
            return _rebuild(stores, client, methods, keep), False
    if not needs_tending(index):
        return index, False
    with index_lock(client, wait=False) as keep:
        return index, _tended(index, keep, steps)


def _tended(index: RedisIndex, keep: Callable[[], object], steps: int | None) -> bool:
    """Do some steps of a round of compaction; tell whether it is not at its end."""
    left = -1 if steps is None else steps
    while left != 0:
        if tend(index).done >= 1:
            return False
        keep()
        left -= 1
    return True


def verify(stores: Stores, client: Client, methods: Methods = DEFAULT_METHODS) -> int:
    """Return how many passages of indexed works the live index lacks.

    Raises:
        IndexUnusable: there is no index, or it is not an index of this database.
        ServiceDown: a service does not answer.
    """
    index = RedisIndex.live(client, methods.params_ids, corpus=stores.works.corpus_id())
    expected = _expected(stores)
    missing = index.missing(expected)
    _probe(_drawn(expected), stores, index, methods)
    return len(missing)


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
        if not works.knows_version(*index.caught_up):
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
        _probe(_drawn(self._expected), self._stores, index, self._methods)
        if index.was_restarted():
            _probe(self._expected, self._stores, index, self._methods)
            index.note_runs()

    def _works(self) -> tuple[int, int]:
        """Return what tells that the works changed: a work is marked after its last change of the index."""
        works = self._stores.works
        return works.corpus_version(), works.count("indexed")

    def _restore(self, index: RedisIndex) -> None:
        if not index.missing(self._expected):
            return
        with index_lock(self._client) as keep:
            _add(self._expected, self._stores, index, self._methods, _always(keep))
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
    caught_up = stores.works.corpus_state()
    works = stores.works.all()
    postings = sum(work.postings or work.characters // 4 for work in works)
    bits = bits_for(postings, len(methods.params_ids))
    corpus = stores.works.corpus_id()
    index = RedisIndex.create(client, methods.params_ids, corpus=corpus, bits=bits)
    ids = [each for work in works for each in work.passage_ids]
    _add(ids, stores, index, methods, _always(keep))
    _tended(index, keep, None)
    index.note_version(*caught_up)
    index.go_live()
    return index


def _expected(stores: Stores) -> list[int]:
    """Return the passages that the index must hold."""
    works = (work for work in stores.works.all() if work.status == "indexed")
    return [each for work in works for each in work.passage_ids]


def _drawn(passage_ids: Sequence[int]) -> list[int]:
    """Return a few passages, others each time."""
    return random.sample(passage_ids, min(_PROBES, len(passage_ids)))


def _probe(passage_ids: Sequence[int], stores: Stores, index: RedisIndex, methods: Methods) -> None:
    """Look up some stored hashes of some passages.

    Raises:
        IndexUnusable: a posting is not there.
    """
    for ids in _slices(passage_ids, _PROBED_AT_ONCE):
        known = list(stored_fingerprints(ids, stores, methods).values())
        hashes = [{name: found.hashes[:_PROBE_HASHES] for name, found in each.sets.items()} for each in known]
        for each, asked, answers in zip(known, hashes, index.lookup_many(hashes), strict=True):
            if any(_lacks(each.passage_id, len(asked[name]), hits) for name, hits in answers.items()):
                raise IndexUnusable(problem=f"postings of passage {each.passage_id} are missing")


def _lacks(passage_id: int, asked: int, hits: Hits) -> bool:
    """Tell whether a looked-up hash does not lead to its passage, though nothing was capped."""
    return not hits.capped and len(np.unique(hits.queries[hits.passages == passage_id])) < asked


def _add(
    passage_ids: Sequence[int],
    stores: Stores,
    index: RedisIndex,
    methods: Methods,
    keep: Callable[[], bool],
    *,
    stored: bool = True,
) -> bool:
    """Add the passages that an index lacks.

    Args:
        passage_ids: those that it must hold.
        stores: the database.
        index: any generation.
        methods: what it holds.
        keep: called between batches; the rest is left when it answers False.
        stored: take stored fingerprints where there are any, so that the index is as it was. A new work has
            none, and computing them is as quick as asking for them.

    Returns:
        False when ``keep`` said so.
    """
    waiting: list[PassageFingerprints] = []
    for ids in _slices(index.missing(passage_ids), _PASSAGES):
        if not keep():
            return False
        known = stored_fingerprints(ids, stores, methods) if stored else {}
        fresh = made(stores.passages.get_many(each for each in ids if each not in known).values(), methods)
        save_fingerprints(fresh, stores)
        waiting += [*known.values(), *fresh]
        if sum(each.postings for each in waiting) > _POSTINGS:
            index.add(waiting)
            waiting = []
    index.add(waiting)
    return True


def _always(keep: Callable[[], object]) -> Callable[[], bool]:
    """Return a function that keeps a lock, which fails by an error only."""

    def kept() -> bool:
        keep()
        return True

    return kept


def _slices(ids: Sequence[int], size: int) -> Iterable[list[int]]:
    rest = iter(ids)
    while batch := list(islice(rest, size)):
        yield batch
