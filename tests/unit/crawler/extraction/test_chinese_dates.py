"""Dates as Chinese pages write them."""

from datetime import UTC, datetime

import pytest

from crawler.extraction.chinese_dates import boxed_date, date_in
from storage.records import CHINA, zone_of

FETCHED = datetime(2026, 3, 5, 2, 30, tzinfo=UTC)  # in China half past ten


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("二〇二四年三月五日", "2024-03-05"),
        ("二○一九年十二月三十一日", "2019-12-31"),
        ("发文日期：二零二四年十月 十五日", "2024-10-15"),
        ("中華民國113年3月5日", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("Posted on 5 Sept 2024", "2024-09-05"),
        ("2024 年 03 月 05 日", "2024-03-05"),
        ("113年3月5日", "2024-03-05"),
        ("發布日期：113-03-05", "2024-03-05"),
        ("24-03-05 10:20", "2024-03-05"),
        ("24/3/5 9:20", "2024-03-05"),
        ("20240305 10:20", "2024-03-05"),
        ("113.3.5.17", None),  # an address
        ("电话 1202403051", None),
        ("24-03-05", None),  # may be a day of May
        ("20241305", None),
        ("二〇二四年二月三十日", None),
        ("二〇二四年", None),
        ("3月5日", None),  # of which year?
        ("昨天", None),
    ],
)
def test_full_dates_are_parsed(text, day):
    date = date_in(text, zone=CHINA)
    assert (date and date.iso()) == (day and f"{day}+08:00")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("昨天 22:15", "2026-03-04"),
        ("前天", "2026-03-03"),
        ("今天 09:00", "2026-03-05"),
        ("刚刚", "2026-03-05"),
        ("半小时前", "2026-03-05"),
        ("2小时前", "2026-03-05"),
        ("11 小時前", "2026-03-04"),
        ("45分钟前", "2026-03-05"),
        ("3天前", "2026-03-02"),
        ("2周前", "2026-02-19"),
        ("3月5日", "2026-03-05"),
        ("3月7日", "2025-03-07"),  # the next one is not yet
        ("12-24 08:30", "2025-12-24"),
        ("2月30日", None),
        ("今天天气很好", None),
        ("第3-05节", None),
        ("2024-3-5", "2024-03-05"),
    ],
)
def test_relative_dates_are_resolved_against_the_fetch(text, day):
    date = date_in(text, zone=CHINA, fetched=FETCHED)
    assert (date and date.iso()) == (day and f"{day}+08:00")


@pytest.mark.parametrize(
    ("lines", "day"),
    [
        (["05", "2024-03"], "2024-03-05"),
        (["05", "2024年3月"], "2024-03-05"),
        (["渡口", "03-05", "2024"], "2024-03-05"),
        (["3月5日", "2024年"], "2024-03-05"),
        (["45", "2024-03"], None),
        (["05", "2024-03-07"], None),
        (["05"], None),
    ],
)
def test_boxed_date_spans_two_lines(lines, day):
    date = boxed_date(lines, zone=CHINA)
    assert (date and date.iso()) == (day and f"{day}+08:00")


def test_day_is_that_of_the_zone_of_the_source():
    assert date_in("今天", zone=zone_of("-08:00"), fetched=FETCHED).iso() == "2026-03-04-08:00"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("600 秒前", "2026-03-05"),
        ("601 秒前", "2026-03-04"),
        ("10 分钟前", "2026-03-05"),
        ("11 分鐘前", "2026-03-04"),
        ("24 小时之前", "2026-03-04"),
        ("25小時前", "2026-03-03"),
        ("1日前", "2026-03-04"),
        ("1 个星期前", "2026-02-26"),
        ("2個礼拜前", "2026-02-19"),
        ("1个月前", "2026-02-03"),
        ("1年前", "2025-03-05"),
        ("大前天", "2026-03-02"),
        ("昨日", "2026-03-04"),
    ],
)
def test_relative_periods_have_their_length(text, day):
    ten_past_midnight = datetime(2026, 3, 4, 16, 10, tzinfo=UTC)
    date = date_in(text, zone=CHINA, fetched=ten_past_midnight)
    assert (date.iso(), date.is_zone_assumed) == (f"{day}+08:00", True)


@pytest.mark.parametrize(("text", "day"), [("3月6日", "2026-03-06"), ("3月7日", "2025-03-07")])
def test_day_without_a_year_is_tomorrow_at_the_latest(text, day):
    midnight = datetime(2026, 3, 4, 16, tzinfo=UTC)
    assert date_in(text, zone=CHINA, fetched=midnight).iso() == f"{day}+08:00"


def test_only_the_first_two_hundred_characters_are_searched():
    assert date_in("江" * 192 + "2024-3-5", zone=CHINA).iso() == "2024-03-05+08:00"
    assert date_in("江" * 193 + "二〇二四年三月五日", zone=CHINA) is None


def test_zone_of_a_date_that_names_none_is_assumed():
    for text in ("二〇二四年三月五日", "113年3月5日", "March 5, 2024", "20240305"):
        assert date_in(text, zone=CHINA).is_zone_assumed
