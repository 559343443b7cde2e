"""Passwords: which ones are taken, and what is kept of them."""

import pytest
from argon2 import PasswordHasher

from analysis.accounts import passwords
from analysis.accounts.passwords import BadPassword, WeakPassword, hash_password, is_outdated, is_password

GOOD = "四只灰鹤 cross the ferry"


@pytest.mark.parametrize(
    ("password", "error"),
    [
        ("short", BadPassword),
        ("x" * 129, BadPassword),
        ("password1234", WeakPassword),
        ("aaaaaaaaaaaaaaaa", WeakPassword),
        ("linxiaolan2026", WeakPassword),
    ],
)
def test_short_long_and_guessable_ones_are_refused(password, error):
    with pytest.raises(error):
        hash_password(password, name="linxiaolan")


def test_a_password_is_known_by_its_hash_alone():
    hashed = hash_password(GOOD, name="li")
    assert hashed.startswith("$argon2id$") and GOOD not in hashed
    assert is_password(GOOD, hashed)
    assert not is_password(GOOD + "x", hashed)
    assert not is_password(GOOD * 10_000, hashed)


def test_the_same_characters_from_another_keyboard_are_the_same_password():
    hashed = hash_password("caf\u00e9 by the river bank", name="li")
    assert is_password("cafe\u0301 by the river bank", hashed)


@pytest.mark.parametrize("hashed", ["", "no hash", "$argon2id$v=19$m=8"])
def test_without_a_hash_no_password_is_right(hashed):
    assert not is_password("the password of nobody", hashed)


def test_hashes_of_other_parameters_are_outdated(monkeypatch):
    hashed = hash_password(GOOD, name="li")
    assert not is_outdated(hashed)
    stronger = PasswordHasher(time_cost=4)
    monkeypatch.setattr(passwords, "_hasher", lambda: stronger)
    assert is_outdated(hashed)
