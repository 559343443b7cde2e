"""Settings that administrators store: changes, conflicts, secrets, the audit log, other processes."""

from datetime import timedelta

import pytest
from support.letters import mail_server
from support.timestamp_authority import timestamp_authority

from analysis.accounts.otp_keys import OneTimeKeys
from analysis.accounts.permissions import NotPermitted, identity_of
from analysis.actions.alerts import add_addressee, remove_addressee
from analysis.actions.setting_trials import NoAuthority, request_test_timestamps, send_test_mail
from analysis.actions.settings import (
    SettingChanged,
    SettingFixed,
    SettingRefused,
    remove_secret,
    save_settings,
    store_secret,
)
from analysis.health.services import setting_findings
from analysis.queries.settings import settings_overview
from analysis.words.i18n import translator
from storage.records import Account, utc_now
from storage.running.live_settings import (
    SecretKeyElsewhere,
    SecretKeyUnusable,
    encrypt_secrets_again,
    secret_key_path,
)
from system.errors import UnknownRecord
from system.secrets import StoredSecrets, find_secret
from tracker.runtime import Runtime
from tracker.scans.turns import begin_new_schedule, is_missed

pytestmark = pytest.mark.services
ADMIN, SECOND = (identity_of(Account(name=name, role="administrator")) for name in ("an", "bo"))
OPERATOR = identity_of(Account(name="op", role="operator"))
QUIET, DAILY, ADDRESSEES, RULES = (
    f"analysis.alerts.{name}" for name in ("quiet", "daily_at", "addressees", "rules")
)
PASSWORD = "analysis.notices.smtp_password"  # noqa: S105 - name of a setting
SECRET = "PINDNA_SECRET_ENGINE"  # noqa: S105 - name of a secret
LIN = {"address": {"secret": "mailto://lin:t0p@mail.example"}}


@pytest.fixture
def runtime(stores, settings, redis_client, guard, monkeypatch):
    """The services of a process that has just started."""
    monkeypatch.setattr(StoredSecrets, "find", None)
    started = Runtime(settings, stores, redis_client, guard)
    started.live_settings.serve_secrets()
    return started


@pytest.fixture
def other(runtime):
    """The services of another process on the same database."""
    return Runtime(runtime.live_settings.base, runtime.stores, runtime.redis)


def view_of(runtime, name):
    overview = settings_overview(ADMIN, runtime)
    return next(view for view in overview.settings if view.name == name)


def test_change_is_in_force_at_once_and_in_other_processes_when_read(runtime, other):
    save_settings(ADMIN, runtime, {QUIET: "22:00-07:30"})
    assert runtime.settings.analysis.alerts.quiet == "22:00-07:30"
    assert other.settings.analysis.alerts.quiet == ""
    other.live_settings.follow()
    assert other.settings.analysis.alerts.quiet == "22:00-07:30"
    save_settings(SECOND, other, {QUIET: None})
    view = view_of(runtime, QUIET)
    assert (view.value, view.origin, view.by) == ("", "default", "bo")


def test_only_administrators_change_settings(runtime):
    for act in (
        lambda: save_settings(OPERATOR, runtime, {QUIET: "22:00-07:30"}),
        lambda: store_secret(OPERATOR, runtime, SECRET, "k"),
        lambda: remove_secret(OPERATOR, runtime, SECRET),
        lambda: request_test_timestamps(OPERATOR, runtime),
    ):
        with pytest.raises(NotPermitted):
            act()
    assert settings_overview(OPERATOR, runtime).revision == 0


def test_invalid_unknown_and_dangling_values_change_nothing(runtime):
    save_settings(ADMIN, runtime, {ADDRESSEES: {"lin": LIN}, RULES: [{"to": ["lin"]}]})
    with pytest.raises(SettingRefused, match="quiet"):
        save_settings(ADMIN, runtime, {QUIET: "late", DAILY: "09:00"})
    with pytest.raises(UnknownRecord):
        save_settings(ADMIN, runtime, {"analysis.server.host": "0.0.0.0"})  # noqa: S104 - refused
    with pytest.raises(SettingRefused, match="rules"):
        save_settings(ADMIN, runtime, {ADDRESSEES: {}})
    assert view_of(runtime, DAILY).origin == "default"
    assert list(runtime.settings.analysis.alerts.addressees) == ["lin"]


