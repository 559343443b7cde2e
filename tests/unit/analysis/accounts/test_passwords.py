"""Passwords: which ones are taken, and what is kept of them."""

import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher

from analysis.accounts import passwords
from analysis.accounts.passwords import (
    AT_ONCE,
    MAX_CHARS,
    BadPassword,
    WeakPassword,
    hash_password,
    is_outdated,
    is_password,
)

GOOD = "四只灰鹤 cross the ferry"


@pytest.mark.parametrize(
    ("password", "error"),
    [
        ("short", BadPassword),
        ("x" * 129, BadPassword),
        ("x" * 1_000_000, BadPassword),
        ("\u0301\u0316" * 500_000, BadPassword),  # normalising takes squared time
        ("four grey cranes \ud800", BadPassword),
        ("password1234", WeakPassword),
        ("aaaaaaaaaaaaaaaa", WeakPassword),
        ("linxiaolan2026", WeakPassword),
    ],
)
def test_short_long_and_guessable_passwords_are_refused(password, error):
    with pytest.raises(error):
        hash_password(password, name="linxiaolan")


def test_only_the_hash_of_a_password_is_stored():
    hashed = hash_password(GOOD, name="li")
    assert hashed.startswith("$argon2id$")
    assert GOOD not in hashed
    assert is_password(GOOD, hashed)
    assert not is_password(GOOD + "x", hashed)
    assert not is_password(GOOD * 10_000, hashed)


def test_same_characters_from_another_keyboard_are_the_same_password():
    hashed = hash_password("caf\u00e9 by the river bank", name="li")
    assert is_password("cafe\u0301 by the river bank", hashed)


def test_length_of_a_password_counts_composed_characters():
    typed = "four grey cranes at the ferry" + "ấờ" * 40
    apart = unicodedata.normalize("NFD", typed)
    assert len(apart) > MAX_CHARS >= len(typed)
    assert is_password(apart, hash_password(apart, name="li"))


def test_nul_does_not_end_a_password():
    hashed = hash_password(GOOD + "\0a", name="li")
    assert is_password(GOOD + "\0a", hashed)
    assert not is_password(GOOD + "\0b", hashed)


def test_few_passwords_are_hashed_at_once(monkeypatch):
    """Each hash needs 64 MiB, for every caller."""
    running, most, as_many = [], [], threading.Barrier(AT_ONCE)

    def verify(*_):
        running.append(1)
        most.append(len(running))
        as_many.wait(60)
        running.pop()
        return False

    passwords._dummy_hash()
    monkeypatch.setattr(PasswordHasher, "verify", verify)
    with ThreadPoolExecutor(AT_ONCE * 4) as threads:
        list(threads.map(lambda _: is_password("x", ""), range(AT_ONCE * 4)))
    assert max(most) == AT_ONCE


@pytest.mark.parametrize("hashed", ["", "no hash", "$argon2id$v=19$m=8"])
def test_no_password_matches_a_missing_hash(hashed):
    assert not is_password("the password of nobody", hashed)


def test_hashes_of_other_parameters_are_outdated(monkeypatch):
    hashed = hash_password(GOOD, name="li")
    assert not is_outdated(hashed)
    stronger = PasswordHasher(time_cost=4)
    monkeypatch.setattr(passwords, "_hasher", lambda: stronger)
    assert is_outdated(hashed)
