"""From stored works to an index that holds them all, whatever happens to Redis."""

import dataclasses
from contextlib import closing
from unittest.mock import Mock

import numpy as np
import pytest
from support.plans import Recorder, listening
from support.two_works import TEXTS, all_found, copied_from

from fingerprint.dna import DnaParams
from fingerprint.reference import measure_reference
from fingerprint.shingle import ShingleParams
from fingerprint.text.letters import to_letters
from storage.collections.stores import open_stores
from storage.index.records import RECORD
from storage.index.redis_index import RedisIndex
from storage.records import Lease, utc_now
from system.errors import IndexUnusable, ServiceDown
from system.local_files import MissingFile
from tracker.comparison import ComparedText, compare
from tracker.indexing import guard as guard_module
from tracker.indexing.adding import index_works
from tracker.indexing.generations import rebuild
from tracker.indexing.guard import IndexGuard, verify
from tracker.indexing.params import DEFAULT_PARAMS, IndexParams
from tracker.runtime import open_runtime
from tracker.similarity.measurements import letters_text

pytestmark = pytest.mark.services


def live(stores, redis_client):
    corpus = stores.versions.corpus_id()
    return RedisIndex.live(redis_client, DEFAULT_PARAMS.params_ids, corpus=corpus)


def test_indexed_work_is_completely_in_the_index(stores, works, guard, redis_client):
    index = guard.index()
    stored = stores.works.get_many([1, 2])
    assert {each.status for each in stored.values()} == {"indexed"}
    counts = {each.id: sum(index.postings(each.passage_ids).values()) for each in stored.values()}
    assert all(each.postings == counts[each.id] > 0 for each in stored.values())
    assert index.statistics().postings == sum(each.postings for each in stored.values())
    assert verify(stores, redis_client) == 0
    assert stores.versions.current() == 2
    assert all_found(stores, index)
    assert [work.id for work in works] == [1, 2]


def test_fingerprints_are_kept_as_they_were_computed(stores, works):
    wanted = DEFAULT_PARAMS.of_passage(to_letters(TEXTS[works[0].passage_ids[0]]))
    for params, prints in wanted.items():
        kept = stores.fingerprints.get_many([1], params)[1]
        assert np.frombuffer(kept.hashes, "<u8").tolist() == prints.hashes.tolist()
        assert np.frombuffer(kept.positions, "<u4").tolist() == prints.positions.tolist()


def test_indexing_again_changes_nothing(stores, works, guard):
    index = guard.index()
    before, stamp = index.statistics(), index.stamp()
    for work in works:
        assert index_works([work], stores, index) == 1
        counted = sum(index.postings(work.passage_ids).values())
        assert stores.works.get_many([work.id])[work.id].postings == counted
    assert index.stamp() == stamp
    assert index.statistics().postings == before.postings
    assert all_found(stores, index)


@pytest.mark.parametrize(
    "texts",
    [
        {1: "青灯"},
        {1: "青灯渡口夜雨初停人声远"},
        {1: "no Han at all", 2: ""},
        {1: "青灯", 2: "青灯渡口夜雨初停人声远近皆无，唯有船", 3: TEXTS[3]},
    ],
)
def test_passages_too_short_for_a_method_are_indexed_all_the_same(
    stores, save_work, guard, redis_client, texts
):
    work = save_work(1, texts)
    index_works([work], stores, guard.index())
    assert stores.works.get_many([1])[1].status == "indexed"
    assert verify(stores, redis_client) == 0
    redis_client.flushdb()
    assert guard.index().missing(work.passage_ids) == []


def test_work_changed_while_indexing_is_not_marked(stores, save_work, guard):
    old = save_work(1, {1: TEXTS[1]})
    save_work(1, {1: TEXTS[1], 2: TEXTS[2]}, sha256="v2")
    assert index_works([old], stores, guard.index()) == 0
    assert stores.works.get_many([1])[1].status == "stored"


def test_terms_changed_while_indexing_are_kept(stores, save_work, guard):
    """A licence granted while the worker indexes must not be lost."""
    old = save_work(1, {1: TEXTS[1]})
    stores.works.save(dataclasses.replace(old, holder="某社", licensed_sites=("a.cn",)))
    index_works([old], stores, guard.index())
    stored = stores.works.get_many([1])[1]
    assert (stored.status, stored.holder, stored.licensed_sites) == ("indexed", "某社", ("a.cn",))


def test_marking_frees_the_lease(stores, save_work, guard):
    lease = Lease(token="t" * 32, until=utc_now(), taken=True)
    work = save_work(1, {1: TEXTS[1]}, lease=lease)
    index_works([work], stores, guard.index())
    assert stores.works.get_many([1])[1].lease.token == ""


def test_flushed_redis_is_rebuilt_before_the_next_lookup(stores, works, guard, redis_client):
    assert works
    before = guard.index().statistics()
    redis_client.flushdb()
    with pytest.raises(IndexUnusable):
        verify(stores, redis_client)
    index = guard.index()
    assert (index.statistics().passages, index.statistics().postings) == (before.passages, before.postings)
    assert all_found(stores, index)
    assert verify(stores, redis_client) == 0


