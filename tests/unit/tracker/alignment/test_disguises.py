"""Disguises read off columns, and the order of spans."""

from random import Random

import numpy as np
import pytest

from deploy.demo import disguises
from deploy.demo.samples import load_samples
from storage.records import Span
from tracker.alignment.align import align
from tracker.alignment.columns import Columns
from tracker.alignment.disguises import disguises_of, order_disguises
from tracker.alignment.text import ComparedText

TEXT = load_samples()["雾港来信:1"].text
OTHER = load_samples()["竹坞旧事:1"].text


SAME, HOMOPHONE, EDIT, VARIANT, LATIN = ("灯", "灯"), ("他", "她"), ("我", "灯"), ("燈", "灯"), ("ta", "他")


def disguises_in(columns=100, *, homophones=0, edits=0, variants=0, latin=0):
    """Disguises of a stretch with so many columns of each kind, an equal one at either end."""
    kinds = [EDIT] * edits + [HOMOPHONE] * homophones + [VARIANT] * variants + [LATIN] * latin
    pairs = [SAME, *kinds, *[SAME] * (columns - len(kinds) - 1)]
    return between("".join(pair[0] for pair in pairs), "".join(pair[1] for pair in pairs))


def between(page, passage):
    """Disguises of two texts, letter by letter."""
    ours, theirs = ComparedText(page), ComparedText(passage)
    assert len(ours.letters) == len(theirs.letters)
    character = ours.folded == theirs.folded
    places = np.arange(len(ours.letters))
    columns = Columns(places, places, character | (ours.codes == theirs.codes), character)
    return set(disguises_of(ours, theirs, columns, (0, len(page), 0, len(passage))))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, set()),
        ({"homophones": 1}, set()),
        ({"homophones": 2}, {"homophones"}),
        ({"homophones": 30}, {"homophones"}),
        ({"variants": 2}, {"traditional"}),
        ({"latin": 1}, set()),
        ({"latin": 2}, {"pinyin"}),
        ({"edits": 2}, {"edited"}),
        ({"edits": 1, "variants": 1, "homophones": 1}, set()),
        ({"edits": 5, "homophones": 5, "variants": 5}, {"edited", "homophones", "traditional"}),
        ({"columns": 1000, "homophones": 19}, set()),
        ({"columns": 1000, "homophones": 20}, {"homophones"}),
        ({"columns": 40, "edits": 2}, {"edited"}),
    ],
)
def test_each_disguise_needs_its_share_of_the_columns(columns, expected):
    assert disguises_in(**columns) == expected


def test_letters_that_agree_by_chance_beyond_the_copy_are_no_homophones():
    assert between("她她" + "灯" * 26 + "我她", "他我" + "灯" * 26 + "他他") == set()


def test_a_stretch_of_homophones_only_is_named():
    assert between("她" * 30, "他" * 30) == {"homophones"}


def test_what_random_edits_leave_in_sound_is_no_homophone():
    """One random character in fifteen happens to have the same initial."""
    assert disguises_in(edits=28, homophones=2) == {"edited"}
    assert disguises_in(edits=6, homophones=2) == {"edited", "homophones"}


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("渡口的灯，亮了。“谁？”——他问……", set()),
        ("渡口\n\n　　的灯 亮了!?", set()),
        ("渡★口※的◆灯", {"noise"}),
        ("渡\u200b口\u200b的\u200b灯", {"noise"}),
        ("渡\ue123口\uf8ff的灯", {"noise"}),
        ("“渡”口的‘灯’", {"noise"}),
        ("渡'口'的'灯", {"noise"}),
        ("渡_口_的灯", {"noise"}),
        ("“渡口”的灯", set()),
        ("渡口的灯" * 10 + "★", set()),
    ],
)
def test_noise_is_what_nobody_reads(page, expected):
    passage = "".join(each for each in page if each in "渡口的灯亮了谁他问")
    assert between(page, passage) == expected


def test_noise_of_the_original_is_no_disguise():
    assert between("★渡★口★", "★渡★口★") == set()


def test_an_insertion_within_a_stretch_is_a_slogan_and_no_edit():
    page = TEXT[:200] + "请记住本站域名" + TEXT[200:]
    (aligned,) = align(ComparedText(page), ComparedText(TEXT))
    assert aligned.span.disguises == ("slogans",)


@pytest.mark.parametrize(("between_", "expected"), [(15, {"slogans"}), (60, {"slogans"}), (200, set())])
def test_an_advert_between_two_stretches_is_a_slogan_and_a_chapter_of_comment_none(between_, expected):
    page = TEXT[:200] + OTHER[:between_] + TEXT[200:]
    assert disguise(page) == expected


def spans(*starts):
    return [
        Span(
            page_start=100 * number,
            page_end=100 * number + 50,
            passage_start=start,
            passage_end=start + 50,
            char_identity=1,
            sound_identity=1,
        )
        for number, start in enumerate(starts)
    ]


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ((), ()),
        ((500, 100), ()),
        ((0, 100, 200, 300), ()),
        ((300, 200, 100), ("shuffled",)),
        ((0, 200, 100, 400, 300), ("shuffled",)),
        ((0, 100, 50, 200, 300), ()),
        ((*range(0, 1100, 100), 5, 6, 4), ()),
        ((500, 0, 600, 100, 700, 200), ("shuffled",)),
    ],
)
def test_order(starts, expected):
    assert order_disguises(spans(*starts)) == expected
    assert order_disguises(spans(*starts)[::-1]) == expected


def disguise(page):
    aligned = [each.span for each in align(ComparedText(page), ComparedText(TEXT))]
    return {name for span in aligned for name in span.disguises} | set(order_disguises(aligned))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (TEXT, set()),
        (disguises.homophones(TEXT, 0.3, Random(1)), {"homophones"}),
        (disguises.traditional(TEXT), {"traditional"}),
        (disguises.edit(TEXT, 0.1, Random(1)), {"edited"}),
        (disguises.shuffle_sentences(TEXT, Random(1)), {"shuffled"}),
        ("\u200b".join(TEXT), {"noise"}),
        (TEXT.replace("的", "de").replace("一", "yi"), {"pinyin"}),
        (TEXT.replace("她", "“她”").replace("的", "“的”"), {"noise"}),
        (disguises.traditional(disguises.homophones(TEXT, 0.3, Random(1))), {"homophones", "traditional"}),
    ],
)
def test_every_disguise_of_a_real_text_is_named_and_no_other(page, expected):
    assert disguise(page) == expected
