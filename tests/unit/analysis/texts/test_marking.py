import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypinyin import lazy_pinyin
from support.sample_novels import CHAPTERS

from analysis.texts.marking import _PIECE, _Block, _final_blocks, marked_runs
from fingerprint.text.letters import to_letters

HAN = "江水东冬流留去不回山川日月人来往风雨夜渡口灯"
TEXTS = st.lists(st.sampled_from([*HAN, *"國国\n ，。a", "jiang", "shui", "d"]), max_size=80).map("".join)


def shape(page, passage):
    return [(run.kind, run.page, run.passage) for run in marked_runs(page, passage)]


def test_equal_texts_are_a_single_run():
    assert shape("江水东流", "江水东流") == [("equal", "江水东流", "江水东流")]


def test_homophones_variants_and_other_characters_are_distinguished():
    assert shape("大江冬去國山", "大江东去国川") == [
        ("equal", "大江", "大江"),
        ("homophone", "冬", "东"),
        ("equal", "去", "去"),
        ("variant", "國", "国"),
        ("replaced", "山", "川"),
    ]


def test_homophones_have_the_syllables_of_both_sides():
    """Near syllables are separate; a character with only the same initial is another one: 月 for 云."""
    runs = list(marked_runs("买了四个月朵", "卖了十个云朵"))
    assert [(run.kind, run.page, run.page_syllables, run.passage_syllables) for run in runs] == [
        ("homophone", "买", ("mǎi",), ("mài",)),
        ("equal", "了", (), ()),
        ("near", "四", ("sì",), ("shí",)),
        ("equal", "个", (), ()),
        ("replaced", "月", (), ()),
        ("equal", "朵", (), ()),
    ]


@pytest.mark.parametrize(
    ("page", "passage", "expected"),
    [
        (
            "她去jie人，z了",
            "她去接人，走了",
            [
                ("equal", "她去", "她去"),
                ("latin", "jie", "接"),
                ("equal", "人，", "人，"),
                ("latin", "z", "走"),
                ("equal", "了", "了"),
            ],
        ),
        ("ta的shou", "ta的shou", [("equal", "ta的shou", "ta的shou")]),
        ("去jie", "去江", [("equal", "去", "去"), ("replaced", "j", "江"), ("inserted", "ie", "")]),
        ("清(qing)明", "清明", [("equal", "清", "清"), ("inserted", "(qing)", ""), ("equal", "明", "明")]),
        ("去jie", "", [("inserted", "去jie", "")]),
    ],
    ids=["syllable and initial", "in both texts", "another syllable", "beside the character", "no passage"],
)
def test_latin_letters_are_joined_with_their_character(page, passage, expected):
    assert shape(page, passage) == expected


def test_text_entirely_in_pinyin_is_aligned_with_its_characters():
    """Over several pieces, where the letters of the page are fewer characters of the passage."""
    passage = CHAPTERS["青灯渡"][0]
    page = " ".join(lazy_pinyin(passage))
    runs = list(marked_runs(page, passage))
    assert len(page) > 2 * _PIECE
    assert "".join(run.page for run in runs) == page
    spelt = sum(len(run.passage) for run in runs if run.kind == "latin")
    assert spelt >= 0.99 * len(to_letters(passage))


def test_polyphone_is_read_as_in_its_sentence():
    """重 is chóng in 重庆 and zhòng in 重量: 众 is a homophone of the second, 虫 of the first."""
    runs = [run for run in marked_runs("他到虫庆称众量", "他到重庆称重量") if run.kind != "equal"]
    assert [(run.kind, run.page, run.page_syllables, run.passage_syllables) for run in runs] == [
        ("homophone", "虫", ("chóng",), ("chóng",)),
        ("homophone", "众", ("zhòng",), ("zhòng",)),
    ]


def test_interchangeable_forms_are_variants():
    assert shape("看著像作", "看着象做") == [("equal", "看", "看"), ("variant", "著像作", "着象做")]


def test_syllables_of_a_cut_run_are_cut():
    (run,) = marked_runs("清轻", "青倾")
    head = run.head(1)
    assert (head.page, head.page_syllables, head.passage_syllables) == ("清", ("qīng",), ("qīng",))


def test_inserted_and_deleted_characters_are_on_their_side_only():
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
def test_empty_sides_give_complete_runs(page, passage):
    assert "".join(run.page for run in marked_runs(page, passage)) == page
    assert "".join(run.passage for run in marked_runs(page, passage)) == passage


@given(TEXTS, TEXTS)
def test_runs_join_to_the_texts(page, passage):
    runs = list(marked_runs(page, passage))
    assert "".join(run.page for run in runs) == page
    assert "".join(run.passage for run in runs) == passage
    assert all(run.page == run.passage for run in runs if run.kind == "equal")
    assert all(not run.passage for run in runs if run.kind == "inserted")
    assert all(before.kind != right.kind for before, right in pairwise(runs))


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
    assert sum(len(run.page) for run in runs if run.kind in {"replaced", "homophone", "near", "variant"}) < 10


def test_short_chance_run_does_not_settle_a_piece():
    """An advert across the end of a piece contains eight characters that the passage has there."""
    passage = "".join(chr(0x4E00 + 5 * number) for number in range(3_000))
    advert = "".join(chr(0xAC00 + number) for number in range(300))
    advert = advert[:100] + passage[1900:1908] + advert[108:]
    page = passage[:1800] + advert + passage[1800:]
    runs = list(marked_runs(page, passage))
    assert [(run.kind, run.page) for run in runs] == [
        ("equal", passage[:1800]),
        ("inserted", advert),
        ("equal", passage[1800:]),
    ]


def test_piece_is_settled_up_to_the_middle_of_its_last_run_of_twelve():
    equal = _Block("equal", "江" * 12, "江" * 12)
    other = _Block("replace", "山", "川")
    short = _Block("equal", "水" * 11, "水" * 11)
    half = _Block("equal", "江" * 6, "江" * 6)
    assert _final_blocks([equal, other, short]) == [half]
    assert _final_blocks([equal, other, equal]) == [equal, other, half]
    assert _final_blocks([other, short]) == [other, short]
    replaced = _Block("replace", "山" * 40, "川" * 40)
    assert _final_blocks([equal, replaced]) == [half]


def test_text_of_exactly_the_piece_size_is_aligned_as_a_whole(monkeypatch):
    monkeypatch.setattr("analysis.texts.marking._PIECE", 20)
    lengths = []
    monkeypatch.setattr(
        "analysis.texts.marking._final_blocks", lambda blocks: lengths.append(len(blocks)) or blocks
    )
    assert [run.kind for run in marked_runs("江" * 20, "江" * 20)] == ["equal"]
    assert lengths == []
    assert [run.page for run in marked_runs("江" * 21, "江" * 20)] == ["江" * 20, "江"]
    assert lengths == [1]


def test_characters_without_an_initial_are_no_homophones():
    assert shape("a★", "b☆") == [("replaced", "a★", "b☆")]
    assert shape("★", "江") == [("replaced", "★", "江")]


def test_changed_white_space_is_layout():
    assert shape("江\n水", "江　水") == [
        ("equal", "江", "江"),
        ("layout", "\n", "　"),
        ("equal", "水", "水"),
    ]


def test_head_of_a_run_is_cut_on_both_sides():
    (run,) = marked_runs("江水东流", "江水东流")
    assert (run.head(2).kind, run.head(2).page, run.head(2).passage) == ("equal", "江水", "江水")
    (long,) = marked_runs("", "江水东流")
    assert len(long) == 4
