"""What doctor finds: what each finding is about, and what is known of workers of an earlier version."""

from types import SimpleNamespace

import pytest

from analysis.health import _clock_findings as clock_findings
from analysis.health import _version_findings as version_findings
from analysis.health import alert_findings, worker_findings
from analysis.i18n import translator
from storage.records import Alert, utc_now
from storage.settings import Settings
from storage.version import VERSION
from tracker.queue import WorkerState
from tracker.queues import QUEUES

OLD = WorkerState()


@pytest.fixture
def texts():
    return translator("en")


def states_of(texts, **states):
    workers = SimpleNamespace(states=lambda: states)
    return [finding.state for finding in worker_findings(workers, texts)]


def test_queues_are_taken_from_by_nobody_only_where_that_is_known(texts):
    some = WorkerState(VERSION, frozenset({"crawl"}))
    assert states_of(texts, a=some) == ["good", "wrong"]
    assert states_of(texts, a=some, old=OLD) == states_of(texts, old=OLD) == ["good"]
    assert states_of(texts, a=WorkerState(VERSION, frozenset(QUEUES))) == ["good"]
    assert states_of(texts) == ["wrong"]


def test_a_finding_names_what_it_is_about_for_programs(texts):
    now = utc_now()
    alerts = [
        Alert(id=name, source=name, kind="empty", detail="", since=now, last=now, scan_id="s")
        for name in ("笔趣阁", "b")
    ]
    stores = SimpleNamespace(
        outbox=SimpleNamespace(count=lambda _: 0), health=SimpleNamespace(open_alerts=lambda: alerts)
    )
    told = alert_findings(stores, Settings(), texts)
    assert [(finding.check, finding.subject) for finding in told] == [("source", "笔趣阁"), ("source", "b")]
    told = clock_findings({"a:1": 0.0, "b:2": -600.0}, texts)
    assert [(finding.check, finding.subject) for finding in told] == [("clocks", "b:2")]
    told = version_findings({"a:1": VERSION, "c:3": ""}, texts)
    assert [(finding.check, finding.subject) for finding in told] == [("versions", "c:3")]
    (told,) = version_findings({"a:1": VERSION}, texts)
    assert (told.state, told.subject) == ("good", "")
