"""Settings: where they come from, in which order, and what is said about a mistake."""

import os
import re
from pathlib import Path

import pytest

from storage.settings import Settings, load_settings, shown_settings
from system.errors import BadSettings
from system.language import settings_file
from system.urls import host_and_port

ADDRESS = "mongodb://holder:s3cret-word@db.example:27017"
FILE = """
[storage]
mongo_url = "mongodb://file:1"
mongo_database = "from_file"
timeout_s = 3

[crawler]
allow_inner = ["10.0.0.5:8080", "wiki.inner", "[fd00::1]:80", "fd00::2"]
"""


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch, tmp_path):
    """No variable of the caller's and no file; tests write what they need."""
    for name in list(os.environ):
        if name.upper().startswith("PINDNA_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def write(text, name="pindna.toml"):
    Path(name).write_text(text, encoding="utf-8")


def wrong(**sections):
    with pytest.raises(BadSettings) as caught:
        load_settings(**sections)
    return caught.value


def test_defaults_apply_without_any_setting():
    settings = load_settings()
    assert settings.storage.mongo_url is settings.storage.redis_url is None
    assert settings.storage.data_dir.is_absolute()
    assert settings.tracker.scan_schedule == "0 3 * * *"
    assert settings == Settings()


def test_file_overrides_only_its_settings():
    write(FILE)
    settings = load_settings()
    assert settings.storage.mongo_url.get_secret_value() == "mongodb://file:1"
    assert settings.storage.timeout_s == 3
    assert settings.crawler.allow_inner == ("10.0.0.5:8080", "wiki.inner", "[fd00::1]:80", "fd00::2")
    assert settings.crawler.processes == Settings().crawler.processes


def test_environment_overrides_the_file_key_by_key(monkeypatch):
    write(FILE)
    monkeypatch.setenv("PINDNA_STORAGE__MONGO_DATABASE", "from_environment")
    monkeypatch.setenv("PINDNA_TRACKER__LEASE_S", "7.5")
    settings = load_settings()
    assert settings.storage.mongo_database == "from_environment"
    assert settings.storage.mongo_url.get_secret_value() == "mongodb://file:1"
    assert settings.tracker.lease_s == 7.5


def test_arguments_override_file_and_environment(monkeypatch):
    write(FILE)
    monkeypatch.setenv("PINDNA_STORAGE__TIMEOUT_S", "4")
    settings = load_settings(storage={"timeout_s": 5})
    assert settings.storage.timeout_s == 5
    assert settings.storage.mongo_database == "from_file"


def test_another_file_may_be_named(monkeypatch):
    write(FILE, "other.toml")
    monkeypatch.setenv("PINDNA_CONFIG", "other.toml")
    assert settings_file() == Path("other.toml")
    assert load_settings().storage.mongo_database == "from_file"


def test_named_file_must_exist(monkeypatch):
    monkeypatch.setenv("PINDNA_CONFIG", "missing.toml")
    error = wrong()
    assert error.data["where"] == "PINDNA_CONFIG"
    assert "missing.toml" in str(error)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[storage]\nmongo_ulr = 'x'", "storage.mongo_ulr"),
        ("[storge]\nmongo_url = 'x'", "storge"),
        ("colour = 3", "colour"),
        ("[tracker]\nlease_s = 'long'", "tracker.lease_s"),
        ("[tracker]\nlease_s = 0.5", "tracker.lease_s"),
        ("[tracker]\nlease_s = inf", "tracker.lease_s"),
        ("[crawler]\nfrontier_lease_s = 604801", "crawler.frontier_lease_s"),
        ("[crawler]\nprocesses = 0", "crawler.processes"),
        ("[crawler]\nallow_inner = ['10.0.0.5', '10.0.0.0/8']", "crawler.allow_inner"),
        ("[analysis]\nlanguage = 'fr'", "analysis.language"),
        ("[storage]\ntimeout_s = 301", "storage.timeout_s"),
        ("[storage]\nmongo_database = ''", "storage.mongo_database"),
        ("storage = 3", "storage"),
        ("[storage", "pindna.toml"),
        ("a = = b", "pindna.toml"),
    ],
)
def test_mistake_in_the_file_is_reported_with_its_key(text, where):
    write(text)
    error = wrong()
    assert error.data["where"] == where
    assert where in str(error)
    assert "\n" not in str(error)


def test_file_in_another_encoding_is_reported():
    Path("pindna.toml").write_bytes("[analysis]\nreport_dir = '报告'".encode("gb18030"))
    assert wrong().data["where"] == "pindna.toml"


