from dataclasses import dataclass, replace
from typing import get_args

import pytest
from support.matches import match_with

from analysis.words.i18n import translator
from analysis.words.labels import MATCH_PARTS, REST_REASONS, UNREAD
from analysis.words.page_texts import (
    CHECK_BY_EYE,
    MAX_PLACES,
    REWORDED,
    match_notes,
    pieces_as_objects,
    place_line,
    place_notes,
    unread_amounts,
    unread_line,
)
from storage.records import UNREAD_UNITS, MatchPart, RestPiece, RestReason, UnreadReason

ENGLISH, CHINESE = translator("en"), translator("zh")
DIV = RestPiece(start=0, end=300, reason="hidden", place="body > div.a")


def test_every_reason_has_a_label_and_a_unit():
    assert set(REST_REASONS) == set(get_args(RestReason))
    assert set(UNREAD) == set(UNREAD_UNITS) == set(get_args(UnreadReason))
    assert set(MATCH_PARTS) == set(get_args(MatchPart))


@pytest.mark.parametrize("reason", get_args(UnreadReason))
@pytest.mark.parametrize("number", [1, 2])
def test_every_reason_has_an_amount_in_words(reason, number):
    for texts in (ENGLISH, CHINESE):
        assert str(number) in unread_amounts({reason: number}, texts)


def test_amounts_add_up_characters_and_keep_kinds_apart():
    unread = {"limit": 5_000, "frames": 3, "font": 200}
    assert unread_amounts(unread, ENGLISH) == "3 frames and 5,200 characters"
    assert unread_line(unread, ENGLISH) == "3 frames and 5,200 characters could not be compared."


def test_unread_amounts_of_three_kinds_form_a_list():
    unread = {"images": 1, "frames": 2, "order": 1}
    assert unread_amounts(unread, ENGLISH) == "2 frames, 1 image and 1 character"


def test_fully_compared_page_has_no_line():
    assert unread_line({}, ENGLISH) == ""
    assert unread_line({"frames": 0, "limit": 0}, ENGLISH) == ""


@dataclass(frozen=True)
class Placed:
    found_in: tuple[RestPiece, ...]
    part: MatchPart = "rest"


def test_location_line_of_a_match_gives_the_reason_and_the_element():
    line = place_line(Placed((DIV,)), ENGLISH)
    assert line == "Outside the article: hidden by a style sheet, body > div.a"
    assert place_notes(Placed((DIV,)), ENGLISH) == [line, CHECK_BY_EYE]


def test_retelling_is_for_a_person_and_no_copy():
    reworded, copy = match_with(verdict="reworded"), match_with(verdict="copy")
    assert match_notes(reworded, ENGLISH) == [REWORDED]
    assert match_notes(copy, ENGLISH) == []
    outside = replace(reworded, part="rest", found_in=(DIV,))
    assert match_notes(outside, ENGLISH) == [*place_notes(Placed((DIV,)), ENGLISH), REWORDED]


def test_note_on_a_contained_work_gives_its_share():
    contained = match_with(charged_to=(7,), passage_coverage=0.62)
    (note,) = match_notes(contained, ENGLISH)
    assert "the page has 62% of this passage" in note
    assert "62%" in match_notes(contained, CHINESE)[0]


def test_location_line_without_an_element_gives_only_the_reason():
    script = RestPiece(start=0, end=9, reason="script")
    line = place_line(Placed((script,)), ENGLISH)
    assert line == "Outside the article: in a script or in the page's data"


def test_match_outside_the_article_without_pieces_says_so_still():
    assert place_line(Placed(()), ENGLISH) == "Outside the article"


def test_match_in_the_article_has_no_location_line():
    assert place_line(Placed((), "article"), ENGLISH) == ""
    assert place_notes(Placed((), "article"), ENGLISH) == []


def test_equal_places_are_listed_once_and_many_are_counted():
    pieces = tuple(RestPiece(start=n, end=n + 1, reason="outside", place=f"p.{n % 5}") for n in range(10))
    line = place_line(Placed(pieces), ENGLISH)
    assert line.count("next to the article") == MAX_PLACES
    assert line.endswith("and 2 more places")


def test_pieces_as_objects_have_offsets_reason_and_selector():
    assert pieces_as_objects([DIV]) == [{"start": 0, "end": 300, "reason": "hidden", "place": "body > div.a"}]
