"""Exact duplicates: a digest of the normalised text, which changes with every character.

This is the baseline for every comparison. The literature uses MD5 (RFC 1321) and SHA-1 (RFC 3174). Both are
broken: an attacker can construct two texts with the same digest. This method does not need security.
The ``content_hash`` that pindna stores and shows as evidence is SHA-256.

Complexity: O(n).
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from fingerprint.method import Method
from fingerprint.mixing import Hashes
from fingerprint.text.normal import normal_form
from fingerprint.text.views import Views

DigestName = Literal["md5", "sha1", "sha256"]
_LETTERS = re.compile(r"[^\W\d_]+")


def content_hash(text: str) -> str:
    """Return the SHA-256 of the normalised text as 64 hexadecimal digits; lone surrogates are replaced.

    >>> content_hash("青 灯") == content_hash("青灯")
    True
    """
    return hashlib.sha256(normal_form(text).encode("utf-8", "replace")).hexdigest()


def letters_hash(text: str) -> str:
    """Return the SHA-256 of the letters of the normalised text; empty for a text without letters.

    Letters of all scripts are hashed, including Han characters. Digits and punctuation are ignored, so a
    changed counter, price or date does not change the hash.

    >>> letters_hash("阅读 1,024 次") == letters_hash("阅读：1,025次。")
    True
    >>> letters_hash("2026-03-02")
    ''
    """
    letters = "".join(_LETTERS.findall(normal_form(text)))
    return hashlib.sha256(letters.encode("utf-8", "replace")).hexdigest() if letters else ""


def digest(text: str, algorithm: DigestName) -> bytes:
    """Return the digest of a text in UTF-8: 16 (MD5), 20 (SHA-1) or 32 bytes; empty for an empty text.

    Raises:
        ValueError: the algorithm is unknown.

    >>> digest("青灯", "md5").hex()
    'c3ea2adb70d2d208c62b2ab937c7e0b1'
    """
    if algorithm not in get_args(DigestName):
        raise ValueError(f"the digest must be md5, sha1 or sha256, not {algorithm}")
    if not text:
        return b""
    return hashlib.new(algorithm, text.encode("utf-8", "replace"), usedforsecurity=False).digest()


def digest_keys(*digests: bytes) -> Hashes:
    """Return the first 8 bytes of each digest as a candidate key; empty digests have no key.

    >>> [hex(key) for key in digest_keys(bytes(range(16)), b"").tolist()]
    ['0x706050403020100']
    """
    return np.unique(np.frombuffer(b"".join(digest[:8] for digest in digests), dtype="<u8")).astype(np.uint64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact(Method[bytes]):
    """Texts are the same when the digests of their normalised characters are equal.

    Attributes:
        algorithm: ``md5``, ``sha1`` or ``sha256``.

    Raises:
        ValueError: the algorithm is unknown.
    """

    algorithm: DigestName = "md5"

    def __post_init__(self) -> None:
        if self.algorithm not in get_args(DigestName):
            raise ValueError(f"the digest must be md5, sha1 or sha256, not {self.algorithm}")

    @property
    def name(self) -> str:
        """Name of the digest algorithm."""
        return self.algorithm

    @property
    def params_id(self) -> str:
        """Id of all parameters that influence the stored hashes."""
        return f"exact2-{self.algorithm}"

    @property
    def threshold(self) -> float:
        """Always 1, because two digests are either equal or different."""
        return 1.0

    def fingerprint(self, views: Views) -> bytes:
        """Return the digest of the normalised text."""
        return digest(views.normalised, self.algorithm)

    def similarity(self, first: bytes, second: bytes) -> float:
        """Return 1 for equal digests, else 0."""
        return float(bool(first) and first == second)

    def keys(self, fingerprint: bytes) -> Hashes:
        """Return the digest's first 8 bytes."""
        return digest_keys(fingerprint)
