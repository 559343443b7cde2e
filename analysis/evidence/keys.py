"""Manage the Ed25519 key of the installation, which signs evidence.

The private key is a PEM file that only pindna's user can read: ``analysis.evidence.key_file``, by default
``evidence-key.pem`` in the data folder. It is made at first use and is never stored in the database, so write
access to the database does not allow signing. The database contains the public keys. All machines of an
installation use one key. A machine without the key makes no second one; it asks for a copy of the file.

The previous key endorses a new one: both sign the *succession*, which names them. A rotation writes the new
private key next to the old one, stores the public key, and renames the file. After a kill before the second
step the old key stays in force; after a later kill, the next read completes the rotation. The old private key
is then gone; its signatures are verified with its public key.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from analysis.evidence.public_keys import fingerprint_of, succession
from storage.collections.evidence_keys import EvidenceKeyStore
from storage.records.evidence_log import InstallationKey
from storage.settings import Settings
from system.errors import PindnaError
from system.exit_status import ExitStatus
from system.local_files import MissingFile
from system.messages import N_
from system.private_files import KeyFile, write_new_private

_FILE = "evidence-key.pem"


class KeyElsewhere(PindnaError):
    """The key of the installation is not on this machine.

    Attributes:
        path: the key file.
        fingerprint: fingerprint of the key.
    """

    template = (
        "This installation signs evidence with the key {fingerprint}, but {path} does not contain"
        " it. Copy the file from a machine that has it. If it is lost, run `pindna evidence key "
        "rotate --lost`."
    )
    exit_status = ExitStatus.UNUSABLE


class KeyUnusable(PindnaError):
    """The key file cannot be used.

    Attributes:
        path: the file.
        problem: what is wrong with it.
    """

    template = "{path} is not a usable signing key: {problem}. Replace it with a copy of the right file."


class RotatedElsewhere(PindnaError):
    """Another process made a new key at the same time."""

    template = "Another process has just made a new key. `pindna evidence key show` shows it."


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The key in force, with its private part.

    Attributes:
        row: the stored public key.
    """

    private: Ed25519PrivateKey
    row: InstallationKey

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the public key's SubjectPublicKeyInfo, hexadecimal."""
        return self.row.fingerprint

    def sign(self, data: bytes) -> bytes:
        """Return the signature of the data: 64 bytes."""
        return self.private.sign(data)


def key_path(settings: Settings) -> Path:
    """Return the path of the private key."""
    return settings.analysis.evidence.key_file or settings.storage.data_dir / _FILE


def signing_key(settings: Settings, store: EvidenceKeyStore, *, now: datetime) -> SigningKey:
    """Return the key in force; make the first one if there is none.

    Raises:
        KeyElsewhere: this machine has no key, or another one.
        KeyUnusable: the file contains no key, or other users can read it.
    """
    path = key_path(settings)
    key_rows = store.all()
    if not key_rows:
        _write_private_key(path, Ed25519PrivateKey.generate())
        private = _read_private_key(path)
        store.add(_make_row(private, None, number=1, before="", since=now, by=""))
        key_rows = store.all()
    current = key_rows[-1]
    for candidate in (path, _draft_path(path, current.fingerprint)):
        with suppress(MissingFile):
            private = _read_private_key(candidate)
            if _public_bytes(private) == current.public:
                if candidate != path:
                    _rename(candidate, path)
                return SigningKey(private, current)
    raise KeyElsewhere(path=path, fingerprint=current.fingerprint)


def rotate(
    settings: Settings, store: EvidenceKeyStore, *, by: str, now: datetime, is_lost: bool = False
) -> SigningKey:
    """Replace the key in force by a new one.

    Args:
        settings: location of the private key.
        store: the public keys.
        by: the user who rotates.
        now: the time from which the new key signs.
        is_lost: the private key is lost, so it cannot endorse the new one.

    Raises:
        KeyElsewhere: this machine does not have the key in force.
        KeyUnusable: the file contains no key, can be read by other users, or cannot be written.
        RotatedElsewhere: another process was faster.
    """
    path = key_path(settings)
    before = store.all()[-1] if is_lost else signing_key(settings, store, now=now).row
    endorsing = None if is_lost else _read_private_key(path)
    private = Ed25519PrivateKey.generate()
    draft = _draft_path(path, fingerprint_of(_public_bytes(private)))
    _write_private_key(draft, private)
    row = _make_row(private, endorsing, number=before.id + 1, before=before.fingerprint, since=now, by=by)
    if not store.add(row):
        draft.unlink(missing_ok=True)
        raise RotatedElsewhere
    _rename(draft, path)
    return SigningKey(private, row)


def _make_row(
    private: Ed25519PrivateKey,
    endorsing: Ed25519PrivateKey | None,
    *,
    number: int,
    before: str,
    since: datetime,
    by: str,
) -> InstallationKey:
    public = _public_bytes(private)
    signed = succession(number=number, before=before, public=public, since=since)
    return InstallationKey(
        id=number,
        public=public,
        fingerprint=fingerprint_of(public),
        since=since,
        by=by,
        endorsed=endorsing.sign(signed) if endorsing else b"",
        accepted=private.sign(signed),
    )


def _public_bytes(private: Ed25519PrivateKey) -> bytes:
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def _draft_path(path: Path, fingerprint: str) -> Path:
    """Return the path of a new key before it is in force. The name is unique: two may be made at once."""
    return path.with_name(f"{path.name}.{fingerprint[:16]}")


def _write_private_key(path: Path, private: Ed25519PrivateKey) -> None:
    """Write a new private key completely or not at all, unless the file exists.

    Raises:
        KeyUnusable: the file cannot be written.
    """
    secret = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with KeyFile(path, KeyUnusable).reporting_errors():
        write_new_private(path, secret)


def _rename(draft: Path, path: Path) -> None:
    with KeyFile(path, KeyUnusable).reporting_errors():
        draft.replace(path)


def _read_private_key(path: Path) -> Ed25519PrivateKey:
    """Return the private key in a file.

    Raises:
        MissingFile: there is none.
        KeyUnusable: other users can read it, or it contains no Ed25519 key.
    """
    data = KeyFile(path, KeyUnusable).read()
    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError) as error:
        raise KeyUnusable(path=path, problem=N_("not an unencrypted private key in PEM form")) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnusable(path=path, problem=N_("not an Ed25519 key"))
    return key