def test_fixed_setting_is_refused_with_what_fixes_it(runtime, settings, monkeypatch):
    monkeypatch.setenv("PINDNA_ANALYSIS__ALERTS__QUIET", "21:00-06:00")
    alerts = settings.analysis.alerts.model_copy(update={"quiet": "21:00-06:00"})
    analysis = settings.analysis.model_copy(update={"alerts": alerts})
    fixed = settings.model_copy(update={"analysis": analysis})
    process = Runtime(fixed, runtime.stores, runtime.redis)
    with pytest.raises(SettingFixed, match="PINDNA_ANALYSIS__ALERTS__QUIET"):
        save_settings(ADMIN, process, {QUIET: ""})
    view = view_of(process, QUIET)
    assert (view.origin, view.where) == ("environment", "PINDNA_ANALYSIS__ALERTS__QUIET")


def test_second_change_of_the_same_setting_is_refused(runtime, other):
    revision_read = settings_overview(ADMIN, runtime).revision
    save_settings(ADMIN, runtime, {QUIET: "22:00-07:30"}, revision_read=revision_read)
    with pytest.raises(SettingChanged, match="an has just changed"):
        save_settings(SECOND, other, {QUIET: "", DAILY: "09:00"}, revision_read=revision_read)
    save_settings(SECOND, other, {DAILY: "09:00"}, revision_read=revision_read)
    alerts = other.settings.analysis.alerts
    assert (alerts.quiet, alerts.daily_at) == ("22:00-07:30", "09:00")


def test_secret_is_stored_encrypted_and_never_shown_or_logged(runtime, stores):
    save_settings(ADMIN, runtime, {PASSWORD: {"secret": "t0p-s3cret"}})
    store_secret(ADMIN, runtime, SECRET, "engine-k3y")
    reference = runtime.settings.analysis.notices.smtp_password
    assert find_secret(reference[2:-1]) == "t0p-s3cret"
    assert find_secret(SECRET) == "engine-k3y"
    overview = settings_overview(ADMIN, runtime)
    assert [(view.name, view.is_stored) for view in overview.secrets] == [(SECRET, True)]
    everything = (
        f"{overview} {list(stores.database['settings'].find())} {list(stores.database['events'].find())}"
    )
    assert "t0p-s3cret" not in everything
    assert "engine-k3y" not in everything
    acts = [row["detail"]["act"] for row in stores.database["events"].find({"case": 0}).sort("number", 1)]
    assert acts == ["save-setting", "store-secret"]


def test_secret_of_a_setting_is_deleted_with_its_reference(runtime):
    save_settings(ADMIN, runtime, {PASSWORD: {"secret": "first"}})
    save_settings(ADMIN, runtime, {PASSWORD: {"secret": "second"}})
    stored = runtime.stores.stored_settings.get()
    assert len(stored.ciphertexts) == 1
    save_settings(ADMIN, runtime, {PASSWORD: None})
    assert runtime.stores.stored_settings.get().ciphertexts == {}
    with pytest.raises(UnknownRecord):
        remove_secret(ADMIN, runtime, SECRET)


def test_new_key_encrypts_the_secrets_of_settings_too(runtime, other, settings):
    store_secret(ADMIN, runtime, SECRET, "k3y")
    before = runtime.stores.stored_settings.get()
    path = secret_key_path(settings)
    OneTimeKeys.of(settings, runtime.stores).add_key()
    assert encrypt_secrets_again(path, runtime.stores.stored_settings) == 1
    assert runtime.stores.stored_settings.get().ciphertexts != before.ciphertexts
    path.write_bytes(path.read_bytes().split()[0] + b"\n")  # the earlier keys are deleted
    other.live_settings.serve_secrets()
    other.live_settings.follow(max_age_s=0)
    assert find_secret(SECRET) == "k3y"
    path.write_bytes(b"x" * 44)
    with pytest.raises((SecretKeyElsewhere, SecretKeyUnusable)):
        encrypt_secrets_again(path, runtime.stores.stored_settings)


