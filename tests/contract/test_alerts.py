"""Alerts over the real stores: each addressee gets each finding once, even after interruptions."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest
from support.matches import match_with
from support.processes import environment_of
from support.receivers import Clock, http_receiver, mail_receiver

from analysis.actions import tasks
from analysis.alerts import posting, services, webhooks
from analysis.alerts.checks import checks_of
from analysis.alerts.packing import Packer
from analysis.alerts.running import run_alerts
from analysis.alerts.sending import LEASE, Sender
from analysis.cases.moves import move
from storage.collections import checked
from storage.collections.outbox import delivery_id
from storage.records import CHINA, Delivery, Event, Message, Occasion, Scan
from storage.settings.alerts import AlertSettings
from storage.settings.results import AnalysisSettings, CaseSettings
from system.errors import BadSettings
from tracker.judgement.cases import refresh_cases
from tracker.runtime import open_runtime

pytestmark = pytest.mark.services
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - of the tests
OPS = {"webhook": "${PINDNA_SECRET_OPS}", "secret": "${PINDNA_SECRET_KEY}"}
LIN = {"address": "${PINDNA_SECRET_LIN}", "language": "zh"}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ops(monkeypatch):
    """A program that takes webhooks."""
    with http_receiver() as receiver:
        monkeypatch.setenv("PINDNA_SECRET_OPS", f"{receiver.url}/hook-t0ken")
        monkeypatch.setenv("PINDNA_SECRET_KEY", SECRET)
        yield receiver


@pytest.fixture
def lin(monkeypatch):
    """A person who reads mail."""
    with mail_receiver() as receiver:
        monkeypatch.setenv("PINDNA_SECRET_LIN", receiver.address)
        yield receiver


@pytest.fixture
def run(stores, settings, clock):
    """A function that runs alerts once with given rules; each run is a minute later."""

    def run_once(*rules, addressees=None, checks=None, **more):
        alerts = {"addressees": addressees or {"ops": OPS}, "rules": rules or [{"to": ["ops"]}], **more}
        analysis = AnalysisSettings(alerts=AlertSettings.model_validate(alerts))
        clock.forward(minutes=1)
        own = settings.model_copy(update={"analysis": analysis})
        return run_alerts(stores, own, checks=checks or {}, clock=clock)

    return run_once


@pytest.fixture
def find(stores, save_work, clock):
    """A function that stores a copy at an address of example.cn, as a comparison does."""
    save_work(1, {1: "文"}, holder="某某出版社")

    def copy(name, *, version="1", **fields):
        page = f"{name}@{version}"
        match = match_with(
            id=f"{page}:1:novel",
            page_id=page,
            site="example.cn",
            url=f"http://example.cn/{name}",
            work_title="书1",
            copied_chars=812,
            **fields,
        )
        stores.matches.replace_for_pages({page: [match]})
        refresh_cases(stores, [(1, "example.cn")], now=clock())
        return stores.cases.find("1@example.cn")

    return copy


def told(receiver):
    """Return the received events in order; repeated mailings, recognised by their ids, are left out."""
    mailings = {request.headers["webhook-id"]: json.loads(request.body) for request in receiver.requests}
    return [event for mailing in mailings.values() for event in mailing["events"]]


def kinds(receiver):
    return [event["kind"] for event in told(receiver)]


def test_alert_says_that_a_copy_is_outside_the_article(run, find, ops):
    run()
    find("1.html", part="rest")
    find("2.html")
    assert run().sent == 1
    outside = "The copied text is outside the article. Check the page before you decide."
    assert {event["url"]: event["detail"] for event in told(ops)} == {
        "http://example.cn/1.html": outside,
        "http://example.cn/2.html": None,
    }


def deliveries(count, *, addressee="ops", cadence="at-once", due=None):
    return [
        Delivery(
            id=delivery_id(f"o{number}", addressee),
            addressee=addressee,
            cadence=cadence,
            due=due or Clock().now,
            occasion=Occasion(
                id=f"o{number}",
                kind="new-copy",
                at=Clock().now,
                work="青灯渡",
                site="example.cn",
                verdict="copy",
                copied_chars=number,
                case=f"c{number}",
            ),
        )
        for number in range(count)
    ]


def test_copy_is_reported_once_for_the_same_finding(run, find, ops):
    run()  # from here on
    find("1.html")
    assert run().sent == 1
    (event,) = told(ops)
    assert (event["kind"], event["work"], event["holder"]) == (
        "new-copy",
        {"id": 1, "title": "书1"},
        "某某出版社",
    )
    assert (event["url"], event["copied_chars"], event["case"]) == ("http://example.cn/1.html", 812, "c1")
    find("1.html")  # the next scan sees it again
    find("1.html", version="2")
    for _ in range(3):
        assert run().sent == 0
    assert len(ops.requests) == 1


def test_events_before_the_first_rule_are_not_reported(run, find, ops):
    find("1.html")
    assert run().new == 0
    find("2.html")
    assert run().new == 1
    assert [event["url"] for event in told(ops)] == ["http://example.cn/2.html"]


def test_removed_returned_and_reopened_cases_are_reported(run, find, ops, stores, clock):
    run()
    case = find("1.html")
    for to in ("confirmed", "removed", "back", "closed", "new"):
        clock.forward(seconds=1)
        case = move(case, stores, to=to, by="林", at=clock())
    run()
    assert kinds(ops) == ["new-copy", "removed", "back", "case-reopened"]
    assert {event["state"] for event in told(ops)} == {"new"}


def test_event_that_is_stored_late_is_reported(run, ops, stores, clock):
    run()
    late, known = (
        Event(id=f"c9+m{number}", case=9, kind="joined", at=clock(), by="pindna", subject=f"m{number}")
        for number in (1, 2)
    )
    stores.database["counters"].update_one({"_id": "events"}, {"$inc": {"value": 1}}, upsert=True)
    drawn = stores.events.last_number()
    stores.events.add_many([known])
    clock.now = stores.events.get(known.id).stored + timedelta(minutes=5)
    run()
    assert [event["id"] for event in told(ops)] == ["new-copy:c9:m2"]
    stores.database["events"].insert_one(
        {
            **stores.database["events"].find_one({"_id": known.id}),
            "_id": late.id,
            "subject": "m1",
            "number": drawn,
        }
    )
    run()
    assert [event["id"] for event in told(ops)] == ["new-copy:c9:m2", "new-copy:c9:m1"]


def test_source_and_scan_alerts_are_reported_once_for_every_occurrence(run, ops, stores, clock):
    run()
    hostile = Message("{why}", {"why": "<b>@all</b>"})
    for kind in ("blocked", "collapsed", "unreadable"):
        stores.health.raise_alert("daily", kind, detail="x", scan_id="s1", message=hostile)
    scan = Scan(id="s1", trigger="schedule", sources=("daily",), started=clock.now)
    stores.scans.open(scan)
    stores.scans.finish(
        Scan(**{**_fields(scan), "status": "failed", "finished": clock.now, "error": "no network"})
    )
    run()
    assert sorted(kinds(ops)) == ["coverage-fell", "scan-failed", "source-banned", "source-failing"]
    stores.health.raise_alert("daily", "blocked", detail="y", scan_id="s2")  # it still holds
    run()
    assert len(told(ops)) == 4
    stores.health.close_alerts("daily")
    stores.health.raise_alert("daily", "blocked", detail="z", scan_id="s3")
    run()
    assert kinds(ops)[4:] == ["source-banned"]


def _fields(record):
    return {name: getattr(record, name) for name in record.__slots__}


def test_lasting_problem_is_reported_once_until_it_is_resolved(run, ops, clock):
    wrong, right = ({"index-unhealthy": lambda said=said: said} for said in (Message("it is empty"), None))
    run(checks=wrong)
    assert kinds(ops) == []  # it may mend itself
    for _ in range(4):
        clock.forward(minutes=10)
        run(checks=wrong)
    assert kinds(ops) == ["index-unhealthy"]
    assert told(ops)[0]["detail"] == "it is empty"
    for checks in (right, wrong, wrong):
        clock.forward(minutes=10)
        run(checks=checks)
    assert kinds(ops) == ["index-unhealthy"] * 2


def test_deadline_is_reported_once_when_near_and_again_after_a_change(run, find, ops, stores, clock):
    run()
    case = find("1.html")
    for days in (10, 2):
        detail = {"deadline": (clock.now + timedelta(days=days)).isoformat()}
        case = move(case, stores, to="confirmed", by="林", at=clock(), detail=detail)
        for _ in range(2):
            clock.forward(minutes=10)
            run({"to": ["ops"], "events": ["deadline-near"]})
        if days == 10:
            assert kinds(ops) == []
            case = move(case, stores, to="new", by="林", at=clock())
    (event,) = told(ops)
    assert (event["case"], event["state"], event["deadline"]) == (
        "c1",
        "confirmed",
        case.deadline.isoformat(),
    )


def test_deadline_from_the_settings_is_reported_once_when_near(run, find, ops, clock):
    rule = {"to": ["ops"], "events": ["deadline-near"]}
    run(rule)
    find("1.html")
    days = CaseSettings().decision_days
    assert days > 3
    for _ in range(int(days) * 2 + 4):
        clock.forward(hours=12)
        run(rule)
    (event,) = told(ops)
    assert (event["kind"], event["state"]) == ("deadline-near", "new")


def test_failing_check_delays_no_alert(run, find, ops):
    def elsewhere():
        raise BadSettings(where="x", problem="y")

    run(checks={"log-broken": elsewhere})
    find("1.html")
    run(checks={"log-broken": elsewhere})
    assert kinds(ops) == ["new-copy"]


@pytest.mark.usefixtures("works")
def test_checks_detect_a_lost_index_and_an_altered_log(stores, settings):
    runtime = open_runtime(settings)
    with closing(runtime):
        checks = checks_of(runtime)
        assert [check() for check in checks.values()] == [None, None]
        runtime.redis.flushdb()
        stores.database["evidence_log"].update_many({}, {"$set": {"size": 7}})
        problems = {kind: str(check()) for kind, check in checks.items()}
    assert "index" in problems["index-unhealthy"]
    assert "altered" in problems["log-broken"]


def test_quiet_hours_and_digests_delay_alerts_and_lose_nothing(run, find, ops, lin, clock):
    people = {"ops": {**OPS, "quiet": "22:00-07:00"}, "lin": LIN}
    rules = [{"to": ["ops"]}, {"to": ["lin"], "when": "daily"}]
    clock.now = clock.now.replace(hour=15)  # 23:00 in Shanghai
    run(*rules, addressees=people)
    for name in ("1.html", "2.html"):
        find(name)
        assert run(*rules, addressees=people).sent == 0
    clock.forward(hours=7, minutes=58)  # 07:01
    run(*rules, addressees=people)
    assert (len(ops.requests), len(told(ops)), lin.mails) == (1, 2, [])
    clock.forward(hours=1)
    run(*rules, addressees=people)
    run(*rules, addressees=people)
    (mail,) = lin.mails
    assert mail.get_content_type() == "text/plain"
    assert "书1" in mail.get_content()


class Killed(BaseException):
    """The process was killed: none of its later steps happens."""


@contextmanager
def killed_at(step, monkeypatch):
    """Let the process die before its ``step``-th call of the database; ``calls`` says how many there were."""
    calls = [0]
    whole = checked.mongo_errors

    @contextmanager
    def counted(database):
        calls[0] += 1
        if calls[0] >= step:
            raise Killed
        with whole(database):
            yield

    with monkeypatch.context() as patched:
        patched.setattr(checked, "mongo_errors", counted)
        yield calls


def test_killed_run_reports_everything_later_and_repeats_keep_their_id(run, find, ops, clock, monkeypatch):
    run()
    step, through = 1, False
    while not through:
        find(f"{step}.html")
        with killed_at(step, monkeypatch):
            try:
                run()
                through = True
            except Killed:
                pass
        clock.forward(minutes=6)
        run()
        assert f"http://example.cn/{step}.html" in {event["url"] for event in told(ops)}, step
        step += 1
    assert step > 15
    bodies = {request.headers["webhook-id"]: set() for request in ops.requests}
    for request in ops.requests:
        bodies[request.headers["webhook-id"]].add(request.body)
    assert all(len(own) == 1 for own in bodies.values())
    urls = [event["url"] for event in told(ops)]
    assert len(urls) == len(set(urls)) == step - 1


_DIE_AFTER_SENDING = """
import os, signal
from storage.collections.outbox import OutboxStore
from storage.collections.stores import open_stores
from storage.settings import load_settings
from system.errors import BadSettings
from storage.records import CHINA
from analysis.alerts.sending import Sender
OutboxStore.record_sent = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
settings = load_settings()
Sender(open_stores(settings.storage).outbox, settings.analysis.alerts, CHINA).send_all()
"""


def test_process_killed_after_sending_repeats_with_the_same_id(stores, settings, ops):
    clock = Clock()
    alerts = AlertSettings(addressees={"ops": OPS})
    stores.outbox.add(deliveries(2))
    assert Packer(stores.outbox, alerts, CHINA, clock()).pack_all(keep=lambda: True) == 1
    environment = environment_of(settings) | {
        "PINDNA_ANALYSIS__ALERTS": json.dumps({"addressees": {"ops": OPS}})
    }
    done = subprocess.run(
        [sys.executable, "-c", _DIE_AFTER_SENDING], env=environment, check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    sender = Sender(stores.outbox, alerts, CHINA)
    assert sender.send_all() == 0  # its lease holds
    later = Sender(stores.outbox, alerts, CHINA, lambda: webhooks.datetime.now(webhooks.UTC) + LEASE)
    assert later.send_all() == 1
    first, second = ops.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    assert sender.send_all() == 0


def test_task_runs_with_the_settings_and_checks_of_a_worker(settings, stores, ops, find, monkeypatch):
    rules = {"addressees": {"ops": OPS}, "rules": [{"to": ["ops"]}]}
    analysis = AnalysisSettings(alerts=AlertSettings.model_validate(rules))
    with closing(open_runtime(settings.model_copy(update={"analysis": analysis}))) as runtime:
        monkeypatch.setattr(tasks, "worker_runtime", lambda: runtime)
        assert tasks.tell_alerts() == {"new": 0, "packed": 0, "sent": 0}
        find("1.html")
        assert tasks.tell_alerts() == {"new": 1, "packed": 1, "sent": 1}
    assert kinds(ops) == ["new-copy"]
    assert stores.outbox.count("sent") == 1


def test_dead_receiver_delays_no_other_and_is_retried_less_and_less(stores, ops, clock, monkeypatch):
    monkeypatch.setattr(posting, "TIMEOUT_S", (0.1, 0.1))
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes the connection and says nothing
        monkeypatch.setenv("PINDNA_SECRET_DEAD", f"http://127.0.0.1:{silent.getsockname()[1]}/t0ken")
        dead = {**OPS, "webhook": "${PINDNA_SECRET_DEAD}"}
        alerts = AlertSettings.model_validate({"addressees": {"dead": dead, "ops": OPS}, "give_up_days": 1})
        stores.outbox.add([*deliveries(50, addressee="dead"), *deliveries(150)])
        assert Packer(stores.outbox, alerts, CHINA, clock()).pack_all(keep=lambda: True) == 3
        sender = Sender(stores.outbox, alerts, CHINA, clock)
        assert sender.send_all() == 2
        waits = []
        while waiting := [
            mailing for mailing in stores.outbox.listed("waiting", limit=9) if mailing.attempts
        ]:
            waits.append(waiting[0].due - clock())
            clock.now = waiting[0].due
            sender.send_to("dead")
    assert waits[:3] == [timedelta(minutes=minutes) for minutes in (1, 2, 4)]
    assert max(waits) == timedelta(hours=6)
    failed = stores.outbox.listed("failed", limit=9)
    assert [str(mailing.error) for mailing in failed] == ["it did not answer in time"]
    monkeypatch.setenv("PINDNA_SECRET_DEAD", f"{ops.url}/alive")
    assert stores.outbox.retry_failed(now=clock()) == 1
    assert sender.send_all() == 1
    assert len(told(ops)) == 200


@pytest.mark.parametrize("status", [302, 307, 400, 410, 500, 503])
def test_only_a_success_status_counts_as_delivered_and_redirects_stop(stores, ops, clock, status):
    alerts = AlertSettings(addressees={"ops": OPS})
    stores.outbox.add(deliveries(1))
    Packer(stores.outbox, alerts, CHINA, clock()).pack_all(keep=lambda: True)
    ops.status, ops.location = status, f"{ops.url}/elsewhere"
    assert Sender(stores.outbox, alerts, CHINA, clock).send_all() == 0
    assert [request.path for request in ops.requests] == ["/hook-t0ken"]
    (mailing,) = stores.outbox.listed("waiting", limit=9)
    assert f"HTTP {status}" in str(mailing.error)
    assert "t0ken" not in str(mailing)


def test_very_many_copies_become_a_bounded_digest(stores, lin, clock):
    alerts = AlertSettings.model_validate({"addressees": {"lin": LIN}})
    stores.outbox.add(deliveries(600, addressee="lin", cadence="daily"))
    assert Packer(stores.outbox, alerts, CHINA, clock()).pack_all(keep=lambda: True) == 1
    assert Sender(stores.outbox, alerts, CHINA, clock).send_all() == 1
    (mail,) = lin.mails
    assert "600" in mail["subject"]
    assert len(mail.get_content().encode()) <= services.MAX_BYTES
    assert "X-Pindna-Alert" in mail


def test_temporary_refusal_of_a_mail_server_is_retried(stores, lin, clock):
    alerts = AlertSettings.model_validate({"addressees": {"lin": LIN}})
    stores.outbox.add(deliveries(1, addressee="lin"))
    Packer(stores.outbox, alerts, CHINA, clock()).pack_all(keep=lambda: True)
    sender = Sender(stores.outbox, alerts, CHINA, clock)
    lin.answer = "451 try again later"
    assert sender.send_all() == 0
    assert "127.0.0.1" not in str(stores.outbox.listed("waiting", limit=1)[0].error)
    lin.answer = "250 OK"
    clock.forward(minutes=1)
    assert (sender.send_all(), len(lin.mails)) == (1, 1)


@pytest.mark.usefixtures("ops")
def test_secret_that_is_not_set_is_named_and_tried_again(stores, clock, monkeypatch):
    alerts = AlertSettings(addressees={"ops": OPS})
    stores.outbox.add(deliveries(1))
    Packer(stores.outbox, alerts, CHINA, clock()).pack_all(keep=lambda: True)
    monkeypatch.delenv("PINDNA_SECRET_KEY")
    sender = Sender(stores.outbox, alerts, CHINA, clock)
    assert sender.send_all() == 0
    assert "PINDNA_SECRET_KEY" in str(stores.outbox.listed("waiting", limit=1)[0].error)
    monkeypatch.setitem(os.environ, "PINDNA_SECRET_KEY", SECRET)
    clock.forward(minutes=1)
    assert sender.send_all() == 1


def test_sent_content_is_erased_in_time_but_the_fact_stays(run, ops, stores, clock):
    run()
    stores.outbox.add(deliveries(3))
    assert run().sent == 1
    clock.forward(days=179)
    run()
    assert stores.outbox.count("sent") == 1
    clock.forward(days=2)
    run()
    assert stores.outbox.count("sent") == 0
    assert [row["occasion"] for row in stores.outbox._outbox.find({})] == [{}] * 3
    assert stores.outbox.add(deliveries(3)) == 0
    assert run().sent == 0
    assert len(told(ops)) == 3


def test_concurrent_programs_take_turns_and_send_nothing_twice(stores, clock):
    first = stores.outbox.claim_turn(now=clock(), lease_s=60)
    assert first
    assert stores.outbox.claim_turn(now=clock(), lease_s=60) is None
    clock.forward(seconds=61)
    second = stores.outbox.claim_turn(now=clock(), lease_s=60)
    assert second
    assert not stores.outbox.extend_turn(first, now=clock(), lease_s=60)
    alerts = AlertSettings(addressees={"ops": OPS})
    stores.outbox.add(deliveries(1))
    Packer(stores.outbox, alerts, CHINA, clock()).pack_all(keep=lambda: True)
    (mailing,) = stores.outbox.ready("ops", now=clock(), limit=9)
    claimed = [stores.outbox.claim(mailing, until=clock() + LEASE) for _ in range(2)]
    assert [bool(own) for own in claimed] == [True, False]


def test_clock_set_back_stops_no_alert(run, ops, stores, clock):
    run(checks={"log-broken": lambda: None})
    ahead = clock() + timedelta(days=365)
    assert stores.outbox.claim_turn(now=ahead, lease_s=120)  # by a killed process
    for name in ("log-broken", "scans"):
        stores.outbox.set_moment(name, ahead)
    broken = {"log-broken": lambda: Message("leaf 3")}
    scan = Scan(id="s1", trigger="schedule", sources=("daily",), started=clock.now)
    stores.scans.open(scan)
    stores.scans.finish(
        Scan(**{**_fields(scan), "status": "failed", "finished": clock.now, "error": "no network"})
    )
    run(checks=broken)
    clock.forward(minutes=10)
    run(checks=broken)
    assert sorted(kinds(ops)) == ["log-broken", "scan-failed"]


@pytest.mark.parametrize("others", [{}, {"lin": LIN}])
def test_delivery_to_a_removed_addressee_says_so_and_is_abandoned(ops, stores, clock, others):
    before = AlertSettings.model_validate({"addressees": {"ops": OPS}})
    stores.outbox.add(deliveries(1))
    Packer(stores.outbox, before, CHINA, clock()).pack_all(keep=lambda: True)
    after = Sender(stores.outbox, AlertSettings.model_validate({"addressees": others}), CHINA, clock)
    after.send_all()
    (waiting,) = stores.outbox.listed("waiting", limit=9)
    assert str(waiting.error) == "the settings contain no addressee “ops”"
    clock.forward(days=3)
    after.send_all()
    assert stores.outbox.count("failed") == 1
    assert stores.outbox.retry_failed(now=clock()) == 1
    assert Sender(stores.outbox, before, CHINA, clock).send_all() == 1
    assert len(told(ops)) == 1
