"""How a scan ended, judged by its crawls."""

import pytest

from storage.records import Crawl, Scan, utc_now
from tracker.scans.scanning import error_of

SCAN = Scan(id="s", trigger="schedule", sources=("a", "b"), started=utc_now())


def crawls(**states):
    return [
        Crawl(id=f"s:{name}", scan_id="s", source=name, state=state, error=f"{name} is down")
        for name, state in states.items()
    ]


@pytest.mark.parametrize(
    ("states", "error"),
    [
        ({}, None),
        ({"a": "failed", "b": "done"}, None),
        ({"a": "failed", "b": "failed"}, "a is down; b is down"),
        ({"a": "failed", "b": "failed", "closed": "done"}, "a is down; b is down"),
        ({"closed": "done"}, None),
    ],
)
def test_scan_failed_when_all_crawls_that_could_begin_did(states, error):
    assert error_of(SCAN, crawls(**states)) == error