def test_rebuild_uses_stored_fingerprints_and_makes_missing_fingerprints(stores, works, guard, redis_client):
    assert works
    stores.fingerprints.delete_many([2, 4], DEFAULT_PARAMS.params_ids[:1])
    redis_client.flushdb()
    assert all_found(stores, guard.index())
    assert set(stores.fingerprints.get_many([2, 4], DEFAULT_PARAMS.params_ids[0])) == {2, 4}


def test_passage_that_the_index_lost_is_restored(stores, works, guard, redis_client):
    index = guard.index()
    key = index.key("passages")
    before = index.postings(works[0].passage_ids)
    redis_client.hset(key, "2", -1)
    assert verify(stores, redis_client) == 1
    again = IndexGuard(stores, redis_client).index()
    assert verify(stores, redis_client) == 0
    assert again.postings(works[0].passage_ids) == before
    assert all_found(stores, again)
    assert again.generation == index.generation


def test_lost_entry_with_its_records_is_restored(stores, works, guard, redis_client):
    """Redis lost the last second of its log: entry, records and stamp are missing."""
    index = guard.index()
    lost = index.statistics()
    redis_client.hdel(index.key("passages"), "4")
    for key in redis_client.scan_iter(f"pindna:{index.generation}{{*}}[01]*"):
        records = np.frombuffer(redis_client.get(key), RECORD)
        redis_client.set(key, records[records["passage"] != 4].tobytes())
    assert copied_from(stores, index, TEXTS[4]) == []
    assert index.missing(works[1].passage_ids) == [4]
    again = IndexGuard(stores, redis_client).index()
    assert again.generation == index.generation
    assert verify(stores, redis_client) == 0
    assert again.statistics().postings == lost.postings
    assert all_found(stores, again)
    assert len(works) == 2


def test_guard_checks_again_after_a_new_stamp(works, guard, redis_client):
    index = guard.index()
    redis_client.hdel(index.key("passages"), "4")
    assert guard.index().missing([4]) == [4]
    index.remove([99])
    assert guard.index().missing([4]) == []
    assert len(works) == 2


@pytest.fixture
def timed(stores, redis_client):
    """A guard whose clock is constant until the test changes it."""
    clock = [100.0]
    return IndexGuard(stores, redis_client, clock=lambda: clock[0]), clock


def test_guard_checks_for_a_marked_work_after_five_seconds(stores, save_work, works, timed):
    """The work is marked after its last index change, so the stamp does not show the mark."""
    guard, clock = timed
    stamp = guard.index().stamp()
    late = save_work(3, {6: TEXTS[6]})
    guard.index()
    stores.works.mark_indexed_many([(late, 0)], at=utc_now())
    clock[0] += 4.9
    assert guard.index().missing([6]) == [6]
    clock[0] += 0.1
    assert guard.index().missing([6]) == []
    assert guard.index().stamp() != stamp
    assert len(works) == 2


def test_guard_checks_for_the_first_work_at_once(stores, save_work, timed):
    """Without expected passages no posting would be checked, and an emptied index would pass."""
    guard, _ = timed
    guard.index()
    first = save_work(3, {6: TEXTS[6]})
    stores.works.mark_indexed_many([(first, 0)], at=utc_now())
    assert guard.index().missing([6]) == []


def test_guard_checks_again_after_a_new_version(stores, works, timed, redis_client):
    guard, _ = timed
    redis_client.hdel(guard.index().key("passages"), "4")
    stores.versions.raise_version()
    assert guard.index().missing([4]) == []
    assert len(works) == 2


@pytest.mark.parametrize("by", ["stamp", "works"])
def test_failed_restore_of_passages_is_repeated_at_the_next_check(
    stores, save_work, timed, monkeypatch, redis_client, *, by
):
    guard, clock = timed
    index_works([save_work(1, {1: TEXTS[1]})], stores, guard.live())
    index = guard.index()
    late = save_work(3, {6: TEXTS[6]})
    stores.works.mark_indexed_many([(late, 0)], at=utc_now())
    if by == "stamp":
        index.remove([99])
    else:
        clock[0] += 5
    with monkeypatch.context() as patch:
        patch.setattr(guard_module, "add_missing", Mock(side_effect=ServiceDown(service="MongoDB")))
        with pytest.raises(ServiceDown):
            guard.index()
    assert guard.index().missing([6]) == []
    assert verify(stores, redis_client) == 0


def test_lost_postings_are_noticed_though_works_are_not_counted(stores, works, timed, redis_client):
    guard, _ = timed
    index = guard.index()
    for key in redis_client.scan_iter(f"pindna:{index.generation}{{*}}[01]*"):
        redis_client.delete(key)
    assert all_found(stores, guard.index())
    assert guard.index().generation != index.generation
    assert len(works) == 2


def test_check_of_an_unchanged_index_only_sends_three_queries(settings, works, redis_client):
    recorder = Recorder()
    with listening(recorder):
        heard = open_stores(settings.storage)
    with closing(heard):
        guard = IndexGuard(heard, redis_client, clock=lambda: 0.0)
        guard.index()
        recorder.asked.clear()
        guard.index()
    assert [(asked.collection, asked.command) for asked in recorder.asked] == [
        ("counters", "find"),
        *[("fingerprints", "find")] * len(DEFAULT_PARAMS.params_ids),
    ]
    assert len(works) == 2


