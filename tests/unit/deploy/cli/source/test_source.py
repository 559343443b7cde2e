"""What `pindna source list` says of a source."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from deploy.cli.source.source_list import hours_line
from storage.records import Source


def test_hours_of_enabled_sources_are_shown_with_their_zone():
    opens = datetime.now(UTC) + timedelta(hours=2)
    hours = f"{opens:%H:%M}-{opens + timedelta(hours=1):%H:%M}"
    source = Source(name="s", kind="urls", hours=(hours,), timezone="+00:00")
    assert hours_line(source).startswith(f"outside its hours ({hours}, +00:00) until ")
    assert hours_line(replace(source, enabled=False)) == hours_line(replace(source, hours=())) == ""
