"""Settings of a running process: when it reads the stored ones again, and what an outage changes."""

import json

import pytest

from storage.records import utc_now
from storage.records.stored_settings import StoredEntry, StoredSettings
from storage.running import live_settings
from storage.running.live_settings import (
    FOLLOW_S,
    LiveSettings,
    SecretKeyElsewhere,
    SecretKeyUnusable,
    secret_key_path,
)
from storage.settings import load_settings
from system.errors import ServiceDown
from system.key_ring import KeyRing
from system.secrets import StoredSecrets, find_secret, stored_environment

NAME = "PINDNA_SECRET_STORED"


def stored(revision, *, secrets=(), **values):
    """Return a record with settings of alerts."""

    def entry(name, value):
        return StoredEntry(name=name, value=value, revision=revision, by="an", at=utc_now())

    rows = tuple(entry(f"analysis.alerts.{name}", json.dumps(value)) for name, value in values.items())
    return StoredSettings(revision=revision, values=rows, secrets=tuple(entry(*row) for row in secrets))


@pytest.fixture
def base(tmp_path):
    return load_settings(storage={"data_dir": tmp_path})


@pytest.fixture
def now(monkeypatch):
    """The clock, which a test sets."""
    moment = [0.0]
    monkeypatch.setattr(live_settings.time, "monotonic", lambda: moment[0])
    return moment


def test_change_is_in_force_after_the_interval_and_not_read_before(base, now):
    answers = [stored(1, quiet="22:00-07:00"), stored(2, quiet="23:00-07:00")]
    live = LiveSettings(base, lambda: answers.pop(0))
    for moment, quiet in ((0, "22:00-07:00"), (FOLLOW_S - 1, "22:00-07:00"), (FOLLOW_S, "23:00-07:00")):
        now[0] = moment
        live.follow()
        assert live.state.settings.analysis.alerts.quiet == quiet
    assert live.base.analysis.alerts.quiet == ""


def test_outage_keeps_the_last_settings_and_is_logged(base, now, caplog):
    answers = [stored(1, quiet="22:00-07:00")]

    def read():
        if answers:
            return answers.pop()
        raise ServiceDown(service="MongoDB", address="db:1", problem="no")

    live = LiveSettings(base, read)
    assert not live.is_read
    live.follow()
    now[0] = FOLLOW_S
    live.follow()
    assert live.is_read
    assert live.state.settings.analysis.alerts.quiet == "22:00-07:00"
    assert "MongoDB at db:1" in caplog.text


def test_stored_secret_is_used_unless_the_environment_has_it(base, monkeypatch):
    monkeypatch.setattr(StoredSecrets, "find", None)
    ring = KeyRing(secret_key_path(base), SecretKeyUnusable)
    ring.create()
    live = LiveSettings(base, lambda: stored(1, secrets=[(NAME, ring.encrypt(NAME, "s3cret"))]))
    live.follow()
    assert find_secret(NAME) is None
    live.serve_secrets()
    assert find_secret(NAME) == "s3cret"
    assert stored_environment(f"a ${{{NAME}}} b ${{PATH}} ${{PINDNA_SECRET_NONE}}") == {NAME: "s3cret"}
    monkeypatch.setenv(NAME, "outside")
    assert find_secret(NAME) == "outside"
    assert stored_environment(f"${{{NAME}}}") == {}


def test_lost_and_damaged_key_files_are_errors_with_the_path(base):
    ring = KeyRing(secret_key_path(base), SecretKeyUnusable)
    ring.create()
    live = LiveSettings(base, lambda: stored(1, secrets=[(NAME, ring.encrypt(NAME, "s3cret"))]))
    live.follow()
    ring.path.rename(ring.path.with_name("moved"))
    with pytest.raises(SecretKeyElsewhere, match=f"{NAME} .*{ring.path}"):
        live.find_secret(NAME)
    ring.path.write_text("damaged")
    ring.path.chmod(0o600)
    with pytest.raises(SecretKeyUnusable, match=str(ring.path)):
        live.find_secret(NAME)
    ring.path.with_name("moved").replace(ring.path)
    assert live.find_secret(NAME) == "s3cret"
