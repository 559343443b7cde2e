"""Signed roots of the evidence log, as text: C2SP's tlog-checkpoint in a signed note.

::

    pindna/5d0e…            the log's name
    1234                    leaves
    WUbj…=                  their root, base64
    2026-11-22T23:00:00.000+00:00

    — pindna/5d0e… h7pK…=   base64 of key hash (4 bytes) and Ed25519 signature over the lines above

Sources: https://c2sp.org/tlog-checkpoint, https://c2sp.org/signed-note.
"""

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from analysis.evidence.keys import SigningKey
from analysis.evidence.public_keys import is_signed

_ED25519 = b"\1"
_LINES = 4
_MAX_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The content of a signed root.

    Attributes:
        origin: name of the log.
        size: number of leaves.
        root: hash over the leaves, 32 bytes.
        at: when it was signed.
    """

    origin: str
    size: int
    root: bytes
    at: datetime


def sign_checkpoint(checkpoint: Checkpoint, key: SigningKey) -> str:
    """Return a signed root as text."""
    at = checkpoint.at.astimezone(UTC).isoformat(timespec="milliseconds")
    root = base64.b64encode(checkpoint.root).decode()
    text = f"{checkpoint.origin}\n{checkpoint.size}\n{root}\n{at}\n"
    signed = _key_hash(checkpoint.origin, key.row.public) + key.sign(text.encode())
    return f"{text}\n— {checkpoint.origin} {base64.b64encode(signed).decode()}\n"


def read_checkpoint(note: str, keys: Iterable[bytes]) -> Checkpoint | None:
    """Parse a signed root; None if it is invalid or not signed by one of the keys.

    Args:
        note: the text.
        keys: public keys of 32 bytes.
    """
    text, _, signature = note[: _MAX_CHARS + 1].partition("\n\n")
    text += "\n"
    lines = text.removesuffix("\n").split("\n")
    if len(note) > _MAX_CHARS or len(lines) != _LINES or not text.isascii():
        return None
    try:
        checkpoint = Checkpoint(
            lines[0],
            int(lines[1]),
            base64.b64decode(lines[2], validate=True),
            datetime.fromisoformat(lines[3]),
        )
        name, signed = signature.removeprefix("— ").removesuffix("\n").split(" ")
        decoded = base64.b64decode(signed, validate=True)
    except (ValueError, binascii.Error):
        return None
    if name != checkpoint.origin or signature != f"— {name} {base64.b64encode(decoded).decode()}\n":
        return None
    for public in keys:
        is_named = decoded[:4] == _key_hash(name, public)
        if is_named and is_signed(text.encode(), decoded[4:], public):
            return checkpoint
    return None


def _key_hash(name: str, public: bytes) -> bytes:
    return hashlib.sha256(f"{name}\n".encode() + _ED25519 + public).digest()[:4]
