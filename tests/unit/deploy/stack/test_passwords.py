"""Passwords are random, kept and private."""

import stat

import pytest

from deploy.stack import passwords
from deploy.stack.folder import prepare


def test_passwords_are_long_random_and_kept(tmp_path):
    folder = prepare(tmp_path / "data")
    assert passwords.load(folder) is None
    first = passwords.ensure(folder)
    assert passwords.ensure(folder) == passwords.load(folder) == first
    assert len({first.redis, first.mongo}) == 2
    assert {len(first.redis), len(first.mongo)} == {43}
    assert stat.S_IMODE(folder.passwords.stat().st_mode) == 0o600
    assert first.redis not in repr(first)
    assert passwords.ensure(prepare(tmp_path / "other")) != first


@pytest.mark.parametrize("text", ["", "{", "[]", '{"redis": "short", "mongo": "short"}'])
def test_damaged_password_file_is_created_again(tmp_path, text):
    folder = prepare(tmp_path / "data")
    folder.passwords.write_text(text)
    assert passwords.ensure(folder) == passwords.load(folder)