@pytest.mark.parametrize(
    ("name", "value", "where"),
    [
        ("PINDNA_STORAGE__MONGO_ULR", "x", "storage.mongo_ulr"),
        ("PINDNA_TRACKER__LEASE_S", "long", "tracker.lease_s"),
        ("PINDNA_CRAWLER__ALLOW_INNER", '["10.0.0.0/8"]', "crawler.allow_inner"),
        ("PINDNA_STORGE__MONGO_URL", "x", "PINDNA_STORGE__MONGO_URL"),
        ("PINDNA_STORAGE_MONGO_URL", "x", "PINDNA_STORAGE_MONGO_URL"),
        ("PINDNA_COLOUR", "x", "PINDNA_COLOUR"),
        ("pindna_colour__shade", "x", "pindna_colour__shade"),
    ],
)
def test_mistake_in_the_environment_is_reported_with_its_key(monkeypatch, name, value, where):
    monkeypatch.setenv(name, value)
    assert wrong().data["where"] == where


def test_list_that_is_not_json_does_not_blame_the_file(monkeypatch):
    monkeypatch.setenv("PINDNA_CRAWLER__ALLOW_INNER", "10.0.0.0/8")
    error = wrong()
    assert "pindna.toml" not in error.data["where"]
    assert error.data["where"] == "PINDNA_CRAWLER__ALLOW_INNER"
    assert "JSON" in error.data["problem"]


def test_secrets_are_not_shown():
    settings = load_settings(storage={"mongo_url": ADDRESS, "redis_url": ADDRESS.replace("mongodb", "redis")})
    for shown in (
        repr(settings),
        str(settings),
        str(settings.model_dump(mode="json")),
        settings.model_dump_json(),
    ):
        assert "s3cret-word" not in shown
    assert settings.storage.mongo_url.get_secret_value() == ADDRESS


def test_every_setting_is_shown_by_its_name_and_secrets_are_not(tmp_path, monkeypatch):
    config = """
[storage]
mongo_url = "mongodb://me:pass-word@db:27017"

[analysis.alerts.addressees.ops]
webhook = "${PINDNA_SECRET_HOOK}"
secret = "${PINDNA_SECRET_KEY}"

[[analysis.alerts.rules]]
to = ["ops"]
min_chars = 300
"""
    (tmp_path / "own.toml").write_text(config, encoding="utf-8")
    monkeypatch.setenv("PINDNA_CONFIG", str(tmp_path / "own.toml"))
    shown = dict(shown_settings(load_settings()))
    assert (shown["storage.mongo_url"], shown["storage.redis_url"]) == ("**********", "")
    assert shown["analysis.alerts.addressees.ops.webhook"] == "${PINDNA_SECRET_HOOK}"
    assert (shown["analysis.alerts.rules.1.to"], shown["analysis.alerts.rules.1.min_chars"]) == ("ops", "300")
    assert shown["tracker.batch_pages"] == "50"
    assert "pass-word" not in str(shown)


@pytest.mark.parametrize(
    "place",
    ["10.0.0.0/8", "127.0.0.1/32", "http://10.0.0.5/", "10.0.0.5:0", "10.0.0.5:99999", "a b", "*", "x:"],
)
def test_malformed_host_is_reported_with_the_expected_form(place):
    problem = str(wrong(crawler={"allow_inner": [place]}))
    assert "enter host or host:port" in problem
    assert "\n" not in problem


ODD = [f"Qx{odd}Zj" for odd in "?/#@ %\n["] + ["12?34", "12/34", "Q,x?Zj"]


@pytest.mark.parametrize("word", ODD)
@pytest.mark.parametrize(
    ("key", "scheme"), [("redis_url", "redis"), ("mongo_url", "mongodb"), ("index_cluster", "redis")]
)
@pytest.mark.parametrize("user", ["", "me"])
def test_no_fragment_of_an_odd_password_is_shown(key, scheme, user, word):
    error = wrong(storage={key: f"{scheme}://{user}:{word}@db.example:6379/0"})
    assert error.data["where"] == f"storage.{key}"
    for fragment in re.split(r"[^\w]", word):
        assert len(fragment) < 2 or fragment not in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "url",
    [
        "redis://:pa%3Fss@db.example:6379/0",
        "rediss://me:p,a;s$s!&=+é密@[fd00::1]:6379/0?ssl_cert_reqs=none",
        "redis://db.example",
        "unix:///run/redis.sock?db=0",
        "mongodb://me:w%40rd@a.example:27017,b.example:27018/?replicaSet=r",
        "mongodb+srv://me:word@cluster.example/",
        "mongodb://%2Frun%2Fmongo.sock",
    ],
)
def test_unambiguous_addresses_are_accepted(url):
    key = "mongo_url" if url.startswith("mongodb") else "redis_url"
    assert getattr(load_settings(storage={key: url}).storage, key).get_secret_value() == url


