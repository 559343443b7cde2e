"""``pindna alert``: who is told, whether it reaches them, what is on its way; and no secret in any output."""

import json

import pytest
from support.commands import run_command
from support.processes import environment_of
from support.receivers import http_receiver

from analysis.alerts.packing import Packer
from analysis.alerts.sending import Sender
from storage.collections.outbox import delivery_id
from storage.records import CHINA, Delivery, Occasion, utc_now
from storage.settings.alerts import AlertSettings

pytestmark = pytest.mark.services
OPS = {"webhook": "${PINDNA_SECRET_OPS}", "secret": "${PINDNA_SECRET_KEY}"}
SETTINGS = """
[analysis.alerts]
quiet = "22:00-07:00"

[analysis.alerts.addressees.ops]
webhook = "${PINDNA_SECRET_OPS}"
secret = "${PINDNA_SECRET_KEY}"

[analysis.alerts.addressees.lin]
address = "${PINDNA_SECRET_LIN}"
language = "zh"

[analysis.alerts.groups]
all = ["ops", "lin"]

[[analysis.alerts.rules]]
to = ["all"]
events = ["new-copy", "back"]
works = ["青灯渡"]
min_chars = 300
"""
KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture
def ops():
    with http_receiver() as receiver:
        yield receiver


@pytest.fixture
def alert(settings, ops, tmp_path):
    """A function that runs ``pindna alert …`` beside a settings file and returns what it printed."""
    (tmp_path / "pindna.toml").write_text(SETTINGS, encoding="utf-8")
    secrets = {"PINDNA_SECRET_OPS": f"{ops.url}/hook-t0ken", "PINDNA_SECRET_KEY": KEY}

    def run(*words, status=0, **more):
        environment = {**environment_of(settings), **secrets, **more}
        done = run_command("alert", *words, environment=environment, folder=tmp_path, status=status)
        assert not [part for part in ("t0ken", KEY, "dingtalk") if part in done.stdout + done.stderr]
        return done

    return run


def test_alert_list_shows_addressees_rules_and_missing_secrets(alert):
    shown = alert("list", COLUMNS="200").stdout
    assert [
        word for word in ("ops", "lin", "PINDNA_SECRET_LIN", "New copy", "青灯渡") if word not in shown
    ] == []
    rows = [json.loads(line) for line in alert("list", "--json").stdout.splitlines()]
    assert [row["type"] for row in rows] == ["addressee", "addressee", "rule"]
    assert [row["missing"] for row in rows[:2]] == [[], ["PINDNA_SECRET_LIN"]]


def test_alert_test_prints_the_answer(alert, ops):
    assert "HTTP 204" in alert("test", "ops").stdout
    assert json.loads(ops.requests[0].body)["events"][0]["kind"] == "test"
    ops.status, ops.location = 301, "http://127.0.0.1:1/"
    assert "HTTP 301; redirects are not followed" in alert("test", "ops", status=3).stderr


def test_test_that_cannot_be_sent_says_why_in_a_line(alert):
    assert "PINDNA_SECRET_LIN" in alert("test", "lin", status=2).stderr
    unknown = alert("test", "lin", status=3, PINDNA_SECRET_LIN="dingtalks://t0ken")  # noqa: S106 - of no service
    assert "apprise does not support" in unknown.stderr
    assert "lin" in alert("test", "lim", status=2).stderr


def test_outbox_shows_abandoned_mailings_and_retries_them(alert, ops, stores):
    alerts = AlertSettings.model_validate({"addressees": {"ops": OPS}, "give_up_days": 1e-9})
    now = utc_now()
    one = Occasion(id="o", kind="back", at=now, work="青灯渡")
    row = Delivery(id=delivery_id("o", "ops"), addressee="ops", cadence="at-once", due=now, occasion=one)
    stores.outbox.add([row])
    Packer(stores.outbox, alerts, CHINA, now).pack_all(keep=lambda: True)
    assert Sender(stores.outbox, alerts, CHINA).send_all() == 0  # its secrets are not set here
    (shown,) = [json.loads(line) for line in alert("outbox", "--json").stdout.splitlines()]
    assert (shown["state"], shown["attempts"], shown["alerts"]) == ("failed", 1, 1)
    assert "PINDNA_SECRET_OPS" in shown["error"]
    alert("outbox", "--retry")
    assert json.loads(alert("outbox", "--state", "waiting", "--json").stdout)["state"] == "waiting"
    assert alert("outbox", "--state", "sent").stdout == ""
    assert ops.requests == []
