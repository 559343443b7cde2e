"""Chapter numbers in every notation."""

import pytest

from crawler.extraction.chapters import chapter_heading


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
def test_chapter_headings_are_parsed(title, number, name):
    heading = chapter_heading(title)
    assert (heading.number, heading.title) == (number, name)


def test_chapter_numbers_are_bounded():
    assert chapter_heading("第一千万万万章").number is None
