"""Addresses of servers of one's own, in every form that the documents name."""

import os

import pytest

from deploy.cli.session import export
from storage.settings import load_settings

pytestmark = pytest.mark.services


def in_files(environment, folder):
    """Move both addresses out of the environment, into files that it names."""
    for name in ("MONGO_URL", "REDIS_URL"):
        path = folder / name.lower()
        path.write_text(environment.pop(f"PINDNA_STORAGE__{name}") + "\n", encoding="utf-8")
        path.chmod(0o440)
        environment[f"PINDNA_STORAGE__{name}_FILE"] = str(path)


def test_commands_work_with_addresses_in_files(pindna, environment, tmp_path):
    in_files(environment, tmp_path)
    pindna("source", "add", "here", "http://x.example/")
    assert "here" in pindna("source", "list").stdout


def test_a_file_that_others_may_read_is_told_in_a_line(pindna, environment, tmp_path):
    in_files(environment, tmp_path)
    path = tmp_path / "mongo_url"
    path.chmod(0o444)
    for language, begin in (
        ("en", "Setting storage.mongo_url_file is wrong: "),
        ("zh", "设置 storage.mongo_url_file"),
    ):
        environment["PINDNA_ANALYSIS__LANGUAGE"] = language
        line = pindna("source", "list", status=2).stderr
        assert line.startswith(begin)
        assert f"chmod 600 {path}" in line
        assert line.count("\n") == 1


def test_an_address_in_a_file_goes_into_no_environment_of_other_processes(monkeypatch, environment, tmp_path):
    in_files(environment, tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    password = settings.storage.mongo_url.get_secret_value().split("@")[0].rpartition(":")[2]
    export(settings)
    assert len(password) > 10
    assert not [name for name, value in os.environ.items() if password in value]
