"""Pauses: our own, and those that a site names."""

from datetime import UTC, datetime

import pytest

from crawler.middlewares.backoff import pause_s, retry_after

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"120", 120),
        (b" 0 ", 0),
        (b"Sun, 01 Mar 2026 12:02:00 GMT", 120),
        (b"Sun, 01 Mar 2026 11:00:00 GMT", 0),
        (b"99999999999999999999999999", 999_999_999),
        (b"-5", None),
        (b"Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        (b"Mon, 01 Jan 0001 00:00:00 +1400", 0),
        (b"soon", None),
        (b"", None),
        (None, None),
        ("²".encode("latin-1"), None),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(value, now=NOW) == seconds


def test_pauses_grow_to_a_bound():
    assert 0.5 <= pause_s(1) <= 1.5
    assert 2 <= pause_s(3) <= 6
    assert 30 <= pause_s(50) <= 90
