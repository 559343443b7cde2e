"""Passwords: which ones are taken, and how they are kept.

They are hashed by Argon2id with the parameters of RFC 9106 for machines with little memory, which argon2-cffi
has as its defaults. A new one has 12 to 128 characters of any kind, and is none that is guessed first: zxcvbn
(Wheeler, USENIX Security 2016) knows the common ones (OWASP ASVS 4.0.3, 2.1).
"""

import unicodedata
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from zxcvbn import zxcvbn

from storage.errors import PindnaError

MIN_CHARS = 12
MAX_CHARS = 128
_MIN_SCORE = 3  # of 4: safe against somebody who has the hash, if hashing is slow
_JUDGED = 72  # zxcvbn takes longer than a second for more


class BadPassword(PindnaError):
    """A new password has too few or too many characters. Data: ``least``, ``most``."""

    template = "A password has {least} to {most} characters. Choose another one."


class WeakPassword(PindnaError):
    """A new password is one that is guessed early."""

    template = "This password would be guessed early. Choose several words that have nothing in common."


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobody() -> str:
    """Return the hash of no account, so that an unknown name takes as long as a wrong password."""
    return _hasher().hash("the password of nobody")


def hash_password(password: str, *, name: str) -> str:
    """Return the hash of a new password, in PHC form.

    Args:
        password: as it was typed.
        name: of the account, which the password must not be made of.

    Raises:
        BadPassword: it is too short or too long.
        WeakPassword: it is guessed early.
    """
    normal = _normal(password)
    if not MIN_CHARS <= len(normal) <= MAX_CHARS:
        raise BadPassword(least=MIN_CHARS, most=MAX_CHARS)
    if zxcvbn(normal[:_JUDGED], user_inputs=[name, "pindna"])["score"] < _MIN_SCORE:
        raise WeakPassword
    return _hasher().hash(normal)


def is_password(password: str, hashed: str) -> bool:
    """Return whether a password is the one of a hash; takes as long where there is no hash.

    Args:
        password: as it was typed.
        hashed: of the account; empty: it has none.
    """
    try:
        matches = _hasher().verify(hashed or _nobody(), _normal(password[: MAX_CHARS + 1]))
    except (VerificationError, InvalidHashError):
        return False
    return matches and bool(hashed)


def is_outdated(hashed: str) -> bool:
    """Return whether a hash was made with other parameters than those of today."""
    return _hasher().check_needs_rehash(hashed)


def rehash(password: str) -> str:
    """Return the hash of a password that was accepted before."""
    return _hasher().hash(_normal(password))


def _normal(password: str) -> str:
    """Return a password as all keyboards give it (RFC 8265)."""
    return unicodedata.normalize("NFC", password)
