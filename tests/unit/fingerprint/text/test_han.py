"""Ranges of Han characters, and what the patterns of headings accept and leave."""

import re

import pytest

from fingerprint.text.han import (
    CHAPTER_LABEL,
    CHAPTER_LINE,
    CHAPTER_TITLE,
    HAN,
    HAN_POINTS,
    NUMBERED_LINE,
    SIMPLIFIED_CHAPTER,
    has_han,
    may_be_han,
)


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("abc，。12", 0), ("青a灯", 2), ("\U00020000㐀", 2), ("かな", 0)]
)
def test_han_characters_are_counted(text, count):
    assert [has_han(text, number) for number in range(4)] == [count >= number for number in range(4)]


def test_range_is_the_same_in_patterns_and_as_numbers():
    inside = re.compile(f"[{HAN}]")
    assert all((inside.match(chr(code)) is not None) == (code in HAN_POINTS) for code in range(0x10000))


@pytest.mark.parametrize(
    ("character", "expected"),
    [
        ("\u33ff", False),
        ("\u3400", True),
        ("\u9fff", True),
        ("\ua000", False),
        ("\uffff", False),
        ("\U00020000", True),
    ],
)
def test_may_be_han_recognises_han_characters(character, expected):
    assert may_be_han(character) is expected


# heading: as a line of a book, as the title of a page, as the text of a link
@pytest.mark.parametrize(
    ("heading", "line", "title", "label"),
    [
        ("第三章 渡口", True, True, True),
        ("第卅回 渡口", True, False, False),  # old numerals occur in books only
        ("第三集 渡口", True, False, True),
        ("第三卷 渡口", True, False, True),  # a page of that title is a notice or a catalogue
        ("第三折 渡口", True, False, False),  # of a play
        ("第一万二千章 渡口", False, False, True),  # a serial on the web
        ("（第三章）渡口", False, True, True),
        ("尾声", True, True, True),
        ("终章", False, False, True),
        ("後記", True, False, False),
        ("12、渡口", False, False, True),
        ("渡口", False, False, False),
    ],
)
def test_headings_are_recognised_by_context(heading, line, title, label):
    assert (CHAPTER_LINE.search(heading) is not None) == line
    assert (CHAPTER_TITLE.search(heading) is not None) == title
    assert (CHAPTER_LABEL.search(heading) is not None) == label


def test_line_that_is_a_number_is_recognised():
    assert NUMBERED_LINE.fullmatch("十二、渡口")
    assert NUMBERED_LINE.fullmatch("１２")
    assert not NUMBERED_LINE.fullmatch("十二 渡口")


def test_number_of_a_chapter_is_read():
    assert re.search(SIMPLIFIED_CHAPTER, "青灯渡 第 一百零五 章")["number"] == "一百零五"
