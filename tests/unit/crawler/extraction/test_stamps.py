"""Stamps: the lines next to a post with its date and number."""

import pytest

from crawler.extraction.outline import line_of
from crawler.extraction.stamps import date_start, is_day, is_stamp, post_number_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("发表于 2024-3-5 20:11", True),
        ("12楼 昨天 10:22", True),
        ("3 天前", True),
        ("刚刚", True),
        ("5 Mar 2024", True),
        ("2 hours ago", True),
        ("2024-3-5 " + "灯" * 72, True),  # eighty characters
        ("2024-3-5 " + "灯" * 73, False),
        ("2024-3-5，甲，乙", True),
        ("2024-3-5，甲，乙，丙", False),
        ("注册：2012年3月5日", False),
        ("本帖最后由 甲 于 2024-3-5 编辑", False),
        ("刚刚好", False),
        ("渡口的灯", False),
    ],
)
def test_stamp_is_a_short_line_with_the_posts_date(text, expected):
    assert is_stamp(line_of(text)) is expected


def test_date_start_is_the_offset_of_the_date():
    assert date_start("甲 发表于 2024-3-5 20:11") == 6
    assert date_start("2024-3-5") == 0
    assert date_start("甲 发表于 20:11") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12楼 昨天 10:22", 12),
        ("12 F", 12),
        ("12 files", None),
        ("第 3 樓", 3),
        ("第3帖", 3),
        ("#7 发表于", 7),
        ("7#", 7),
        ("&#7;", None),
        ("a#7", None),
        ("3.5楼", None),
        ("[楼主]", 1),
        ("樓主", 1),
        ("沙發", 2),
        ("沙发", 2),
        ("板凳", 3),
        ("地板", 4),
        ("楼主说得好", None),
        ("甲", None),
    ],
)
def test_post_number_is_a_number_or_a_forum_word(text, expected):
    assert post_number_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("用户1403-05 10:22", True),  # right behind a name
        ("用户142024.03.05", True),
        ("价格 03-05 元", False),
        ("10月22日，王先生回来了", False),
        ("10月22日王先生回来了", False),
        ("10月22日 回复", True),
        ("10月22日下午", True),
        ("6年前由于战乱紧急撤离", False),
        ("6年前", True),
        ("3天前北京", True),
        ("1963年4月6日", False),  # no forum is as old
        ("2013年4月6日", True),
    ],
)
def test_sentence_that_begins_with_a_date_is_not_a_stamp(text, expected):
    assert is_stamp(line_of(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024年3月5日", True),
        ("【3月5日】", True),
        ("2024-3-5", True),
        ("2024-3-5 10:22", False),
        ("甲 3月5日", False),
    ],
)
def test_line_with_only_a_date_is_recognised(text, expected):
    assert is_day(line_of(text)) is expected
