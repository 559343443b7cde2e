"""Generations of the index: built from MongoDB, enlarged, compacted.

The index lock lets one process at a time do this. A builder that dies leaves an abandoned generation, which
the next builder drops.
"""

from collections.abc import Callable

from storage.collections.stores import Stores
from storage.index.buckets import bits_for
from storage.index.compaction import compact, needs_compaction
from storage.index.redis_index import RedisIndex
from storage.index.upkeep import drop_abandoned, index_lock
from storage.servers.redis_client import Client
from tracker.indexing.adding import add_missing
from tracker.indexing.params import DEFAULT_PARAMS, POSTINGS_A_CHARACTER, IndexParams


def rebuild(stores: Stores, client: Client, params: IndexParams = DEFAULT_PARAMS) -> RedisIndex:
    """Build a new generation from MongoDB next to the live one, and switch to it.

    Raises:
        ServiceDown: a service does not answer; the live generation is unchanged.
    """
    with index_lock(client) as keep:
        return build(stores, client, params, keep)


def build(stores: Stores, client: Client, params: IndexParams, keep: Callable[[], object]) -> RedisIndex:
    """Build a generation and switch to it; the caller holds the lock, which ``keep`` extends.

    Raises:
        ServiceDown: a service does not answer; the live generation is unchanged.
    """
    drop_abandoned(client)
    caught_up = stores.versions.current_and_mark()
    # If very many passages have a hash, only its first postings count. So background texts are added first.
    works = sorted(stores.works.all(), key=lambda work: work.is_owned)
    postings = sum(work.postings or int(work.characters * POSTINGS_A_CHARACTER) for work in works)
    bits = bits_for(postings, len(params.params_ids))
    corpus = stores.versions.corpus_id()
    index = RedisIndex.create(client, params.params_ids, corpus=corpus, bits=bits)
    ids = [passage_id for work in works for passage_id in work.passage_ids]
    add_missing(ids, stores, index, params, always(keep))
    _compact_steps(index, keep, None)
    index.record_version(*caught_up)
    index.go_live()
    stores.fingerprints.keep_only(params.params_ids)
    return index


def keep_compact(
    stores: Stores, client: Client, params: IndexParams = DEFAULT_PARAMS, *, steps: int | None = None
) -> tuple[RedisIndex, bool]:
    """Keep the live index small and fast: add buckets, or compact it.

    Args:
        stores: the database.
        client: Redis.
        params: of the index.
        steps: limit on the steps of compaction; None: complete the round.

    Returns:
        The live index, and whether work remains.

    Raises:
        IndexBusy: another process is working on the index.
        IndexUnusable: there is no index, or it belongs to another database.
        ServiceDown: a service does not answer; the next call continues where this one stopped.
    """
    index = RedisIndex.live(client, params.params_ids, corpus=stores.versions.corpus_id())
    if index.is_crowded():
        with index_lock(client, wait=False) as keep:
            return build(stores, client, params, keep), False
    if not needs_compaction(index):
        return index, False
    with index_lock(client, wait=False) as keep:
        return index, _compact_steps(index, keep, steps)


def _compact_steps(index: RedisIndex, keep: Callable[[], object], steps: int | None) -> bool:
    """Do some steps of compaction; return whether steps remain."""
    remaining = -1 if steps is None else steps
    while remaining != 0:
        if compact(index).share >= 1:
            return False
        keep()
        remaining -= 1
    return True


def expected_passages(stores: Stores) -> list[int]:
    """Return the passages that the index must contain."""
    works = (work for work in stores.works.all() if work.status == "indexed")
    return [passage_id for work in works for passage_id in work.passage_ids]


def always(keep: Callable[[], object]) -> Callable[[], bool]:
    """Return a function that extends a lock and fails only by an error."""

    def keep_and_go_on() -> bool:
        keep()
        return True

    return keep_and_go_on
