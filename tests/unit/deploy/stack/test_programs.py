"""Which server programs are used."""

import pytest

from deploy.stack import errors, programs


def test_program_that_is_not_installed_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(errors.EmbeddedMissing, match=r"valkey-server .*pip install 'pindna\[embedded\]'"):
        programs.redis_server()
    with pytest.raises(errors.EmbeddedMissing, match=r"SecantusDB .*pip install 'pindna\[embedded\]'"):
        programs.require_document_server()


def test_without_the_wheel_the_paths_server_is_used(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for name in ("redis-server", "valkey-server"):  # the second is preferred
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
        assert programs.redis_server() == tmp_path / name
