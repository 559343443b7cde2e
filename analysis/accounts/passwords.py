"""Password rules and password hashes.

Passwords are hashed with Argon2id and the parameters of RFC 9106 for machines with little memory, the
defaults of argon2-cffi. Each hash takes 64 MiB, so only a few are computed at once. A new password has 12 to
128 characters of any kind and must be hard to guess: zxcvbn (Wheeler, USENIX Security 2016) recognises common
passwords (OWASP ASVS 4.0.3, 2.1).
"""

import unicodedata
from functools import cache
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from zxcvbn import zxcvbn

from system.errors import PindnaError

MIN_CHARS = 12
MAX_CHARS = 128
AT_ONCE = 4  # maximum number of hashes that are computed at the same time; each takes 64 MiB
_TYPED_CHARS = 4 * MAX_CHARS  # a character has at most four code points; normalising takes quadratic time
_MIN_SCORE = 3  # minimum score, from 0 to 4; 3 is safe even if an attacker has the (slow) hash
_JUDGED = 72  # maximum characters for zxcvbn, which takes more than a second for longer passwords
_slots = BoundedSemaphore(AT_ONCE)


class BadPassword(PindnaError):
    """A new password has too few or too many characters.

    Attributes:
        least: minimum number of characters.
        most: maximum number of characters.
    """

    template = "The password must have {least} to {most} characters. Choose another one."


class WeakPassword(PindnaError):
    """A new password is easy to guess."""

    template = "This password is easy to guess. Choose several unrelated words."


class PasswordsDiffer(PindnaError):
    """The repeated password differs from the first one."""

    template = "The two passwords differ. Enter the same password twice."


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _dummy_hash() -> str:
    """Return a hash that belongs to no account.

    It is checked for unknown names, so that they take as long as a wrong password.
    """
    return _hasher().hash("the password of nobody")


def hash_password(password: str, *, name: str) -> str:
    """Return the hash of a new password, in PHC form.

    Args:
        password: the typed password.
        name: name of the account, which the password must not contain.

    Raises:
        BadPassword: it is too short, too long, or not valid text.
        WeakPassword: it is easy to guess.
    """
    normal = _normalise(password)
    if normal is None or len(normal) < MIN_CHARS:
        raise BadPassword(least=MIN_CHARS, most=MAX_CHARS)
    if zxcvbn(normal[:_JUDGED], user_inputs=[name, "pindna"])["score"] < _MIN_SCORE:
        raise WeakPassword
    return _compute_hash(normal)


def is_password(password: str, hashed: str) -> bool:
    """Return whether a password matches a hash; takes equally long without a hash.

    Args:
        password: the typed password.
        hashed: hash of the account; empty: it has none.
    """
    normal = _normalise(password)
    nobody = _dummy_hash()
    try:
        with _slots:
            matches = _hasher().verify(hashed or nobody, normal or "")
    except (VerificationError, InvalidHashError):
        return False
    return matches and bool(hashed) and normal is not None


def is_outdated(hashed: str) -> bool:
    """Return whether a hash was made with outdated parameters."""
    return _hasher().check_needs_rehash(hashed)


def rehash(password: str) -> str:
    """Return the hash of a password that was accepted before."""
    return _compute_hash(_normalise(password) or "")


def _compute_hash(normal: str) -> str:
    with _slots:
        return _hasher().hash(normal)


def _normalise(password: str) -> str | None:
    """Return a password in a form that is equal on all keyboards (RFC 8265); None if it is not allowed."""
    if len(password) > _TYPED_CHARS:
        return None
    normal = unicodedata.normalize("NFC", password)
    is_text = all(unicodedata.category(char) != "Cs" for char in normal)  # no lone surrogates
    return normal if is_text and len(normal) <= MAX_CHARS else None
