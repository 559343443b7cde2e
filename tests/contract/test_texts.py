"""Works and passages, in memory and in MongoDB: what comparison asks of them."""

import dataclasses
from datetime import timedelta

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.records import Lease, Passage, Work, utc_now
from storage.records.dates import parse_date


def work(work_id, **fields):
    return Work(
        id=work_id, **{"key": f"k{work_id}", "title": "青灯渡", "kind": "novel", "origin": "o", **fields}
    )


def passage(passage_id, work_id=1, text="青灯"):
    return Passage(id=passage_id, work_id=work_id, ordinal=passage_id, title="一", text=text, sha256="s")


def test_saved_works_and_passages_are_read_back_unchanged(texts):
    lease = Lease(token="t" * 32, until=utc_now() + timedelta(seconds=9), taken=True)
    saved = work(
        7,
        author="沈砚秋",
        url="https://例.cn/书?a=1&b=2",
        published=parse_date("2026-03-02 08:15"),
        licensed_sites=("a.cn:8080", "b.cn"),
        passage_ids=(3, 1, 2),
        characters=12,
        lease=lease,
    )
    texts.works.save(saved)
    texts.passages.save_many(
        [passage(2**32 - 1, text="灯\n\u2028\x00\U00020000㍿" * 1000), passage(1, text="")]
    )
    assert texts.works.get_many([7]) == {7: saved}
    found = texts.passages.get_many([1, 2**32 - 1])
    assert found[1].text == ""
    assert found[2**32 - 1].text == "灯\n\u2028\x00\U00020000㍿" * 1000


def test_missing_works_and_passages_are_omitted(texts):
    texts.works.save(work(1))
    texts.passages.save_many([passage(1), passage(2)])
    assert list(texts.works.get_many([1, 2, -3])) == [1]
    assert set(texts.passages.get_many([2, 3, 2**32 - 1, 1])) == {1, 2}
    assert texts.works.get_many([]) == texts.passages.get_many([]) == {}


def test_ids_may_come_twice_from_anywhere_and_as_numpy_numbers(texts):
    texts.passages.save_many([passage(4), passage(5)])
    assert set(texts.passages.get_many(iter([4, 4, 5]))) == {4, 5}
    assert set(texts.passages.get_many(np.array([4, 5], dtype=np.uint32))) == {4, 5}
    assert set(texts.passages.get_many({4: 0})) == {4}


def test_saving_again_replaces(texts):
    texts.works.save(work(1))
    changed = dataclasses.replace(work(1), title="雾港来信", status="indexed")
    texts.works.save(changed)
    texts.passages.save_many([passage(1), passage(2)])
    texts.passages.save_many([passage(1, text="改"), passage(1, text="再改")])
    assert texts.works.get_many([1]) == {1: changed}
    assert {each.text for each in texts.passages.get_many([1, 2]).values()} == {"再改", "青灯"}
    texts.passages.save_many([])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.integers(min_value=1, max_value=2**32 - 1), st.text(max_size=20), max_size=6),
    st.data(),
)
def test_agrees_with_a_dictionary(texts, held, data):
    held = {each: text.encode("utf-8", "replace").decode() for each, text in held.items()}
    texts.passages.save_many(passage(each, text=text) for each, text in held.items())
    asked = data.draw(st.lists(st.sampled_from(sorted(held)))) if held else []
    found = texts.passages.get_many(asked)
    assert {each.id: each.text for each in found.values()} == {each: held[each] for each in asked}
