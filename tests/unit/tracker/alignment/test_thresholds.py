"""Which stretches are looked at further, and which of a passage's stretches mean something: the borders."""

from itertools import pairwise

import numpy as np
import pytest
from support.strategies import story

from tracker.alignment.align import align
from tracker.alignment.columns import Columns
from tracker.alignment.degrees import Degree
from tracker.alignment.stretches import disjoint, is_alike, significant, trim
from tracker.alignment.text import ComparedText

# No initial of these is one of a story.
STRANGE = "平皮朋票铺派跑怕去前青清求全却先心西学写行象些"
PAGE = ComparedText(story(4_000, 1))


def columns(start, length, *, sounds=None, characters=None, passage=None):
    """A stretch of the page; as many of its columns agree as is said, evenly spread, or all."""
    places = np.arange(length)
    return Columns(
        places + start,
        places + (start if passage is None else passage),
        _degrees(
            _evenly(length, length if sounds is None else sounds),
            _evenly(length, length if characters is None else characters),
        ),
    )


def _degrees(sound, character):
    """The same character, else the same syllable, else nothing."""
    return np.where(character, Degree.SAME, np.where(sound, Degree.SAME_TONE, Degree.OTHER))


def _evenly(length, agreeing):
    """``agreeing`` of ``length`` columns, with no long run while they are at most three quarters."""
    return np.diff(np.arange(length + 1) * agreeing // length) > 0


def stretches(*lengths):
    """Stretches of the page that agree wholly, one after the other and apart."""
    starts = np.cumsum([0, *(length + 30 for length in lengths)]).tolist()
    return [columns(start, length) for start, length in zip(starts, lengths, strict=False)]


def lengths(found):
    return [len(each) for each in found]


def repetitions_of(passage):
    """Sixty times the same forty characters, with others between that share no initial with the passage."""
    return "".join(passage[100:140] + story(7, number, alphabet=STRANGE) for number in range(60))


@pytest.mark.parametrize(
    ("length", "sounds", "characters", "expected"),
    [
        (6, 6, 6, True),
        (5, 5, 5, False),
        (20, 10, 10, True),  # half of the characters
        (20, 9, 9, False),
        (20, 14, 9, False),  # fewer, and no eight letters in a row
        (20, 20, 0, True),  # eight letters in a row
    ],
)
def test_long_and_similar_columns_are_examined(length, sounds, characters, expected):
    assert is_alike(columns(0, length, sounds=sounds, characters=characters)) == expected


@pytest.mark.parametrize(("row", "expected"), [(8, True), (7, False)])
def test_eight_letters_in_a_row_are_a_seed(row, expected):
    sound = np.array([True] * row + [False, True, True] * 3, dtype=bool)
    places = np.arange(len(sound))
    assert is_alike(Columns(places, places, _degrees(sound, ~sound & False))) is expected


@pytest.mark.parametrize(("near", "expected"), [(10, True), (9, False)])
def test_half_of_the_sounds_agree_where_most_characters_differ(near, expected):
    """Twenty letters with the same initials prove nothing: sounds decide, also near ones."""
    degrees = np.array([Degree.NEAR] * near + [Degree.INITIAL] * (20 - near))
    places = np.arange(20)
    assert is_alike(Columns(places, places, degrees)) is expected


@pytest.mark.parametrize(("homophones", "expected"), [(2, (1, 59)), (3, (1, 60))])
def test_end_with_only_the_same_initial_is_trimmed_unless_homophones_exist(homophones, expected):
    degrees = np.full(61, Degree.SAME)
    degrees[[0, 59, 60]] = Degree.INITIAL, Degree.SAME_TONE, Degree.INITIAL
    degrees[10 : 10 + homophones] = Degree.SAME_TONE
    places = np.arange(61)
    assert trim(Columns(places, places, degrees)).page_letters == expected


@pytest.mark.parametrize(("length", "expected"), [(20, [20]), (19, [])])
def test_stretch_of_twenty_letters_counts_alone(length, expected):
    assert lengths(significant(PAGE, stretches(length))) == expected


@pytest.mark.parametrize(
    ("short", "expected"),
    [
        ([19, 19, 19, 19, 12, 12], True),  # a hundred letters together
        ([19, 19, 19, 19, 12, 11], False),
        ([10] * 15, True),  # 45 different seeds, three in each
        ([10] * 10 + [14, 14], False),  # 44
        ([19] * 5 + [9] * 5, False),  # what is shorter than ten does not help
    ],
)
def test_short_stretches_count_together(short, expected):
    assert lengths(significant(PAGE, stretches(*short))) == (short if expected else [])


def test_repeated_slogan_is_a_single_slogan():
    again = [columns(0, 19, passage=start) for start in range(0, 400, 40)]
    assert significant(PAGE, again) == []


@pytest.mark.parametrize(("characters", "expected"), [(6, True), (5, False)])
def test_half_of_the_characters_of_a_short_stretch_agree(characters, expected):
    own = [*stretches(*[19] * 6), columns(2_000, 12, characters=characters)]
    assert lengths(significant(PAGE, own)) == [19] * 6 + [12] * expected


@pytest.mark.parametrize(
    ("others", "characters", "expected"),
    [([20] * 20, 6, True), ([20] * 19 + [19], 6, False), ([20] * 20, 5, False)],
)
def test_few_letters_count_next_to_400_if_all_characters_agree(others, characters, expected):
    own = [*stretches(*others), columns(3_000, 6, characters=characters)]
    assert lengths(significant(PAGE, own)) == others + [6] * expected


def test_empty_list_has_no_significant_stretches():
    assert significant(PAGE, []) == []


def test_better_alignment_keeps_the_stretch_and_the_worse_its_remainder():
    better, worse = columns(0, 60), columns(40, 60, passage=500)
    assert [each.page_letters for each in disjoint([worse, better])] == [(0, 60), (60, 100)]


@pytest.mark.parametrize(("taken", "expected"), [(70, 2), (71, 1)])
def test_mostly_overlapped_stretch_is_dropped(taken, expected):
    """Three tenths of a stretch must be free: half of the sounds that would have to agree."""
    assert len(disjoint([columns(0, 200), columns(200 - taken, 100, passage=900)])) == expected


def test_of_equally_good_alignments_the_first_of_the_passage_stays():
    first, second = columns(0, 30, passage=100), columns(0, 30, passage=10)
    assert [each.passage_letters for each in disjoint([first, second])] == [(10, 40)]


def test_spans_of_a_page_that_repeats_itself_are_distinct_anddisjoint():
    passage = story(300, 5)
    said = repetitions_of(passage)
    spans = [aligned.span for aligned in align(ComparedText(said + passage), ComparedText(passage))]
    assert len(spans) == 61
    assert all(earlier.page_end <= later.page_start for earlier, later in pairwise(spans))
    assert all((said + passage)[span.page_start : span.page_end] in passage for span in spans)


def test_number_of_stretches_is_bounded():
    passage = story(300, 5)
    page = ComparedText(repetitions_of(passage))
    whole, few = (align(page, ComparedText(passage), max_spans=count) for count in (60, 30))
    assert (len(whole), len(few)) == (60, 30)
    assert {aligned.span for aligned in few} <= {aligned.span for aligned in whole}
