"""What is kept of the mother corpus between pages and between batches, and that it is bounded."""

from dataclasses import replace

import pytest

from storage.records import Passage, Work
from tracker.comparison.matching import Candidate, Candidates, strongest
from tracker.comparison.passages import PassageReader, new_texts
from tracker.corpus.memory import MemoryPassages, MemoryWorks


class Counted:
    """A store that tells which ids each of its methods was asked for."""

    def __init__(self, real):
        self._real, self.asked = real, []

    def __getattr__(self, name):
        def call(ids):
            self.asked.append((name, sorted(ids)))
            return getattr(self._real, name)(ids)

        return call


def passage(number, text="青灯渡", **fields):
    return Passage(
        **{"id": number, "work_id": 1, "ordinal": number, "title": "", "text": text, "sha256": text, **fields}
    )


@pytest.fixture
def works():
    works = MemoryWorks()
    works.save(Work(id=1, key="k", title="书", kind="novel", origin="o", passage_ids=(1, 2, 3)))
    return works


@pytest.fixture
def passages():
    passages = MemoryPassages()
    passages.save_many(passage(number, text) for number, text in [(1, "青灯渡"), (2, "雾港"), (3, "来信")])
    return passages


def texts_of(held):
    return {passage_id: own.passage.text for passage_id, own in held.items()}


def test_passages_come_with_their_works_in_the_requested_order(works, passages):
    held = PassageReader(works, passages).read(iter([3, 1, 3]))
    assert list(held) == [3, 1]
    assert texts_of(held) == {1: "青灯渡", 3: "来信"}
    assert {own.work for own in held.values()} == set(works.get_many([1]).values())
    assert [own.text.text for own in held.values()] == ["来信", "青灯渡"]


def test_missing_passages_are_omitted(works, passages):
    passages.save_many([passage(4), passage(5, work_id=2)])  # their works do not name them, or are gone
    reader = PassageReader(works, passages)
    assert list(reader.read([9, 5, 4, 2])) == [2]
    assert PassageReader(MemoryWorks(), passages).read([1]) == {}


def test_batch_reads_every_passage_once(works, passages):
    works, passages = Counted(works), Counted(passages)
    reader = PassageReader(works, passages)
    reader.read([1, 2])
    first = reader.read([1, 2, 3])[1]
    assert passages.asked == [("heads", [1, 2]), ("get_many", [1, 2]), ("heads", [3]), ("get_many", [3])]
    assert works.asked == [("get_many", [1])]
    assert reader.read([1])[1].text is first.text


def test_next_batch_reads_owners_but_not_the_texts(works, passages):
    texts = new_texts()
    before = PassageReader(works, passages, texts=texts).read([1, 2])
    passages.save_many([passage(2, "雾港", title="改名"), passage(1, "新的")])
    counted = Counted(passages)
    after = PassageReader(works, counted, texts=texts).read([1, 2])
    assert texts_of(after) == {1: "新的", 2: "雾港"}
    assert after[2].passage.title == "改名"
    assert counted.asked[0] == ("heads", [1, 2])
    passages.save_many([passage(2, "雾港")])
    counted = Counted(passages)
    again = PassageReader(works, counted, texts=texts).read([1, 2])
    assert counted.asked == [("heads", [1, 2])]
    assert again[2].text is before[2].text


def test_new_corpus_version_is_visible_within_a_batch(works, passages):
    version = [1]
    reader = PassageReader(works, passages, version=lambda: version[0])
    assert reader.read([1])[1].work.licensed_sites == ()
    works.save(replace(works.get_many([1])[1], licensed_sites=("a.cn",)))
    version[0] = 2
    assert reader.read([1])[1].work.licensed_sites == ("a.cn",)


def test_texts_take_no_more_room_than_there_is(works, passages):
    texts = new_texts(48 * 5)
    reader = PassageReader(works, passages, texts=texts)
    for _ in range(2):
        assert texts_of(reader.read([1, 2, 3])) == {1: "青灯渡", 2: "雾港", 3: "来信"}
        assert sum(len(text.text) for text in texts.values()) <= 5
    kept = dict(texts)
    passages.save_many([passage(1, "长" * 6)])
    assert texts_of(PassageReader(works, passages, texts=texts).read([1])) == {1: "长" * 6}
    assert dict(texts) == kept


def test_strongest_candidates_of_all_pages_are_read_together():
    pages = [[5, 1, 2], [], [1, 3], [4]]
    found = [Candidates(tuple(Candidate(number, {}, 0, 0) for number in page)) for page in pages]
    assert strongest(found, 9) == [5, 1, 4, 3, 2]
    assert strongest(found, 2) == [5, 1]
    assert strongest([], 2) == []


def test_batch_asks_for_the_version_at_its_beginning_and_once_a_second(works, passages):
    asked, now = [], [0.0]

    def version():
        asked.append(now[0])
        return len(asked)

    reader = PassageReader(works, passages, version=version, clock=lambda: now[0])
    for _ in range(2):
        reader.read([1])
    assert asked == [0.0, 0.0]  # outside a batch, each read computes it again
    reader.begin_batch()
    for moment in (0.1, 0.2, 1.0, 1.1, 1.2, 2.1):
        now[0] = moment
        reader.read([1])
    assert asked == [0.0, 0.0, 0.1, 1.1, 2.1]
    reader.begin_batch()
    reader.read([1])
    assert asked[-2:] == [2.1, 2.1]


def test_cached_passages_of_an_earlier_version_are_dropped_with_the_batch(works, passages):
    state = [1]
    counted = Counted(passages)
    reader = PassageReader(works, counted, version=lambda: state[0], clock=lambda: 0.0)
    reader.begin_batch()
    reader.read([1])
    state[0] = 2
    counted.asked.clear()
    reader.read([1])
    assert ("heads", [1]) not in counted.asked
    reader.begin_batch()
    reader.read([1])
    assert ("heads", [1]) in counted.asked
