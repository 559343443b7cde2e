"""An index that cannot be trusted never answers: foreign, from the future, swapped, evicted."""

import dataclasses
import uuid
from types import SimpleNamespace

import pytest
from support.compared import compare_page
from support.two_works import TEXTS, all_found, copied_from

from analysis.health.services import index_finding
from analysis.queries.metrics import _index_metrics
from analysis.words.i18n import translator
from storage.collections.stores import open_stores
from storage.index.redis_index import RedisIndex
from storage.records import Page
from system.errors import ForeignIndex, IndexUnusable, MayEvict, OvertakenIndex, ServiceDown
from tracker.comparison import Corpus
from tracker.indexing.adding import PassagesLost, index_works
from tracker.indexing.generations import rebuild
from tracker.indexing.guard import IndexGuard, verify
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import passage_reader

pytestmark = pytest.mark.services


class Wrapped:
    """A store of which some methods are replaced; everything else is the real one."""

    def __init__(self, real, **replaced):
        self._real = real
        vars(self).update(replaced)

    def __getattr__(self, name):
        return getattr(self._real, name)


@pytest.fixture
def other_stores(settings):
    """Another database beside the test's own, as another user of the same Redis would have it."""
    other = {"mongo_database": f"test_{uuid.uuid4().hex}"}
    opened = open_stores(settings.storage.model_copy(update=other))
    opened.ensure_schema()
    yield opened
    opened.database.client.drop_database(opened.database.name)
    opened.close()


def contents(client):
    """Every key of Redis with its value."""
    return {key: client.dump(key) for key in client.scan_iter()}


def bucket_keys(client, index):
    return list(client.scan_iter(f"pindna:{index.generation}{{*}}[01]*"))


def test_index_of_another_database_is_not_touched(stores, works, guard, redis_client, other_stores):
    before = contents(redis_client)
    stranger = IndexGuard(other_stores, redis_client)
    for ask in (stranger.index, stranger.live, lambda: verify(other_stores, redis_client)):
        with pytest.raises(ForeignIndex, match="another MongoDB database"):
            ask()
    assert contents(redis_client) == before
    assert all_found(stores, guard.index())
    assert len(works) == 2


def test_only_a_rebuild_adopts_a_foreign_index(stores, works, guard, redis_client, other_stores):
    held = guard.index()
    index = rebuild(other_stores, redis_client)
    assert index.statistics().passages == 0
    assert IndexGuard(other_stores, redis_client).index().generation == index.generation
    with pytest.raises(ForeignIndex):
        guard.index()
    with pytest.raises(IndexUnusable):
        copied_from(stores, held, TEXTS[1])
    assert len(works) == 2


@pytest.mark.parametrize("entry", ["index", "live"])
def test_database_that_was_restored_to_an_older_state_gets_a_new_index(
    stores, save_work, works, guard, entry
):
    """Its ids will be used again for other texts."""
    version = stores.versions.current()
    late = save_work(3, {6: TEXTS[6]})
    index_works([late], stores, guard.index())
    old = guard.index()
    assert copied_from(stores, old, TEXTS[6]) == [6]
    stores.works.delete(3)
    stores.passages.delete_many([6])
    stores.fingerprints.delete_many([6], DEFAULT_PARAMS.params_ids)
    stores.database["counters"].update_one({"_id": "corpus_version"}, {"$set": {"value": version}})
    index = getattr(guard, entry)()
    assert index.generation != old.generation
    assert (index.caught_up[0], index.missing([6])) == (version, [6])
    again = save_work(3, {6: TEXTS[7]})
    index_works([again], stores, index)
    assert copied_from(stores, guard.index(), TEXTS[7]) == [6]
    assert all_found(stores, guard.index())
    assert len(works) == 2


def test_restored_database_newer_than_the_index_gets_a_new_index(
    stores, save_work, works, guard, redis_client
):
    """The database reaches the version of the index again, with other works."""
    version, mark = stores.versions.current_and_mark()
    late = save_work(3, {6: TEXTS[6]})
    index_works([late], stores, guard.index())
    old = guard.index()
    stores.works.delete(3)
    stores.passages.delete_many([6])
    stores.fingerprints.delete_many([6], DEFAULT_PARAMS.params_ids)
    restored = {"$set": {"value": version, "mark": mark}}
    stores.database["counters"].update_one({"_id": "corpus_version"}, restored)
    stores.database["versions"].delete_many({"_id": version + 1})
    again = save_work(3, {6: TEXTS[7]})
    stores.works.mark_indexed_many([(again, 0)], at=again.updated)
    for _ in range(3):
        stores.versions.raise_version()
    assert stores.versions.current() > old.caught_up[0]
    runtime = SimpleNamespace(stores=stores, redis=redis_client, params=DEFAULT_PARAMS)
    assert index_finding(runtime, translator("en")).state == "alert"
    with pytest.raises(OvertakenIndex):  # so the service "index" is not up
        list(_index_metrics(runtime))
    with pytest.raises(OvertakenIndex):
        verify(stores, redis_client)
    assert guard.live().generation != old.generation
    assert index_finding(runtime, translator("en")).state == "good"
    assert "pindna_index_postings" in [metric.name for metric in _index_metrics(runtime)]
    assert copied_from(stores, guard.index(), TEXTS[7]) == [6]
    assert copied_from(stores, guard.index(), TEXTS[6]) == []
    assert len(works) == 2