class Killed(Exception):
    """The worker ends here."""


def test_reused_ids_of_a_restored_database_mean_the_new_texts(
    stores, guard, save_work, redis_client, monkeypatch
):
    """The backup is from before a work was indexed, and the index has not recorded its version yet."""
    index = guard.index()
    save_work(3, {6: TEXTS[7], 7: TEXTS[7]})
    with monkeypatch.context() as patch:
        patch.setattr(stores.versions, "raise_version", Mock(side_effect=Killed))
        with pytest.raises(Killed):
            index_works(list(stores.works.get_many([3]).values()), stores, index)
    assert index.missing([6, 7]) == []
    stores.passages.delete_many([6, 7])
    stores.fingerprints.delete_many([6, 7], DEFAULT_PARAMS.params_ids)
    assert index_works([save_work(3, {6: TEXTS[6]})], stores, guard.index()) == 1
    again = IndexGuard(stores, redis_client).index()
    assert again.generation == index.generation
    assert copied_from(stores, again, TEXTS[6]) == [6]
    assert copied_from(stores, again, TEXTS[7]) == []


def test_work_that_waits_is_not_expected_yet(stores, save_work, works, guard, redis_client):
    save_work(3, {6: TEXTS[6]})
    assert verify(stores, redis_client) == 0
    assert guard.index().missing([6]) == [6]
    assert len(works) == 2


@pytest.mark.parametrize(
    "case",
    [
        (IndexParams(dna=DnaParams(size=24, sampling="winnow")), 0),
        (IndexParams(shingle=ShingleParams(size=9, selection=16)), 1),  # the first value of version 0.1
    ],
)
def test_other_parameters_get_another_generation(stores, works, guard, redis_client, case):
    other, changed = case
    old = guard.index()
    with pytest.raises(IndexUnusable, match="other parameters"):
        verify(stores, redis_client, other)
    index = IndexGuard(stores, redis_client, other).index()
    assert index.generation != old.generation
    assert index.statistics().params_ids == other.params_ids
    assert verify(stores, redis_client, other) == 0
    assert not list(redis_client.scan_iter(f"pindna:{old.generation}*"))
    assert not stores.fingerprints.get_many([1, 2], old.params_ids[changed])
    assert set(stores.fingerprints.get_many([1, 2], old.params_ids[1 - changed])) == {1, 2}
    assert len(works) == 2


def test_rebuild_swaps_only_when_it_is_complete(stores, works, guard, redis_client):
    old = guard.index()
    new = rebuild(stores, redis_client)
    assert new.generation != old.generation
    assert live(stores, redis_client).generation == new.generation
    assert all_found(stores, new)
    assert guard.index().generation == new.generation
    assert len(works) == 2


def test_rebuild_drops_removed_passages(stores, works, guard, redis_client):
    guard.index().remove([5])
    stores.works.save(dataclasses.replace(works[1], passage_ids=(4,), status="indexed"))
    assert rebuild(stores, redis_client).statistics().dead == 0
    assert guard.index().missing([4, 5]) == [5]


def test_comparison_during_a_swap_never_returns_clear(stores, works, guard, redis_client):
    """The worker uses the old generation while `pindna index rebuild` swaps."""
    held = guard.index()
    rebuild(stores, redis_client)
    with pytest.raises(IndexUnusable):
        copied_from(stores, held, TEXTS[1])
    assert len(works) == 2


def test_empty_corpus_has_an_empty_index(stores, guard, redis_client):
    assert guard.index().statistics().passages == 0
    assert verify(stores, redis_client) == 0
    assert copied_from(stores, guard.index(), TEXTS[1]) == []


def test_custom_reference_makes_another_index(stores, settings, works, guard, tmp_path):
    """Another measurement makes another generation at the next check; the two are never mixed."""
    old = guard.index()
    path = tmp_path / "letters.json"
    path.write_text(letters_text(measure_reference("own", {"z": 60, "y": 30, "a": 10})), encoding="utf-8")
    chosen = settings.tracker.model_copy(update={"reference": path})
    runtime = open_runtime(settings.model_copy(update={"tracker": chosen}))
    try:
        corpus = runtime.corpus()
        assert corpus.params.params_ids[0].endswith("-own")
        assert corpus.index.params_ids == corpus.params.params_ids
        assert corpus.index.generation != old.generation
        assert verify(stores, runtime.redis, runtime.params) == 0
        assert [match.passage.id for match in compare(ComparedText(TEXTS[4]), corpus).matches] == [4]
    finally:
        runtime.close()
    assert len(works) == 2


def test_missing_reference_is_reported(settings, tmp_path):
    chosen = settings.tracker.model_copy(update={"reference": tmp_path / "none.json"})
    with pytest.raises(MissingFile, match=r"none\.json does not exist"):
        open_runtime(settings.model_copy(update={"tracker": chosen}))
