"""Indexing of passages: add the postings of new works, or those that an index lacks.

Adding may be repeated without harm by the holder of the lease on the works (see
:mod:`storage.index.redis_index`). :mod:`tracker.indexing.guard` proves that the index matches MongoDB.
"""

from collections.abc import Callable, Sequence

from storage.collections.stores import Stores
from storage.index.interface import PassageFingerprints
from storage.index.redis_index import RedisIndex
from storage.records import Work, utc_now
from system.batches import batched
from tracker.indexing.fingerprints import fingerprints_of, save_fingerprints, stored_fingerprints
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams

_PASSAGES = 200  # number of passages that are read at once: at most 10 million characters
# number of postings that are written at once, so that each bucket gets several records together
_POSTINGS = 1_000_000


class PassagesLost(Exception):
    """MongoDB lacks the text of a passage of a work, so the work cannot be indexed."""


def index_works(
    works: Sequence[Work],
    stores: Stores,
    index: RedisIndex,
    params: IndexParams = DEFAULT_PARAMS,
    *,
    keep: Callable[[], bool] = lambda: True,
) -> int:
    """Fingerprint and index the passages of works that are not in the index yet.

    All are written and marked together, so a work of one article needs no separate round trip. The corpus
    version rises before they are marked: a page compared in between is compared again.

    Args:
        works: as reserved.
        stores: the database.
        index: the live generation.
        params: the fingerprints to compute.
        keep: called between batches to extend the leases; if it returns False, the works are not indexed.

    Returns:
        How many works are now indexed, without those that changed or were lost to another worker.

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
    """Remove passages without stored fingerprints from an index: it has other texts under their ids.

    Fingerprints are stored before they are indexed. If they are missing, the database was restored to an
    earlier moment and issued the ids again.
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
        passage_ids: the passages that it must contain.
        stores: the database.
        index: any generation.
        params: of the index.
        keep: called between batches; if it returns False, the remaining passages are skipped.
        stored: use stored fingerprints where available, so the index is the same as before. A new work has
            none,
            and computing them is as fast as requesting them.

    Returns:
        False if ``keep`` stopped the call.

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