@pytest.mark.parametrize("fresh", [True, False], ids=["new process", "same process"])
def test_lost_buckets_are_noticed_although_nothing_says_so(stores, works, guard, redis_client, fresh):
    """Redis evicted keys: manifest, marks and stamp are as they were."""
    index = guard.index()
    stamp = index.stamp()
    redis_client.delete(*bucket_keys(redis_client, index))
    assert index.stamp() == stamp
    assert index.missing(range(1, 6)) == []
    assert copied_from(stores, index, TEXTS[1]) == []
    with pytest.raises(IndexUnusable, match="postings of passage"):
        verify(stores, redis_client)
    mended = (IndexGuard(stores, redis_client) if fresh else guard).index()
    assert mended.generation != index.generation
    assert all_found(stores, mended)
    assert verify(stores, redis_client) == 0
    assert len(works) == 2


def test_lost_buckets_are_noticed_although_their_fingerprints_are_lost_too(
    stores, works, guard, redis_client
):
    index = guard.index()
    redis_client.delete(*bucket_keys(redis_client, index))
    stores.fingerprints.delete_many(range(1, 6), index.params_ids)
    assert all_found(stores, guard.index())
    assert len(works) == 2


def test_generation_swapped_while_indexing_marks_no_work(stores, save_work, works, guard, redis_client):
    """Passages added to the old generation are in no index."""
    work = save_work(3, {6: TEXTS[6]})

    def swap():
        rebuilt.append(rebuild(stores, redis_client))
        return True

    rebuilt = []
    # The rebuild takes every stored work; without this one it is what a rebuild that began earlier makes.
    stores.works.delete(3)
    with pytest.raises(IndexUnusable):
        index_works([work], stores, guard.index(), keep=swap)
    stores.works.save(work)
    assert rebuilt[0].missing([6]) == [6]
    assert stores.works.get_many([3])[3].status == "stored"
    assert index_works([work], stores, guard.index())
    assert copied_from(stores, guard.index(), TEXTS[6]) == [6]
    assert len(works) == 2


def test_server_that_may_evict_is_refused(stores, save_work, lenient_redis):
    works = [save_work(1, {1: TEXTS[1], 2: TEXTS[2], 3: TEXTS[3]}), save_work(2, {4: TEXTS[4], 5: TEXTS[5]})]
    guard = IndexGuard(stores, lenient_redis)
    assert all(index_works([work], stores, guard.index()) for work in works)
    lenient_redis.config_set("maxmemory", "8gb")
    lenient_redis.config_set("maxmemory-policy", "allkeys-lru")
    kept = contents(lenient_redis)
    with pytest.raises(MayEvict, match="noeviction"):
        IndexGuard(stores, lenient_redis).index()
    assert contents(lenient_redis) == kept
    lenient_redis.config_set("maxmemory-policy", "noeviction")
    assert all_found(stores, IndexGuard(stores, lenient_redis).index())
    assert all_found(stores, guard.index())


def test_server_that_may_evict_from_now_on_is_refused(stores, save_work, lenient_redis):
    """Someone changes the policy of Redis while workers run; the index is unchanged."""
    clock = [0.0]
    guard = IndexGuard(stores, lenient_redis, clock=lambda: clock[0])
    assert index_works([save_work(1, {1: TEXTS[1]})], stores, guard.index())
    assert guard.index().missing([1]) == []
    lenient_redis.config_set("maxmemory", "100mb")
    lenient_redis.config_set("maxmemory-policy", "allkeys-lru")
    clock[0] += 5
    with pytest.raises(MayEvict):
        guard.index()
    lenient_redis.config_set("maxmemory-policy", "noeviction")
    assert guard.index().missing([1]) == []


