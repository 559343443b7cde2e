"""The index in a real Redis Cluster: the whole life of an index, and nodes that stop."""

import signal
from collections import Counter

import numpy as np
import pytest
from redis.crc import key_slot
from support.cluster import NODES, SLOTS
from support.strategies import story
from support.two_works import TEXTS, all_found, copied_from

from deploy.cli.services.doctor import examine
from fingerprint.fingerprints import Fingerprints
from storage.index.compaction import compact, needs_compaction
from storage.index.interface import PassageFingerprints
from storage.index.keys import GROUPS, TAGS
from storage.index.redis_index import RedisIndex
from storage.servers.redis_client import open_index, ping_cluster
from storage.settings import Settings, load_settings
from system.errors import BadSettings, IndexUnusable, ServiceDown
from tracker.alignment.text import ComparedText
from tracker.comparison import Corpus
from tracker.comparison.matching import look_up
from tracker.indexing.generations import keep_compact, rebuild
from tracker.indexing.guard import IndexGuard, verify
from tracker.indexing.params import DEFAULT_PARAMS
from tracker.runtime import passage_reader

pytestmark = pytest.mark.services
OWN = "of the tests"


@pytest.fixture
def guard(stores, cluster_client):
    return IndexGuard(stores, cluster_client)


def test_tags_are_spread_evenly_over_the_slots():
    slots = [key_slot(tag.encode()) for tag in TAGS]
    assert [slot * GROUPS // SLOTS for slot in slots] == list(range(GROUPS))
    assert set(Counter(slot * NODES // SLOTS for slot in slots).values()) <= {10, 11, 12}


def test_every_node_holds_its_share(stores, works, guard, cluster):
    index = guard.index()
    key_counts = [
        len(list(node.client().scan_iter(f"pindna:{index.generation}{{*"))) for node in cluster.nodes
    ]
    assert min(key_counts) > sum(key_counts) / 5
    assert all_found(stores, index)
    assert len(works) == 2


def test_index_in_a_cluster_supports_every_operation(stores, works, guard, cluster_client):
    """Add, look up, remove, compact, rebuild, swap, verify."""
    index = guard.index()
    assert all_found(stores, index)
    assert verify(stores, cluster_client) == 0
    index.remove([5])
    stores.works.save(
        type(works[1])(
            **{
                **{name: getattr(works[1], name) for name in works[1].__slots__},
                "passage_ids": (4,),
                "status": "indexed",
            }
        )
    )
    assert needs_compaction(index)
    assert keep_compact(stores, cluster_client)[1] is False
    assert index.statistics().dead == 0
    assert verify(stores, cluster_client) == 0
    new = rebuild(stores, cluster_client)
    assert new.generation != index.generation
    with pytest.raises(IndexUnusable, match="missing"):
        copied_from(stores, index, TEXTS[1])
    assert guard.index().generation == new.generation
    assert copied_from(stores, new, TEXTS[4]) == [4]
    assert copied_from(stores, new, TEXTS[5]) == []
    assert verify(stores, cluster_client) == 0


def test_pages_are_looked_up_together(stores, works, guard):
    corpus = Corpus(passage_reader(stores), guard.index(), DEFAULT_PARAMS)
    page_hits = look_up([ComparedText(text) for text in (TEXTS[5], story(400, 99), TEXTS[1])], corpus)
    assert [[candidate.passage_id for candidate in page.ranked] for page in page_hits] == [[5], [], [1]]
    assert len(works) == 2


@pytest.mark.parametrize("number", range(NODES))
def test_stopped_node_raises_an_error_instead_of_an_empty_answer(stores, works, guard, cluster, number):
    """A page queries every node. The index is unchanged when the node is back."""
    index = guard.index()
    assert all_found(stores, index)
    cluster.nodes[number].stop(signal.SIGTERM)  # the node writes its file before it ends
    try:
        with pytest.raises(ServiceDown, match="Redis Cluster"):
            copied_from(stores, index, TEXTS[1])
        with pytest.raises(ServiceDown):
            index.add([made(90, *range(0, 2**16, 64))])
        with pytest.raises(ServiceDown):
            guard.index()
    finally:
        cluster.nodes[number].start()
        cluster.wait()
    assert all_found(stores, guard.index())
    assert len(works) == 2


def made(passage_id, *hashes):
    prints = Fingerprints(np.array(hashes, np.uint64), np.arange(len(hashes), dtype=np.uint32))
    return PassageFingerprints(passage_id, dict.fromkeys(DEFAULT_PARAMS.params_ids, prints))


def test_node_that_comes_back_empty_is_noticed(stores, works, guard, cluster):
    index = guard.index()
    for node in cluster.nodes[1:]:
        node.client().flushall()
    with pytest.raises(IndexUnusable, match="missing"):
        copied_from(stores, index, TEXTS[1])
    mended = guard.index()
    assert mended.generation != index.generation
    assert all_found(stores, mended)
    assert len(works) == 2


def test_node_that_lost_its_last_second_is_noticed(stores, works, guard, cluster, cluster_client):
    """Its buckets lack records of a passage that another node counts as complete."""
    index = guard.index()
    index.record_server_runs()
    node = cluster.nodes[1].client()
    for key in node.scan_iter(f"pindna:{index.generation}{{*}}[01]*"):
        records = np.frombuffer(node.get(key), np.dtype("V9"))
        kept = [bytes(record) for record in records if bytes(record)[5:] != b"\x04\0\0\0"]
        node.set(key, b"".join(kept)) if kept else node.delete(key)
    cluster.nodes[1].stop(signal.SIGTERM)
    cluster.nodes[1].start()
    cluster.wait()
    assert index.was_restarted()
    mended = IndexGuard(stores, cluster_client).index()
    assert mended.generation != index.generation
    assert not mended.was_restarted()
    assert all_found(stores, mended)
    assert len(works) == 2


def test_compaction_resumes_at_its_last_position(cluster_client):
    index = RedisIndex.create(cluster_client, DEFAULT_PARAMS.params_ids, corpus=OWN)
    index.go_live()
    index.add([made(1, *range(100)), made(2, *range(100))])
    index.remove([1])
    compact(index, buckets=50_000)
    again = RedisIndex.live(cluster_client, DEFAULT_PARAMS.params_ids, corpus=OWN)
    while compact(again, buckets=50_000).share < 1:
        pass
    assert (again.statistics().dead, again.statistics().postings) == (0, 200)


@pytest.mark.long
def test_doctor_reports_the_cluster(cluster_settings, cluster):
    findings = {finding.what: finding for finding in examine(cluster_settings)}
    assert findings["Redis Cluster"].state == "good"
    assert "3 nodes" in findings["Redis Cluster"].text
    assert ping_cluster(cluster_settings.storage)[0] == NODES
    cluster.nodes[2].stop(signal.SIGTERM)
    try:
        findings = {finding.what: finding for finding in examine(cluster_settings)}
        assert findings["Redis Cluster"].state == "wrong"
        assert "index" not in findings
    finally:
        cluster.nodes[2].start()
        cluster.wait()


def test_any_node_leads_to_all_nodes(settings, cluster):
    last = cluster.url.rsplit(",", 1)[1]
    storage = settings.storage.model_copy(
        update={"index_cluster": type(settings.storage.redis_url)(f"redis://127.0.0.1:1,{last}")}
    )
    client = open_index(storage)
    assert len(client.get_primaries()) == NODES
    client.close()


@pytest.mark.parametrize("url", ["http://host", "redis://host:1,:", "redis://host:port"])
def test_bad_cluster_address_is_refused(url):
    with pytest.raises(BadSettings, match=r"storage\.index_cluster"):
        open_index(load_settings(storage={"index_cluster": url}).storage)


def test_unreachable_cluster_is_reported_without_its_password():
    nothing = Settings(
        storage={"index_cluster": "redis://:pass-word@127.0.0.1:1,127.0.0.1:2", "timeout_s": 0.5}
    )
    with pytest.raises(
        ServiceDown, match=r"Nothing listens at 127\.0\.0\.1:[12], the address of Redis Cluster"
    ) as caught:
        open_index(nothing.storage)
    assert "pass-word" not in str(caught.value)
