"""Public Ed25519 keys: fingerprints, signatures and endorsements. Pure."""

import hashlib
from datetime import datetime

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

from storage.records.evidence_log import InstallationKey


def fingerprint_of(public: bytes) -> str:
    """Return the fingerprint of a public key, as ``openssl pkey -pubin -outform DER | sha256sum`` prints it.

    Args:
        public: 32 bytes.
    """
    key = Ed25519PublicKey.from_public_bytes(public)
    encoded = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(encoded).hexdigest()


def is_signed(data: bytes, signature: bytes, public: bytes) -> bool:
    """Return whether a signature of some data was made with a public key of 32 bytes."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def as_pem(public: bytes) -> bytes:
    """Return a public key of 32 bytes as a PEM file."""
    key = Ed25519PublicKey.from_public_bytes(public)
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def from_pem(data: bytes) -> bytes:
    """Return the public key in a PEM file, 32 bytes.

    Raises:
        ValueError: the file contains no Ed25519 key, or differs from the output of :func:`as_pem`.
    """
    try:
        key = load_pem_public_key(data)
    except UnsupportedAlgorithm as error:
        raise ValueError("a key of an unknown kind") from error
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("not an Ed25519 key")  # noqa: TRY004 - it is about the file
    public = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    if as_pem(public) != data:
        raise ValueError("the file is encoded differently")
    return public


def succession(*, number: int, before: str, public: bytes, since: datetime) -> bytes:
    """Return the text that a new key and its predecessor sign.

    Args:
        number: number of the new key.
        before: fingerprint of the earlier key; empty for the first one.
        public: the new public key.
        since: the time from which it signs.
    """
    lines = "pindna key", str(number), before, fingerprint_of(public), since.isoformat()
    return "".join(f"{line}\n" for line in lines).encode()


def trusted_keys(keys: list[InstallationKey], public: bytes) -> list[InstallationKey]:
    """Return the stored keys that a trusted key vouches for.

    Going back, each key names its predecessor; going forward, each key is endorsed by its predecessor.

    Args:
        keys: the stored keys, in order.
        public: the key on this machine.
    """
    start = next((index for index, key in enumerate(keys) if key.public == public), None)
    if start is None:
        return []
    trusted = [keys[start]]
    for index in range(start, 0, -1):
        signed = _succession_of(keys[index], keys[index - 1])
        if not is_signed(signed, keys[index].accepted, keys[index].public):
            break
        trusted.insert(0, keys[index - 1])
    for index in range(start + 1, len(keys)):
        signed = _succession_of(keys[index], keys[index - 1])
        if not is_signed(signed, keys[index].endorsed, keys[index - 1].public):
            break
        trusted.append(keys[index])
    return trusted


def _succession_of(key: InstallationKey, before: InstallationKey) -> bytes:
    return succession(number=key.id, before=fingerprint_of(before.public), public=key.public, since=key.since)