def test_passage_lost_during_the_check_is_checked_again(stores, works, guard, redis_client, monkeypatch):
    """The server loses its last second between the last two queries of the guard."""
    index, missing, key = guard.index(), RedisIndex.missing, guard.index().key
    stores.versions.raise_version()

    def look_and_lose(self, ids):
        answer = missing(self, ids)
        redis_client.hdel(key("passages"), "4")
        redis_client.hset(key("manifest"), "stamp", "of a second before")
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(RedisIndex, "missing", look_and_lose)
        guard.index()
    assert index.missing([4]) == [4]
    assert guard.index().missing([4]) == []
    assert len(works) == 2


def test_rebuild_drops_an_interrupted_rebuild(stores, works, redis_client):
    abandoned = RedisIndex.create(redis_client, DEFAULT_PARAMS.params_ids, corpus=stores.versions.corpus_id())
    assert list(redis_client.scan_iter(f"pindna:{abandoned.generation}*"))
    index = rebuild(stores, redis_client)
    assert not list(redis_client.scan_iter(f"pindna:{abandoned.generation}*"))
    assert redis_client.smembers("pindna:{index}:generations") == {index.generation.encode()}
    assert all_found(stores, index)
    assert len(works) == 2


def test_page_that_is_compared_while_a_work_is_indexed_is_stale(stores, save_work, works, guard, taken):
    """A comparison must count as older than the work both before and after its passages are added."""
    save_work(3, {6: TEXTS[6]})
    work = stores.works.get_many([3])[3]
    index = guard.index()
    corpus = Corpus(passage_reader(stores), index, DEFAULT_PARAMS)

    def compare_one(name):
        page = Page(id=name, url=name, host="s", source="x", kind="article", text=TEXTS[6])
        stores.pages.see_many([page])
        return compare_page(page, stores, corpus, token=taken(name), lease_s=60)

    def raise_version(**options):
        compare_one("between")
        return stores.versions.raise_version(**options)

    watched = dataclasses.replace(stores, versions=Wrapped(stores.versions, raise_version=raise_version))
    assert index_works([work], watched, index, keep=lambda: compare_one("before"))
    verdicts = {page.id: page.verdict for page in stores.pages.all()}
    assert verdicts == {"before": "clear", "between": "copy"}
    assert stores.pages.stale.count(corpus_version=stores.versions.current()) == 2
    assert len(works) == 2


def test_version_rises_before_the_mark(stores, save_work, works, guard):
    """A crash between the two costs one comparison too many; the other order would cost a finding."""
    work = save_work(3, {6: TEXTS[6]})
    before = stores.versions.current()

    def crash(*_, **__):
        raise ServiceDown(service="MongoDB", address="", problem="gone")

    for broken, version in (
        (dataclasses.replace(stores, versions=Wrapped(stores.versions, raise_version=crash)), before),
        (dataclasses.replace(stores, works=Wrapped(stores.works, mark_indexed_many=crash)), before + 1),
    ):
        with pytest.raises(ServiceDown):
            index_works([work], broken, guard.index())
        assert stores.works.get_many([3])[3].status == "stored"
        assert stores.versions.current() == version
    assert index_works([work], stores, guard.index())
    assert stores.works.get_many([3])[3].status == "indexed"
    assert len(works) == 2


def test_work_with_a_lost_lease_is_skipped(stores, save_work, guard):
    index = guard.index()
    work = save_work(1, {1: TEXTS[1]})
    assert index_works([work], stores, index, keep=lambda: False) == 0
    assert index.missing([1]) == [1]
    assert (stores.works.get_many([1])[1].status, stores.versions.current()) == ("stored", 0)


def test_work_without_its_passages_is_reported(stores, save_work, guard):
    work = save_work(1, {1: TEXTS[1], 2: TEXTS[2]})
    stores.passages.delete_many([2])
    with pytest.raises(PassagesLost, match="lack passages"):
        index_works([work], stores, guard.index())
    assert stores.works.get_many([1])[1].status == "stored"


def test_failure_of_an_old_version_does_not_set_the_new_version_aside(stores, save_work):
    """`corpus add` changed the work and deleted its old passages while a worker indexed them."""
    save_work(1, {1: TEXTS[1]})
    reserved, _ = stores.works.reserve_stored(count=1, lease_s=60)
    token, (taken,) = stores.works.claim_many([1], token=reserved, lease_s=60)
    assert taken.id == 1
    save_work(1, {2: TEXTS[2]}, sha256="v2")
    stores.works.mark_failed(1, token=token)
    assert stores.works.get_many([1])[1].status == "stored"
    reserved, _ = stores.works.reserve_stored(count=1, lease_s=60)
    token, _ = stores.works.claim_many([1], token=reserved, lease_s=60)
    stores.works.mark_failed(1, token=token)
    assert stores.works.get_many([1])[1].status == "failed"
