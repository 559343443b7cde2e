"""Opening hours: how they are written, and when they begin and end, also where clocks are turned."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.records.hours import DAYS, OpeningHours, opening_hours, window_of
from storage.records.times import zone_of

MINUTE = timedelta(minutes=1)
BERLIN = zone_of("Europe/Berlin")


def hours(*lines, zone="+08:00"):
    return opening_hours(lines, zone)


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("Mo-Fr 22:00-06:00", "Mo-Fr 22:00-06:00"),
        (" mo - fr 8:00 - 9:30 ", "Mo-Fr 08:00-09:30"),
        ("Sa,Su", "Sa-Su"),
        ("Sa-Mo", "Mo,Sa-Su"),
        ("22:00-06:00", "22:00-06:00"),
        ("Mo-Su 22:00-06:00", "22:00-06:00"),
        ("Mo-Su", "Mo-Su"),
        ("00:00-24:00", "Mo-Su"),
        ("Tu 12:00-24:00", "Tu 12:00-24:00"),
    ],
)
def test_hours_have_a_single_form(line, written):
    assert str(window_of(line)) == written
    assert window_of(written) == window_of(line)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "write hours as"),
        ("Mx", "write hours as"),
        ("Mo-Fr 25:00-26:00", "write hours as"),
        ("22:00", "write hours as"),
        ("22:00-06:60", "write hours as"),
        ("24:00-06:00", "write hours as"),
        ("24:01-06:00", "write hours as"),
        ("Mo 22:00-06:00; Tu", "write hours as"),
        ("Ｍo", "write hours as"),
        ("22:00-22:00", "cannot end when they begin"),
        ("00:00-00:00", "cannot end when they begin"),
        ("24:00-00:00", "cannot end when they begin"),
        ("M" * 100_000, "write hours as"),
        ("Mo," * 50_000, "write hours as"),
    ],
)
def test_malformed_hours_are_refused(line, problem):
    with pytest.raises(ValueError, match=problem):
        window_of(line)


def test_hours_over_midnight_belong_to_the_day_on_which_they_begin():
    nights = hours("Mo-Fr 22:00-06:00")
    friday, saturday, sunday, monday = (
        datetime(2026, 11, day, 4, tzinfo=zone_of("+08:00")) for day in (20, 21, 22, 23)
    )
    assert [nights.is_open(day) for day in (friday, saturday, sunday, monday)] == [True, True, False, False]
    assert nights.next_change(saturday) == saturday + timedelta(hours=2)
    assert nights.opening(sunday) == datetime(2026, 11, 23, 22, tzinfo=zone_of("+08:00"))
    assert nights.opening(friday) == friday
    assert nights.last_change(saturday) == datetime(2026, 11, 20, 22, tzinfo=zone_of("+08:00"))
    assert nights.last_change(sunday) == datetime(2026, 11, 21, 6, tzinfo=zone_of("+08:00"))


def test_no_lines_and_whole_weeks_have_no_end():
    assert hours() is None
    always = hours("Mo-Fr", "Sa,Su")
    assert always.next_change(datetime.now(UTC)) is None
    assert always.is_open(datetime.now(UTC))


@pytest.mark.parametrize(
    ("line", "day", "changes"),
    [
        ("02:30-05:00", "2026-03-29", ["03:00+02:00", "05:00+02:00"]),  # 2:00 to 3:00 does not exist
        ("02:10-02:50", "2026-03-29", []),
        ("02:30-05:00", "2026-10-25", ["02:30+02:00", "02:00+01:00", "02:30+01:00", "05:00+01:00"]),
        ("01:00-02:00", "2026-10-25", ["01:00+02:00", "02:00+02:00"]),
        ("Mo-Su 22:00-24:00", "2026-10-25", ["22:00+01:00"]),
    ],
)
def test_wall_clock_decides_where_clocks_are_turned(line, day, changes):
    opening = hours(line, zone="Europe/Berlin")
    at = datetime.fromisoformat(f"{day}T00:00").replace(tzinfo=BERLIN)
    times = []
    while (at := opening.next_change(at).astimezone(BERLIN)).date().isoformat() == day:
        times.append(at.isoformat(timespec="minutes")[11:])
    assert times == changes


@given(
    lines=st.lists(
        st.builds(
            "{}-{} {:02}:{:02}-{:02}:{:02}".format,
            st.sampled_from(DAYS),
            st.sampled_from(DAYS),
            st.integers(0, 11),
            st.integers(0, 59),
            st.integers(12, 23),
            st.integers(0, 59),
        ),
        min_size=1,
        max_size=2,
    ),
    start=st.sampled_from([datetime(2026, 3, 27, tzinfo=UTC), datetime(2026, 10, 23, tzinfo=UTC)]),
    minutes=st.integers(0, 5_000),
)
def test_next_change_is_the_first_minute_of_another_state(lines, start, minutes):
    opening = OpeningHours(tuple(map(window_of, lines)), BERLIN)
    moment = start + minutes * MINUTE
    later = (moment + ahead * MINUTE for ahead in range(10_000))
    assert opening.next_change(moment) == next(
        at for at in later if opening.is_open(at) != opening.is_open(moment)
    )
