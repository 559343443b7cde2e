"""Author and date of a post, from the elements and lines around its text."""

from datetime import UTC, datetime

import pytest

from crawler.extraction.outline import outline
from crawler.extraction.parsing import parse
from crawler.extraction.publication import Clock
from crawler.extraction.threads.bylines import date_of, member_of, name_in, post_number_in
from crawler.extraction.threads.records import Record

FETCHED = datetime(2026, 3, 5, 2, 30, tzinfo=UTC)


def post(body):
    """Return a page with one post, its record and the numbers of its lines."""
    page = outline(parse(f"<html><body><div>{body}</div></body></html>").find("body"))
    return page, Record(1, 0, len(page.lines), 0), range(len(page.lines))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("数灯的人", "数灯的人"),
        ("数灯的人 发表于 2024-3-5 20:11", "数灯的人"),
        ("作者：数灯的人", "数灯的人"),
        ("12 楼 数灯的人 昨天 10:22", "数灯的人"),
        ("数灯的人 | 金牌会员", "数灯的人"),
        ("[楼主] 数灯的人", "数灯的人"),
        ("灯" * 30, "灯" * 30),
        ("灯" * 31, None),
        ("2024-3-5 20:11", None),
        ("12345", None),
        ("只看该作者", None),
        ("他把灯点着了，船就走了。", None),
    ],
)
def test_name_of_a_line_is_before_the_date(line, name):
    page, _, lines = post(f"<p>{line}</p>")
    assert name_in(page, lines) == name


def test_first_line_with_a_name_is_used():
    page, _, lines = post("<p>积分</p><p>北岸客</p><p>数灯的人</p>")
    assert name_in(page, lines) == "北岸客"
    assert name_in(page, lines[2:]) == "数灯的人"


@pytest.mark.parametrize(
    ("elements", "name"),
    [
        ("<a href='/u/7'>北岸客</a>", "北岸客"),
        ("<a href='/about'>北岸客</a>", None),
        ("<a href='/u/7'>北岸客</a><b class=author>阿七</b>", "阿七"),
        ("<b class=author>阿七</b><i class=user_name>数灯的人</i>", "数灯的人"),
        ("<b itemprop=name>阿七</b><a href='/u/7'>北岸客</a>", "阿七"),
        ("<a href='/u/7'>北岸客</a><a href='/u/8'>阿七</a>", "北岸客"),  # of equal ones the first
        ("<b class='author-list'>阿七</b>", None),
        ("<i></i>" * 147 + "<b class=author>阿七</b>", "阿七"),
        ("<i></i>" * 148 + "<b class=author>阿七</b>", None),  # the 151st element
    ],
)
def test_member_is_named_by_a_class_before_a_link(elements, name):
    assert member_of(*post(f"<p>{elements}</p>")) == name


def test_names_count_only_outside_the_text():
    page, record, lines = post("<p><b class=author>阿七</b></p><p>渡口的灯</p>")
    assert member_of(page, record, lines) == "阿七"
    assert member_of(page, record, lines[1:]) is None


@pytest.mark.parametrize(
    ("body", "day"),
    [
        ("<p>发表于 2024-3-5 20:11</p>", "2024-03-05T20:11+08:00"),
        ("<p>昨天 22:15</p>", "2026-03-04+08:00"),
        ("<p>昨天 22:15</p><p>2024-3-5</p>", "2024-03-05+08:00"),  # a whole date goes before
        ("<p><time datetime='2026-03-04T22:15:30+08:00'>昨天 22:15</time></p>", "2026-03-04T22:15:30+08:00"),
        ("<p><span title='2026-03-04 22:15'>昨天 22:15</span></p>", "2026-03-04T22:15+08:00"),
        ("<p>刚刚</p><p>刚刚</p><p>刚刚</p><p>2024-3-5</p>", "2026-03-05+08:00"),  # three lines are read
        ("<p>刚刚</p><p>刚刚</p><p>2024-3-5</p>", "2024-03-05+08:00"),
        ("<p>渡口的灯</p>", None),
    ],
)
def test_post_is_dated_by_its_stamp(body, day):
    page, record, lines = post(body)
    date = date_of(page, record, lines, Clock(fetched=FETCHED))
    assert (date and date.iso()) == day


def test_machine_dates_are_read_only_next_to_the_stamp():
    body = "<p>昨天 22:15</p><p><time datetime='2024-03-05'>渡口</time></p>"
    page, record, lines = post(body)
    assert date_of(page, record, lines, Clock(fetched=FETCHED)).iso() == "2026-03-04+08:00"


def test_post_without_a_dated_line_uses_its_stamp():
    page, record, _ = post("<p><time datetime='2024-03-05'>昨天 22:15</time></p>")
    assert date_of(page, record, [], Clock(fetched=FETCHED)).iso() == "2024-03-05+08:00"


def test_first_line_with_a_post_number_is_used():
    page, _, lines = post("<p>甲</p><p>12楼</p><p>3楼</p>")
    assert (post_number_in(page, lines), post_number_in(page, lines[:1])) == (12, None)
