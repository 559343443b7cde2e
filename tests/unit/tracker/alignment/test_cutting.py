"""Stretches without what was taken from them."""

import numpy as np
import pytest
from support.strategies import story

from tracker.alignment.align import align
from tracker.alignment.cutting import without
from tracker.alignment.text import ComparedText

TEXT = story(400, 1)
PAGE, PASSAGE = ComparedText(story(100, 2) + TEXT), ComparedText(TEXT)
(WHOLE,) = align(PAGE, PASSAGE)


def left_of(*taken, page=PAGE, aligned=WHOLE):
    mask = np.zeros(len(page.text), dtype=bool)
    for start, end in taken:
        mask[start:end] = True
    return without(page, PASSAGE, aligned, mask)


def places(parts):
    return [
        (part.span.page_start, part.span.page_end, part.span.passage_start, part.span.passage_end)
        for part in parts
    ]


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ((0, 100), [(100, 500, 0, 400)]),
        ((0, 109), [(100, 500, 0, 400)]),  # two texts may go on alike for a few characters
        ((0, 110), [(110, 500, 10, 400)]),
        ((480, 500), [(100, 480, 0, 380)]),
        ((200, 300), [(100, 200, 0, 100), (300, 500, 200, 400)]),
        ((119, 500), []),  # nineteen letters are left
        ((120, 500), [(100, 120, 0, 20)]),
        ((100, 500), []),
    ],
)
def test_remainder_of_a_stretch_is_cut_correctly(taken, expected):
    assert places(left_of(taken)) == expected


def test_cut_stretch_has_recomputed_identities():
    changed = TEXT[:200] + "".join(char if n % 4 else "的" for n, char in enumerate(TEXT[200:]))
    page = ComparedText(changed)
    (whole,) = align(page, PASSAGE)
    (head,) = left_of((200, 400), page=page, aligned=whole)
    (tail,) = left_of((0, 200), page=page, aligned=whole)
    assert head.span.char_identity == 1 > whole.span.char_identity > tail.span.char_identity
    assert head.columns == 200
    assert (head.same_character, head.letters) == (200, (0, 200))


def test_position_that_repeats_a_stretch_stays_or_goes_as_a_whole():
    said = story(60, 3)
    passage, page = ComparedText(said), ComparedText(story(30, 4).join([said] * 30))
    alignments = align(page, passage)
    again = next(
        aligned
        for aligned in alignments
        if aligned.letters != (aligned.span.page_start, aligned.span.page_end)
    )
    start = again.span.page_start
    mask = np.zeros(len(page.text), dtype=bool)
    mask[start : start + 20] = True
    assert without(page, passage, again, mask) == [again]
    mask[start : start + 30] = True
    assert without(page, passage, again, mask) == []
