"""Chapter numbers in every way of writing them."""

import pytest

from crawler.extraction.chapters import chapter_heading, number_of


@pytest.mark.parametrize(
    ("title", "number", "name"),
    [
        ("第三章 对岸", 3, "对岸"),
        ("第12章：夜渡", 12, "夜渡"),
        ("第一百零五回 雾", 105, "雾"),
        ("第二卷 渡口 第二十一章 灯_青灯渡_望江书屋", 21, "灯"),
        ("第 7 節　燈滅", 7, "燈滅"),
        ("第十章", 10, None),
        ("第一万二千三百章 江", 12300, "江"),
        ("第二〇三章 江（求月票）", 203, "江"),
        ("12. 夜渡", 12, "夜渡"),
        ("序章 雾", None, "序章 雾"),
        ("渡口的七盏灯", None, None),
        ("2026年的春天", None, None),
        ("", None, None),
    ],
)
def test_headings(title, number, name):
    heading = chapter_heading(title)
    assert (heading.number, heading.title) == (number, name)


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("十", 10),
        ("二十", 20),
        ("三千零四", 3004),
        ("两百", 200),
        ("一二三", 123),
        ("007", 7),
        ("9" * 30, None),
        ("万", None),
    ],
)
def test_numerals(numeral, value):
    assert number_of(numeral) == value


@pytest.mark.parametrize("numeral", ["一" * 5_000, "万" * 5_000, "十" * 5_000, "9" * 5_000])
def test_numerals_longer_than_any_number_are_none(numeral):
    assert number_of(numeral) is None


def test_numbers_of_chapters_are_bounded():
    assert number_of("万" * 20) is None
    assert number_of("九" * 10) is None
    assert number_of("1" * 9) == 111_111_111
    assert chapter_heading("第一千万万万章").number is None
