"""Claimed dates: what they claim, in which zone, and what comes before what."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from storage.collections.documents import from_document, to_document
from storage.records import CHINA, ClaimedDate, Work, claim, moment_text, zone_of
from storage.records.dates import first_date, parse_date

SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("text", "iso", "at"),
    [
        ("2023-12-4", "2023-12-04+08:00", datetime(2023, 12, 3, 16, tzinfo=UTC)),
        ("2023/12/04 22:15", "2023-12-04T22:15+08:00", datetime(2023, 12, 4, 14, 15, tzinfo=UTC)),
        ("2023-12-4 22:15:00", "2023-12-04T22:15:00+08:00", datetime(2023, 12, 4, 14, 15, tzinfo=UTC)),
        ("2023年12月4日", "2023-12-04+08:00", datetime(2023, 12, 3, 16, tzinfo=UTC)),
        ("2023-12-04T22:15:09Z", "2023-12-04T22:15:09+00:00", datetime(2023, 12, 4, 22, 15, 9, tzinfo=UTC)),
        ("2023-12-04T22:15-0500", "2023-12-04T22:15-05:00", datetime(2023, 12, 5, 3, 15, tzinfo=UTC)),
        ("20231204T221500", "2023-12-04T22:15+08:00", datetime(2023, 12, 4, 14, 15, tzinfo=UTC)),
        (
            "2023-12-04T22:15:09.123",
            "2023-12-04T22:15:09+08:00",
            datetime(2023, 12, 4, 14, 15, 9, tzinfo=UTC),
        ),
        ("2023年12月4日22时15分", "2023-12-04T22:15+08:00", datetime(2023, 12, 4, 14, 15, tzinfo=UTC)),
        (
            "2023年12月4日 22：15：09",
            "2023-12-04T22:15:09+08:00",
            datetime(2023, 12, 4, 14, 15, 9, tzinfo=UTC),
        ),
        # Publishing systems write midnight where they know the day alone.
        ("2023-12-04T00:00:00Z", "2023-12-04+00:00", datetime(2023, 12, 4, tzinfo=UTC)),
        ("2023-12-04+09:00", "2023-12-04+09:00", datetime(2023, 12, 3, 15, tzinfo=UTC)),
    ],
)
def test_date_keeps_its_precision(text, iso, at):
    claimed = parse_date(text)
    assert (claimed.iso(), claimed.at, claimed.at.utcoffset()) == (iso, at, timedelta(0))
    assert parse_date(claimed.iso()).iso() == iso
    assert str(claimed).replace(" ", "") == iso.replace("T", "")


@pytest.mark.parametrize(
    "text", ["", "soon", "15.9.2026", "2026-13-01", "2026-02-30", "2026-01-01 25:00", "26"]
)
def test_malformed_date_is_not_parsed(text):
    assert parse_date(text) is first_date(text) is None


def test_first_date_of_a_line_is_in_the_zone_of_its_source():
    line = "电话 8888-12-04 发布于 2023-12-04 22:15 来源：江岸日报 2024-01-01"
    assert first_date(line).iso() == "2023-12-04T22:15+08:00"
    assert first_date(line, zone=zone_of("Asia/Tokyo")).iso() == "2023-12-04T22:15+09:00"
    assert first_date(line.replace("22:15", "22:15Z"), zone=NEW_YORK).iso() == "2023-12-04T22:15+00:00"
    assert first_date("无日期") is None
    for half in ("10:15 PM", "10:15:30 p.m.", "下午10:15", "10:155"):  # no more than the day is certain
        assert first_date(f"2023-12-04 {half}").iso() == "2023-12-04+08:00"


@pytest.mark.parametrize("author", ["zhangsan", "Z世代", "-1234567", "+8"])
def test_name_after_a_time_is_not_a_zone(author):
    assert first_date(f"2023-12-04 22:15 {author}").iso() == "2023-12-04T22:15+08:00"


def test_whether_a_text_names_its_zone_is_kept():
    assert parse_date("2023-12-04 22:15").is_zone_assumed
    assert not parse_date("2023-12-04 22:15 +08:00").is_zone_assumed
    assert parse_date("20231204T2215").is_zone_assumed
    compact = parse_date("20231204T2215+09")
    assert (compact.iso(), compact.is_zone_assumed) == ("2023-12-04T22:15+09:00", False)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2023-12-03", "2023-12-04"),
        ("2023-12-03", "2023-12-04 00:01"),
        ("2023-12-03 23:59", "2023-12-04"),
        ("2023-12-04 22:15", "2023-12-04 22:16"),
        ("2023-12-04 22:15:00", "2023-12-04 22:15:01"),
        ("2023-12-04 22:15:00+09:00", "2023-12-04 22:14:00+08:00"),
    ],
)
def test_certainly_earlier_date_is_before(earlier, later):
    assert parse_date(earlier).is_before(parse_date(later))
    assert not parse_date(later).is_before(parse_date(earlier))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2023-12-04", "2023-12-04"),
        ("2023-12-04", "2023-12-04 22:15"),
        ("2023-12-04", "2023-12-04 00:00:01"),
        ("2023-12-04 22:15", "2023-12-04 22:15:59"),
        ("2023-12-04 22:15:00", "2023-12-04T14:15:00Z"),
        # Still the 4th in New York, when it is noon of the 5th in China.
        ("2023-12-04-05:00", "2023-12-05 12:00"),
    ],
)
def test_possibly_equal_moments_are_not_before(one, other):
    assert not parse_date(one).is_before(parse_date(other))
    assert not parse_date(other).is_before(parse_date(one))


@example(date(2026, 3, 1), time(0, 0, 1), "minute")
@given(st.dates(date(1900, 1, 1), date(2099, 1, 1)), st.times(), st.sampled_from(["day", "minute", "second"]))
def test_date_reads_back_and_is_stored(day, time, precision):
    claimed = claim(datetime.combine(day, time), precision, zone=SHANGHAI)
    assert parse_date(claimed.iso()) == claimed
    work = Work(id=1, key="k", title="", kind="news", origin="", published=claimed)
    assert from_document(Work, to_document(work)) == work


@pytest.mark.parametrize(
    ("day", "zone", "iso"),
    [
        ("1988-07-01", SHANGHAI, "1988-07-01+09:00"),  # China had summer time in that year
        ("1818-01-01", SHANGHAI, "1818-01-01+08:00"),  # and its sun's time before 1901
        ("2026-07-01", NEW_YORK, "2026-07-01-04:00"),
        ("2026-01-01", NEW_YORK, "2026-01-01-05:00"),
        ("2026-01-01", zone_of("-03:30"), "2026-01-01-03:30"),
    ],
)
def test_offset_is_that_of_the_day(day, zone, iso):
    assert parse_date(day, zone=zone).iso() == iso


def test_day_has_the_offset_of_its_first_moment():
    clock_change = datetime(2026, 3, 8, 15)  # noqa: DTZ001 - at two in the morning
    assert claim(clock_change, zone=NEW_YORK).iso() == "2026-03-08-05:00"


@pytest.mark.parametrize(
    "name", ["", "Mars/Olympus", "Asia", "../etc/passwd", "+25:00", "+0", "8", "+08:00:30"]
)
def test_malformed_zone_is_refused(name):
    with pytest.raises(ValueError, match=r"is not a time zone such as Asia/Shanghai or \+08:00"):
        zone_of(name)


def test_moment_names_its_zone():
    moment = datetime(2026, 12, 31, 14, 15, 9, 999_000, tzinfo=UTC)
    assert moment_text(moment, CHINA) == "2026-12-31 22:15 +08:00"
    assert moment_text(moment, NEW_YORK, timespec="seconds") == "2026-12-31 09:15:09 -05:00"
    assert moment_text(moment, timezone(timedelta(hours=5, minutes=45))) == "2026-12-31 20:00 +05:45"


def test_equal_local_times_are_recognised_across_zones():
    china, there = parse_date("2023-12-04 22:15"), parse_date("2023-12-04 22:15", zone=NEW_YORK)
    assert china.has_same_words(there)
    assert china != there
    assert not china.has_same_words(parse_date("2023-12-04"))
    assert not china.has_same_words(parse_date("2023-12-04 22:15:00"))
    assert not china.has_same_words(ClaimedDate(at=china.at, precision="minute", offset_minutes=0))
