"""What doctor finds of beats and clocks, on the real servers."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from analysis.health.services import agreement_findings, beat_findings, missing_works, service_findings
from analysis.words.i18n import translator
from storage.records import Work, utc_now
from storage.running.beats import Beat, record_beat
from storage.servers.redis_client import clock_ahead_s
from system.version import VERSION
from tracker.queue import WorkerState

pytestmark = pytest.mark.services
TEXTS = translator("en")


def note(settings, name, *, ago_s, **fields):
    """Let a beat have noted itself so long ago, by the clock of Redis."""
    now = utc_now() + timedelta(seconds=clock_ahead_s(settings.storage))
    record_beat(settings.storage, Beat(name, now - timedelta(seconds=ago_s), "30 4 * * *", "UTC", **fields))


def seen(settings):
    return [(finding.check, finding.state, finding.text) for finding in beat_findings(settings, TEXTS)]


def test_missing_beat_is_reported(settings):
    ((check, state, text),) = seen(settings)
    assert (check, state) == ("schedule", "alert")
    assert text.endswith("`celery -A tracker beat`")


def test_beat_silent_for_half_a_minute_counts_as_stopped(settings):
    note(settings, "a:1", ago_s=31)
    ((check, state, text),) = seen(settings)
    assert (check, state) == ("schedule", "alert")
    assert "; a:1 last reported at " in text
    note(settings, "a:1", ago_s=20)
    schedule, tick, scan = seen(settings)
    assert schedule == ("schedule", "good", "a:1")
    assert [tick[:2], scan[:2]] == [("last-tick", "good"), ("next-scan", "good")]


def test_newest_beat_says_when_the_next_scan_is(settings):
    note(settings, "a:1", ago_s=4)
    note(settings, "b:2", ago_s=2)
    (_, _, running), (_, _, tick), (_, _, scan) = seen(settings)
    assert running == "2 are running: b:2, a:1; each task is still started only once"
    assert tick.endswith((" 2 s ago", " 3 s ago", " 4 s ago"))
    assert scan.endswith(" 04:30 (UTC; 30 4 * * *)")


def test_clocks_and_versions_of_all_programs_are_compared(settings, stores):
    workers = SimpleNamespace(states=lambda: {"w:1": WorkerState(VERSION, frozenset(), 0.0)})
    note(settings, "a:1", ago_s=0, version=VERSION)
    clocks, versions = agreement_findings(stores, workers, settings, TEXTS)
    assert (clocks.state, clocks.text) == ("good", "agree within 2 s: MongoDB, Redis, a:1, w:1")
    assert (versions.state, versions.text) == ("good", f"all run {VERSION}")
    note(settings, "b:2", ago_s=0, version="0.0.9", ahead_s=600.0)
    note(settings, "c:3", ago_s=60, version="0.0.8", ahead_s=600.0)  # it does not run any more
    findings = agreement_findings(stores, workers, settings, TEXTS)
    assert [(finding.check, finding.subject) for finding in findings] == [
        ("clocks", "b:2"),
        ("versions", "b:2"),
    ]


def test_servers_are_named_with_their_versions(settings, stores):
    findings = {finding.check: finding for finding in service_findings(stores, settings, TEXTS)}
    mongodb = findings["mongodb"]
    assert (mongodb.state, mongodb.text) == ("good", f"{stores.address}, {stores.ping()}")
    assert findings["redis"].state == "good"


def test_missing_works_are_waiting_and_failed_works(stores):
    states = ("stored", "failed", "indexed", "indexed")
    for number, status in zip(stores.works.new_ids("works", 4), states, strict=True):
        stores.works.save(Work(id=number, key=f"{number}", title="灯", kind="news", origin="", status=status))
    assert missing_works(stores) == 2
