"""Secrets stand in the environment; their names in settings, and neither they nor their parts in messages."""

import pytest
from pydantic import TypeAdapter, ValidationError

from crawler.download.proxies import expand_variables
from system.errors import BadSettings
from system.secrets import MissingSecret, SecretReference, mask_secrets, secret_of


@pytest.mark.parametrize(
    "text", ["hunter2", "${HOME}", "x${PINDNA_SECRET_A}", "${PINDNA_SECRET_A}x", "${PINDNA_SECRET_}"]
)
def test_setting_names_a_secret_and_holds_none(text):
    with pytest.raises(ValidationError):
        TypeAdapter(SecretReference).validate_python(text)


def test_secret_is_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("PINDNA_SECRET_A", "hunter2")
    assert secret_of("${PINDNA_SECRET_A}", where="x") == "hunter2"


@pytest.mark.parametrize("value", [None, ""])
def test_secret_that_is_not_there_is_named(monkeypatch, value):
    monkeypatch.delenv("PINDNA_SECRET_A", raising=False)
    if value is not None:
        monkeypatch.setenv("PINDNA_SECRET_A", value)
    with pytest.raises(MissingSecret, match=r"analysis\.x needs .* PINDNA_SECRET_A"):
        secret_of("${PINDNA_SECRET_A}", where="analysis.x")


def test_secret_may_be_in_a_file(monkeypatch, tmp_path):
    path = tmp_path / "a"
    path.write_text("hunter2\n", encoding="utf-8")
    path.chmod(0o600)
    monkeypatch.setenv("PINDNA_SECRET_A_FILE", str(path))
    assert secret_of("${PINDNA_SECRET_A}", where="x") == "hunter2"
    assert expand_variables("http://me:${PINDNA_SECRET_A}@proxy", source="s") == "http://me:hunter2@proxy"
    path.chmod(0o644)
    with pytest.raises(BadSettings, match=r"PINDNA_SECRET_A_FILE is wrong: other users can read .*/a"):
        secret_of("${PINDNA_SECRET_A}", where="x")
    monkeypatch.setenv("PINDNA_SECRET_A", "its own")
    assert secret_of("${PINDNA_SECRET_A}", where="x") == "its own"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("no robot T0KEN", "dingtalk://T0KEN/13800000000"),
        ("login of bob with p%40ss refused", "mailto://bob:p%40ssword@mail.cn"),
        ("p@ssword", "mailto://bob:p%40ssword@mail.cn"),
        ("https://mail.cn/x", "mailto://bob:secret@mail.cn"),
    ],
)
def test_masked_text_has_no_fragment_of_a_secret(text, secret):
    assert not [
        fragment for fragment in ("T0KEN", "p@ss", "mail.cn") if fragment in mask_secrets(text, [secret])
    ]


def test_text_without_secrets_stays():
    assert mask_secrets("HTTP 404 to lin", ["dingtalk://T0KEN/"]) == "HTTP 404 to lin"
    assert mask_secrets("HTTP 404", []) == "HTTP 404"
