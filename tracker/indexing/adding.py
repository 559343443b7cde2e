"""From passages to postings: what a new work needs to be indexed, and what an index lacks.

Adding may be repeated without harm, by whoever holds the lease on the works
(:mod:`storage.index.redis_index` says why). That the index holds what MongoDB says is proved by
:mod:`tracker.indexing.guard`.
"""

from collections.abc import Callable, Sequence

from storage.collections.stores import Stores
from storage.index.interface import PassageFingerprints
from storage.index.redis_index import RedisIndex
from storage.records import Work, utc_now
from system.batches import batched
from tracker.indexing.fingerprints import fingerprints_of, save_fingerprints, stored_fingerprints
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams

_PASSAGES = 200  # read from the database at once: 10 million characters at most, a third of one mostly
_POSTINGS = 1_000_000  # written to the index at once: each bucket then gets several records in one go


class PassagesLost(Exception):
    """MongoDB does not hold the text of a passage that a work names: the work cannot be indexed."""


def index_works(
    works: Sequence[Work],
    stores: Stores,
    index: RedisIndex,
    params: IndexParams = DEFAULT_PARAMS,
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
        params: the fingerprints to compute.
        keep: called between batches to keep the leases; the works are left alone when it answers False.

    Returns:
        How many of them are indexed now; not those that changed or were lost to another worker.

    Raises:
        PassagesLost: a passage's text is not stored.
        IndexUnusable: another generation went live; the call may be repeated with that one.
    """
    ids = [passage_id for work in works for passage_id in work.passage_ids]
    _remove_unknown(ids, stores, index, params)
    if not add_missing(ids, stores, index, params, keep, stored=False):
        return 0
    postings = index.postings(ids)
    lost = [work.id for work in works if not postings.keys() >= set(work.passage_ids)]
    if lost:
        raise PassagesLost(f"works {lost} lack passages")
    index.stamp()
    index.record_version(*stores.versions.raise_version(added=True))
    counted = [(work, sum(postings[passage_id] for passage_id in work.passage_ids)) for work in works]
    return stores.works.mark_indexed_many(counted, at=utc_now())


def _remove_unknown(ids: Sequence[int], stores: Stores, index: RedisIndex, params: IndexParams) -> None:
    """Take out of an index the passages that have no stored fingerprints: it has other texts under their ids.

    Fingerprints are stored before they are indexed. Where they are not, the database was put back to a moment
    before, and gave the ids out again.
    """
    complete = sorted(set(ids) - set(index.missing(ids)))
    stored_ids = stores.fingerprints.with_fingerprints(complete, params.params_ids)
    index.remove(passage_id for passage_id in complete if passage_id not in stored_ids)


def add_missing(
    passage_ids: Sequence[int],
    stores: Stores,
    index: RedisIndex,
    params: IndexParams,
    keep: Callable[[], bool],
    *,
    stored: bool = True,
) -> bool:
    """Add the passages that an index lacks.

    Args:
        passage_ids: those that it must hold.
        stores: the database.
        index: any generation.
        params: what it holds.
        keep: called between batches; the rest is left when it answers False.
        stored: take stored fingerprints where there are any, so that the index is as it was. A new work has
            none, and computing them is as quick as asking for them.

    Returns:
        False when ``keep`` said so.

    Raises:
        IndexUnusable: the generation was dropped.
    """
    waiting: list[PassageFingerprints] = []
    for ids in batched(index.missing(passage_ids), _PASSAGES):
        if not keep():
            return False
        fingerprints = stored_fingerprints(ids, stores, params) if stored else {}
        fresh = fingerprints_of(
            stores.passages.get_many(
                passage_id for passage_id in ids if passage_id not in fingerprints
            ).values(),
            params,
        )
        save_fingerprints(fresh, stores)
        waiting += [*fingerprints.values(), *fresh]
        if sum(prints.postings for prints in waiting) > _POSTINGS:
            index.add(waiting)
            waiting = []
    index.add(waiting)
    return True
