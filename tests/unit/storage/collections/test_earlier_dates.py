"""Bare moments of schema 3 as dates: never more than they certainly meant."""

from datetime import UTC, datetime

import pytest

from storage.collections.earlier_dates import date_of_page, date_of_work


@pytest.mark.parametrize(
    ("moment", "iso"),
    [
        (datetime(2026, 3, 1, 16, tzinfo=UTC), "2026-03-02+08:00"),  # a day of China
        (datetime(2026, 3, 2, tzinfo=UTC), "2026-03-02+00:00"),  # a day, or eight o'clock in China
        (datetime(2026, 3, 2, 0, 15, tzinfo=UTC), "2026-03-02T08:15+08:00"),
        (datetime(2026, 3, 2, 0, 15, 9, tzinfo=UTC), "2026-03-02T08:15:09+08:00"),
    ],
)
def test_dates_of_pages_keep_their_moment(moment, iso):
    date = date_of_page(moment)
    assert (date.iso(), date.at, date.is_zone_assumed) == (iso, moment, True)


@pytest.mark.parametrize(
    ("moment", "iso"),
    [
        (datetime(2023, 12, 4, tzinfo=UTC), "2023-12-04+08:00"),
        # "2023-12-04 22:15:00" in its file, or "2023-12-05 06:15:00+08:00": nobody can tell.
        (datetime(2023, 12, 4, 22, 15, tzinfo=UTC), "2023-12-04+08:00"),
        (datetime(2023, 12, 4, 14, 15, tzinfo=UTC), "2023-12-04+08:00"),
    ],
)
def test_dates_of_works_keep_their_day(moment, iso):
    date = date_of_work(moment)
    assert (date.iso(), date.is_zone_assumed) == (iso, True)
    assert date.at <= moment