def test_address_is_shown_as_host_and_port():
    assert host_and_port("redis://me:pa%3Fss@db.example:7000/0", port=6379) == "db.example:7000"
    assert host_and_port("db.example", port=6379) == "db.example:6379"
    assert host_and_port("redis://x:pa?ss@db.example:7000/0", port=6379) in {"x:6379", "?"}


def test_variables_for_sources_are_no_settings(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_PASSWORD", "x")
    assert load_settings() == Settings()
    monkeypatch.setenv("PINDNA_SECRETS", "x")
    assert wrong().data["where"] == "PINDNA_SECRETS"


def test_wrong_secret_is_not_shown_either():
    assert "s3cret-word" not in str(wrong(storage={"mongo_url": {"address": ADDRESS}}))


def test_settings_cannot_be_changed():
    settings = load_settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.tracker.lease_s = 1


def secret_file(text=ADDRESS, mode=0o600, name="mongo_url"):
    path = Path(name).absolute()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def mongo_of(settings):
    return settings.storage.mongo_url.get_secret_value()


@pytest.mark.parametrize("name", ["mongo_url", "redis_url", "index_cluster"])
@pytest.mark.parametrize("mode", [0o600, 0o400, 0o440, 0o640])
def test_address_may_be_in_a_private_file(monkeypatch, name, mode):
    """Group access is allowed: containers and systemd pass secrets that way."""
    path = secret_file(f"\n{ADDRESS}\n", mode)
    monkeypatch.setenv(f"PINDNA_STORAGE__{name.upper()}_FILE", str(path))
    settings = load_settings()
    assert getattr(settings.storage, name).get_secret_value() == ADDRESS
    shown = dict(shown_settings(settings))
    assert (shown[f"storage.{name}"], shown[f"storage.{name}_file"]) == ("**********", str(path))


def test_address_file_may_be_named_in_the_settings_file():
    write(f"[storage]\nmongo_url_file = '{secret_file()}'")
    assert mongo_of(load_settings()) == ADDRESS


def test_nearer_setting_of_address_and_file_wins(monkeypatch):
    """Arguments, environment, file; within each, the address overrides the address file."""
    monkeypatch.setenv("PINDNA_STORAGE__MONGO_URL_FILE", str(secret_file()))
    write("[storage]\nmongo_url = 'mongodb://file:1'")
    assert mongo_of(load_settings()) == ADDRESS
    write("[storage]\nmongo_url_file = 'missing'")
    assert mongo_of(load_settings()) == ADDRESS
    monkeypatch.setenv("PINDNA_STORAGE__MONGO_URL", "mongodb://environment:1")
    settings = load_settings()
    assert (mongo_of(settings), settings.storage.mongo_url_file) == ("mongodb://environment:1", None)
    assert mongo_of(load_settings(storage={"mongo_url": "mongodb://argument:1"})) == "mongodb://argument:1"
    assert load_settings(storage={"mongo_url": None}).storage.mongo_url is None


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ({"mode": 0o604}, "other users can read .*/mongo_url, or its group can write to it"),
        ({"mode": 0o620}, "other users can read .*/mongo_url, or its group can write to it"),
        ({"text": " \n"}, "/mongo_url is empty"),
        ({"text": b"\xff\xfe"}, "/mongo_url is not a readable short text file"),
        ({"text": "x" * 10_001}, "/mongo_url is not a readable short text file"),
        ({"text": "s3cret-word"}, "it is not an address such as"),
        ({"text": f"{ADDRESS}\n{ADDRESS}"}, "it is not an address such as"),
        (None, "there is no file .*/mongo_url"),
    ],
)
def test_unusable_file_is_reported_in_a_line_without_its_content(monkeypatch, file, problem):
    path = Path("mongo_url").absolute() if file is None else secret_file(**file)
    monkeypatch.setenv("PINDNA_STORAGE__MONGO_URL_FILE", str(path))
    error = wrong()
    assert error.data["where"] == "storage.mongo_url_file"
    assert re.search(problem, str(error))
    assert "s3cret" not in str(error)
    assert "\n" not in str(error)