def test_lost_key_file_loses_nothing_and_makes_no_second_set(runtime, settings):
    store_secret(ADMIN, runtime, SECRET, "k3y")
    path = secret_key_path(settings)
    path.rename(path.with_name("moved"))
    with pytest.raises(SecretKeyElsewhere, match="PINDNA_SECRET_ENGINE"):
        store_secret(ADMIN, runtime, "PINDNA_SECRET_NEW", "x")
    assert not path.exists()
    save_settings(ADMIN, runtime, {QUIET: "22:00-07:30"})  # needs no key
    (view,) = settings_overview(ADMIN, runtime).secrets
    assert isinstance(view.problem, SecretKeyElsewhere)
    findings = list(setting_findings(runtime.live_settings, translator("en")))
    assert [(finding.check, finding.state) for finding in findings] == [("secrets", "wrong")]
    path.with_name("moved").replace(path)
    assert find_secret(SECRET) == "k3y"
    remove_secret(ADMIN, runtime, SECRET)
    assert find_secret(SECRET) is None


def test_damaged_key_file_refuses_new_secrets(runtime, settings):
    store_secret(ADMIN, runtime, SECRET, "k3y")
    secret_key_path(settings).write_text("damaged")
    with pytest.raises(SecretKeyUnusable):
        store_secret(ADMIN, runtime, "PINDNA_SECRET_NEW", "x")


def test_damaged_document_stops_nothing_and_keeps_its_entries(runtime, stores):
    entry = {"value": '"22:00-07:30"', "revision": 1, "by": "an", "at": utc_now()}
    rows = [{"name": QUIET, **entry}, {"name": DAILY, **entry, "value": 7}, "damaged"]
    stores.database["settings"].insert_one({"_id": "stored", "revision": 1, "values": rows})
    runtime.live_settings.follow()
    assert runtime.settings.analysis.alerts.quiet == "22:00-07:30"
    names = {problem.name for problem in settings_overview(ADMIN, runtime).problems}
    assert names == {DAILY, "values"}
    assert len(list(setting_findings(runtime.live_settings, translator("zh")))) == 2
    save_settings(ADMIN, runtime, {QUIET: ""})
    assert len(stores.database["settings"].find_one({"_id": "stored"})["values"]) == 3
    save_settings(ADMIN, runtime, {DAILY: "09:00"})
    assert {problem.name for problem in settings_overview(ADMIN, runtime).problems} == {"values"}


def test_addressee_is_added_with_its_rule_and_removed_everywhere(runtime):
    add_addressee(ADMIN, runtime, "lin", LIN, {"events": ["new-copy"]})
    add_addressee(ADMIN, runtime, "wang", LIN, {"when": "daily"})
    save_settings(ADMIN, runtime, {"analysis.alerts.groups": {"legal": ["lin", "wang"], "one": ["lin"]}})
    save_settings(ADMIN, runtime, {RULES: [{"to": ["lin", "legal"]}, {"to": ["one"]}]})
    remove_addressee(ADMIN, runtime, "lin")
    alerts = runtime.settings.analysis.alerts
    assert list(alerts.addressees) == ["wang"]
    assert alerts.groups == {"legal": ("wang",)}
    assert [rule.to for rule in alerts.rules] == [("legal",)]
    with pytest.raises(UnknownRecord):
        remove_addressee(ADMIN, runtime, "lin")


def test_new_schedule_has_missed_nothing(runtime, stores):
    now = utc_now()
    begin_new_schedule(stores, now=now - timedelta(days=1))
    save_settings(ADMIN, runtime, {"tracker.scan_schedule": "03:00"})  # as before
    assert is_missed(stores, now - timedelta(hours=1), now=now)
    save_settings(ADMIN, runtime, {"tracker.scan_schedule": "04:30"})
    assert not is_missed(stores, now - timedelta(hours=1), now=now)


def test_mail_and_authority_are_tried_with_the_stored_settings(runtime, tmp_path):
    with pytest.raises(NoAuthority):
        request_test_timestamps(ADMIN, runtime)
    with mail_server() as (inbox, server), timestamp_authority(tmp_path) as authority:
        mail = {name: getattr(server, name) for name in ("smtp_host", "smtp_port", "smtp_security", "sender")}
        values = {f"analysis.notices.{name}": value for name, value in mail.items()}
        authorities = [{"url": authority.url, "root_pem": authority.root.read_text()}]
        save_settings(ADMIN, runtime, {**values, "analysis.evidence.authorities": authorities})
        answer = send_test_mail(ADMIN, runtime, "lin@publisher.example", translator("zh"))
        (trial,) = request_test_timestamps(ADMIN, runtime)
    assert "kept as 42" in answer
    assert inbox.mails[0][:2] == (server.sender, ["lin@publisher.example"])
    assert trial.problem is None
    assert trial.time is not None
