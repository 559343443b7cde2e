"""Stretches of one passage never claim the same place, and say only what their own columns say."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import edits_of, prose, seeds, story

from tracker.alignment.align import align
from tracker.alignment.columns import Columns, aligned_stretches
from tracker.alignment.degrees import Degree
from tracker.alignment.seeds import chains, exact_runs
from tracker.alignment.stretches import disjoint, free_parts, is_alike, may_count, significant, trim
from tracker.alignment.text import ComparedText

# No initial of these is one of a story.
STRANGE = "平皮朋票铺派跑怕去前青清求全却先心西学写行象些"
slow = settings(max_examples=40, deadline=None)


def spans_of(page, passage):
    return [aligned.span for aligned in align(ComparedText(page), ComparedText(passage))]


def are_disjoint(places):
    return all(earlier[1] <= later[0] for earlier, later in pairwise(sorted(places)))


def on_page(spans):
    return [(span.page_start, span.page_end) for span in spans]


def in_passage(spans):
    return [(span.passage_start, span.passage_end) for span in spans]


def sentences(seed, count=14):
    """Sentences with quotation marks, as dialogue has: neighbours begin and end with the same marks."""
    rng = Random(seed)
    return ["“" + story(rng.randrange(12, 45), seed + n) + "。”" for n in range(count)]


@slow
@given(seeds, st.randoms(use_true_random=False))
def test_sentences_in_any_order_share_no_character(seed, rng):
    """The page repeats nothing, so stretches are disjoint on both sides."""
    own = sentences(seed)
    mixed = rng.sample(own, len(own))
    spans = spans_of("".join(mixed), "".join(own))
    assert spans
    assert are_disjoint(on_page(spans))
    assert are_disjoint(in_passage(spans))


@pytest.mark.parametrize(("seed", "order"), [(18, 5), (33, 5), (82, 3)])
def test_letters_that_agree_by_chance_are_not_counted_twice(seed, order):
    """Eleven of eighteen letters of a sentence agree with another sentence, never six in a row."""
    own = sentences(seed)
    mixed = Random(order).sample(own, len(own))
    assert are_disjoint(in_passage(spans_of("".join(mixed), "".join(own))))


@slow
@given(st.data(), st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_stretches_of_any_repetitive_page_are_disjoint(data, order):
    own = sentences(data.draw(seeds), 6)
    page = data.draw(edits_of("".join(own[number] for number in order), max_edits=12)) + data.draw(prose)
    assert are_disjoint(on_page(spans_of(page, "".join(own))))


@slow
@given(seeds, st.integers(0, 60))
def test_identities_are_computed_from_the_columns_of_a_stretch(seed, edits):
    own = sentences(seed, 8)
    rng = Random(seed)
    mixed = list("".join(rng.sample(own, len(own))))
    for place in rng.sample(range(len(mixed)), min(edits, len(mixed))):
        mixed[place] = rng.choice(STRANGE)
    page = ComparedText("".join(mixed))
    for aligned in align(page, ComparedText("".join(own))):
        first, last = aligned.letters
        assert page.letters.offsets[first] >= aligned.span.page_start
        assert page.letters.offsets[last - 1] < aligned.span.page_end
        assert aligned.span.char_identity == round(aligned.same_character / aligned.columns, 4)
        copied = page.text[aligned.span.page_start : aligned.span.page_end]
        strange = sum(character in STRANGE for character in copied)
        assert aligned.columns - aligned.same_character >= strange


def test_mark_between_two_sentences_belongs_to_a_single_stretch():
    """Both sentences end alike, and the page swaps them."""
    first, second = (
        "渡口的灯亮了一夜，没有人来过江，也没有船从对岸开过来。",
        "雨下到天亮还没有停，船家把门关上，就在舱里睡着了。",
    )
    spans = spans_of(second + first, first + "他说。" + second)
    assert [(span.page_end - span.page_start) for span in spans] == [len(second), len(first)]
    assert on_page(spans) == [(0, len(second)), (len(second), len(second + first))]
    assert are_disjoint(in_passage(spans))


def test_stop_of_an_advert_is_not_the_passages():
    passage = story(60, 1) + "。" + story(60, 2)
    page = story(60, 1) + "。" + story(30, 3, alphabet=STRANGE) + "。" + story(60, 2)
    assert on_page(spans_of(page, passage)) == [(0, 61), (92, 152)]
    assert in_passage(spans_of(page, passage)) == [(0, 61), (61, 121)]


def test_text_repeated_on_the_page_is_copied_twice():
    said = "“" + story(40, 5) + "。”"
    spans = spans_of(said + story(20, 1, alphabet=STRANGE) + said, said)
    assert in_passage(spans) == [(0, len(said))] * 2


def test_refrain_does_not_run_into_other_stretches():
    """The page repeats a line more often than a seed may, partly inside a longer copy."""
    line, passage = story(24, 6), story(24, 6) + story(80, 7)
    page = (line + story(9, 8, alphabet=STRANGE)) * 20 + passage + line * 3
    assert are_disjoint(on_page(spans_of(page, passage)))


def test_chance_letter_at_the_edge_of_a_short_stretch_is_cut_off():
    """台 and 天, 行 and 小 share an initial: before and after a copy they do not belong to it."""
    copied = "渡口的灯亮了一夜没有人来过江也没有船来到"
    (span,) = spans_of("春去亭台" + copied + "行人", "秋风满天" + copied + "小" + story(40, 1))
    assert (span.page_start, span.page_end, span.passage_start) == (4, 24, 4)
    assert (span.char_identity, span.sound_identity, span.disguises) == (1, 1, ())


def stretch(*degrees):
    """A stretch of columns, each with its degree, from letter 0 on."""
    row = np.array(degrees, dtype=np.uint8)
    return Columns(np.arange(len(row)), np.arange(len(row)), row)


SAME, INITIAL, SYLLABLE = Degree.SAME, Degree.INITIAL, Degree.SYLLABLE


@pytest.mark.parametrize(
    ("row", "letters"),
    [
        ([INITIAL, *[SAME] * 20], (1, 21)),
        ([*[SAME] * 20, SYLLABLE], (0, 20)),
        ([SYLLABLE, INITIAL, *[SAME] * 20, INITIAL], (2, 22)),
        ([SYLLABLE, *[SAME, SYLLABLE] * 10, SYLLABLE], (0, 22)),  # homophones all through
        ([INITIAL, *[SAME, SYLLABLE] * 10], (1, 21)),
        ([SYLLABLE] * 10, (0, 10)),  # nothing but homophones
    ],
)
def test_chance_agreement_at_the_ends_is_trimmed(row, letters):
    assert trim(stretch(*row)).page_letters == letters


def part(page, passage, degrees):
    places = np.arange(len(degrees))
    return Columns(places + page, places + passage, np.array(degrees, dtype=np.uint8))


def test_remainder_of_an_overlapped_stretch_has_new_identities():
    worse = part(0, 0, [*[SAME] * 60, *[SAME, Degree.OTHER] * 19, SAME])
    better = part(55, 500, [SAME] * 100)
    kept, rest = disjoint([worse, better])
    assert kept is better
    assert rest.page_letters == (0, 55)
    assert rest.character.all()


def test_better_stretch_within_another_parts_it():
    whole = part(0, 0, [SAME, SYLLABLE] * 100)
    better = part(80, 900, [SAME] * 40)
    # What is in the middle ranks lower by its length alone; of equal texts the longer stays whole.
    assert [columns.page_letters for columns in disjoint([whole, better])] == [(0, 200)]
    longer = part(70, 900, [SAME] * 160)
    assert [columns.page_letters for columns in disjoint([whole, longer])] == [(70, 230), (0, 70)]


@pytest.mark.parametrize(
    ("shared", "expected"),
    [(0, [(0, 60), (60, 110)]), (9, [(0, 60), (69, 110)]), (10, [(0, 60), (60, 110)])],
)
def test_short_overlap_of_two_stretches_stays_with_the_first(shared, expected):
    """An overlap of ten letters or more is counted twice; the second stretch keeps shorter ones."""
    first, second = part(0, 0, [SAME] * 60), part(60, 60 - shared, [SAME] * 50)
    assert [columns.page_letters for columns in disjoint([first, second])] == expected


def test_free_parts_are_long_and_begin_and_end_with_agreement():
    columns = part(0, 0, [*[SAME] * 12, *[Degree.OTHER] * 2, *[SAME] * 30])
    blocked = np.zeros(len(columns), dtype=bool)
    blocked[8:12] = True
    (only,) = free_parts(columns, blocked, min_letters=10)
    assert only.page_letters == (14, 44)
    assert [each.page_letters for each in free_parts(columns, blocked, min_letters=8)] == [(0, 8), (14, 44)]


@slow
@given(seeds, st.integers(1, 9), st.integers(4, 24))
def test_only_stretches_of_which_nothing_can_remain_are_passed_over(seed, phrases, length):
    """The page has short phrases of a passage, several of them repeated."""
    rng = Random(seed)
    known = [story(length, 100 * seed + number) for number in range(phrases)]
    strange = ["".join(rng.choices(STRANGE, k=rng.randrange(12))) for _ in range(2 * phrases)]
    page = ComparedText("".join(gap + rng.choice(known) for gap in strange))
    passage = ComparedText("，".join("".join(rng.choices(STRANGE, k=30)) + own for own in known))
    runs = exact_runs(page.seeds, passage.codes)
    found = (
        [
            trim(own)
            for stretches in aligned_stretches(page, passage, chains(runs))
            for own in filter(is_alike, stretches)
        ]
        if runs
        else []
    )
    if not may_count(found):
        assert significant(page, disjoint(found)) == []


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        pytest.param([20], True, id="long enough by itself"),
        pytest.param([19], False, id="too short by itself"),
        pytest.param([10] * 5, True, id="half as many letters as short ones need"),
        pytest.param([10] * 4 + [9], False, id="what is shorter than a short one does not count"),
        pytest.param([], False, id="none"),
    ],
)
def test_stretches_may_count_by_their_lengths(lengths, expected):
    starts = np.cumsum([0, *lengths])
    stretches = [same(int(start), length) for start, length in zip(starts[:-1], lengths, strict=True)]
    assert may_count(stretches) is expected


def test_refrain_of_the_page_counts_once():
    assert not may_count([same(0, 19)] * 20)


def same(start, length):
    """Columns whose characters are the same."""
    places = np.arange(start, start + length)
    return Columns(places, places, np.full(length, int(Degree.SAME), dtype=np.uint8))
