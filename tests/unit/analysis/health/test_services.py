"""What doctor finds: what each finding is about, and what is known of workers of an earlier version."""

from types import SimpleNamespace

import pytest

from analysis.health import services as health
from analysis.health.services import Workers, alert_findings, worker_findings, works_findings
from analysis.health.services import _clock_findings as clock_findings
from analysis.health.services import _version_findings as version_findings
from analysis.words.i18n import translator
from storage.records import Alert, utc_now
from storage.settings import Settings
from system.errors import ServiceDown
from system.version import VERSION
from tracker.queue import WorkerState
from tracker.queues import QUEUES

OLD = WorkerState()


@pytest.fixture
def texts():
    return translator("en")


def states_of(texts, **states):
    workers = SimpleNamespace(states=lambda: states)
    return [finding.state for finding in worker_findings(workers, texts)]


def test_queues_without_workers_are_reported_only_if_certain(texts):
    crawl_worker = WorkerState(VERSION, frozenset({"crawl"}))
    assert states_of(texts, a=crawl_worker) == ["good", "wrong"]
    assert states_of(texts, a=crawl_worker, old=OLD) == states_of(texts, old=OLD) == ["good"]
    assert states_of(texts, a=WorkerState(VERSION, frozenset(QUEUES))) == ["good"]
    assert states_of(texts) == ["wrong"]


def test_finding_has_a_machine_readable_subject(texts):
    now = utc_now()
    alerts = [
        Alert(id=name, source=name, kind="empty", detail="", since=now, last=now, scan_id="s")
        for name in ("笔趣阁", "b")
    ]
    stores = SimpleNamespace(
        outbox=SimpleNamespace(count=lambda _: 0), health=SimpleNamespace(open_alerts=lambda: alerts)
    )
    findings = alert_findings(stores, Settings(), texts)
    assert [(finding.check, finding.subject) for finding in findings] == [
        ("source", "笔趣阁"),
        ("source", "b"),
    ]
    findings = clock_findings({"a:1": 0.0, "b:2": -600.0}, texts)
    assert [(finding.check, finding.subject) for finding in findings] == [("clocks", "b:2")]
    findings = version_findings({"a:1": VERSION, "c:3": ""}, texts)
    assert [(finding.check, finding.subject) for finding in findings] == [("versions", "c:3")]
    (findings,) = version_findings({"a:1": VERSION}, texts)
    assert (findings.state, findings.subject) == ("good", "")


def down():
    raise ServiceDown(service="RabbitMQ", address="a:1", problem="refused")


def test_clock_may_be_two_seconds_off(texts):
    (finding,) = clock_findings({"b:2": -2.0, "a:1": 2.0}, texts)
    assert (finding.state, finding.text) == ("good", "agree within 2 s: a:1, b:2")
    assert [
        (finding.state, finding.text) for finding in clock_findings({"b:2": -2.6, "a:1": 3.4}, texts)
    ] == [
        ("alert", "a:1 is 3 s ahead of this machine; synchronise both with NTP"),
        ("alert", "b:2 is 3 s behind this machine; synchronise both with NTP"),
    ]


def test_only_programs_with_another_version_are_listed(texts):
    (finding,) = version_findings({"b:2": "0.0.9", "a:1": VERSION}, texts)
    assert (finding.state, finding.text) == ("alert", f"b:2 runs 0.0.9; this is {VERSION}")
    (finding,) = version_findings({"a:1": ""}, texts)
    assert finding.text == f"a:1 runs an earlier version; this is {VERSION}"
    assert list(version_findings({}, texts)) == []


def test_works_that_are_not_in_the_index_are_counted(texts):
    assert list(works_findings(0, texts)) == []
    (finding,) = works_findings(1, texts)
    (two,) = works_findings(2, texts)
    assert (finding.state, finding.text[:11], two.text[:11]) == ("alert", "1 work is s", "2 works are")


def test_messages_that_did_not_get_through_are_counted(texts):
    counts = {"failed": 2}
    stores = SimpleNamespace(
        outbox=SimpleNamespace(count=counts.get), health=SimpleNamespace(open_alerts=list)
    )
    (finding,) = alert_findings(stores, Settings(), texts)
    assert (finding.check, finding.state, finding.text[:25]) == (
        "alerts",
        "alert",
        "2 alert messages were not",
    )
    counts["failed"] = 0
    assert list(alert_findings(stores, Settings(), texts)) == []


def test_service_that_does_not_answer_is_a_finding(texts):
    workers = SimpleNamespace(states=down)
    (finding,) = worker_findings(workers, texts)
    assert (finding.check, finding.state, finding.text[:8]) == ("worker", "wrong", "RabbitMQ")
    stores = SimpleNamespace(outbox=SimpleNamespace(count=lambda _: down()))
    (finding,) = alert_findings(stores, Settings(), texts)
    assert (finding.check, finding.state) == ("alerts", "wrong")


def test_workers_are_queried_once_in_fifteen_seconds(monkeypatch):
    now, calls = [100.0], []
    monkeypatch.setattr(health, "time", SimpleNamespace(monotonic=lambda: now[0]))
    answers = {"a:1": OLD}
    workers = Workers(SimpleNamespace(states=lambda *, timeout_s: calls.append(timeout_s) or answers))
    for moment in (100.0, 114.9, 115.0, 129.9, 130.0):
        now[0] = moment
        assert workers.states() == answers
    assert calls == [2.0] * 3
