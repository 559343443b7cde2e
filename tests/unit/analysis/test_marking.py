import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.marking import marked_runs

HAN = "江水东冬流留去不回山川日月人来往风雨夜渡口灯"
TEXTS = st.text(alphabet=HAN + "國国\n ，。a", max_size=80)


def shape(page, passage):
    return [(run.kind, run.page, run.passage) for run in marked_runs(page, passage)]


def test_equal_texts_are_one_run():
    assert shape("江水东流", "江水东流") == [("equal", "江水东流", "江水东流")]


def test_a_homophone_a_variant_and_another_character_are_told_apart():
    assert shape("大江冬去國山", "大江东去国川") == [
        ("equal", "大江", "大江"),
        ("homophone", "冬", "东"),
        ("equal", "去", "去"),
        ("variant", "國", "国"),
        ("replaced", "山", "川"),
    ]


def test_inserted_and_deleted_characters_stand_on_their_side_only():
    assert shape("江水广告东流", "江水东流去") == [
        ("equal", "江水", "江水"),
        ("inserted", "广告", ""),
        ("equal", "东流", "东流"),
        ("deleted", "", "去"),
    ]


def test_white_space_is_layout_even_within_an_insertion():
    kinds = [run.kind for run in marked_runs("江水\n广告\n东流", "江水东流")]
    assert kinds == ["equal", "layout", "inserted", "layout", "equal"]


@pytest.mark.parametrize(("page", "passage"), [("", ""), ("江", ""), ("", "江")])
def test_empty_sides(page, passage):
    assert "".join(run.page for run in marked_runs(page, passage)) == page
    assert "".join(run.passage for run in marked_runs(page, passage)) == passage


@given(TEXTS, TEXTS)
def test_the_runs_are_the_texts(page, passage):
    runs = list(marked_runs(page, passage))
    assert "".join(run.page for run in runs) == page
    assert "".join(run.passage for run in runs) == passage
    assert all(run.page == run.passage for run in runs if run.kind == "equal")
    assert all(not run.passage for run in runs if run.kind == "inserted")
    assert all(left.kind != right.kind for left, right in pairwise(runs))


def test_long_texts_are_aligned_in_pieces_without_losing_the_track():
    chance = random.Random(11)
    passage = "".join(chr(chance.randrange(0x4E00, 0x9FA5)) for _ in range(30_000))
    edits = sorted(chance.sample(range(30_000), 900))
    page = list(passage)
    for at in edits[::3]:
        page[at] = ""
    for at in edits[1::3]:
        page[at] += "添"
    changed = "".join(page)
    runs = list(marked_runs(changed, passage))
    assert "".join(run.page for run in runs) == changed
    assert "".join(run.passage for run in runs) == passage
    # Where a removed character stands near an added one, replacing both is as short a path.
    assert 295 <= sum(len(run.passage) for run in runs if run.kind == "deleted") <= 300
    assert 295 <= sum(len(run.page) for run in runs if run.kind == "inserted") <= 300
    assert sum(len(run.page) for run in runs if run.kind in {"replaced", "homophone"}) < 10
