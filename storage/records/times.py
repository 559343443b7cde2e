"""The clock of every record."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Return the present time as aware UTC, cut to whole milliseconds as MongoDB stores it."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
