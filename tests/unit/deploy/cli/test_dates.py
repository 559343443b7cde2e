"""Dates and times as people type them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from deploy.cli.dates import BadDate, parse_day, parse_moment

DAY = datetime(2026, 12, 31)  # noqa: DTZ001 - no zone is written


@pytest.mark.parametrize(
    "text", ["2026-12-31", "2026/12/31", "2026.12.31", "20261231", "2026年12月31日", " 2026 年 12 月 31 日 "]
)
def test_day_is_parsed_in_many_forms(text):
    assert parse_day(text) == parse_moment(text) == DAY


@pytest.mark.parametrize(
    "text", ["2026/12/31 9:05", "2026-12-31T09:05:00", "2026年12月31日 09:05", "20261231 0905"]
)
def test_day_and_time_are_parsed(text):
    assert parse_moment(text) == DAY.replace(hour=9, minute=5)
    with pytest.raises(BadDate):
        parse_day(text)


def test_explicit_zone_is_kept():
    assert parse_moment("2026/12/31 09:05Z") == DAY.replace(hour=9, minute=5, tzinfo=UTC)
    east = timezone(timedelta(hours=8))
    assert parse_moment("2026-12-31 09:05+08:00") == DAY.replace(hour=9, minute=5, tzinfo=east)


@pytest.mark.parametrize(
    "text", ["", "x", "31.12.2026", "2026-13-01", "2026-02-30", "2026-1", "202612311", "2026-12-31 25:00"]
)
def test_malformed_date_is_explained(text):
    with pytest.raises(BadDate, match=r"is not a date\. Write it like 2026-12-31, 2026/12/31"):
        parse_moment(text)
