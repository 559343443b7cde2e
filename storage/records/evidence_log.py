"""Records of the evidence log: leaves, signed roots, signing keys, and statements about deletions."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

LoggedKind = Literal["capture", "event", "statement", "session"]
LOGGED_KINDS: tuple[LoggedKind, ...] = get_args(LoggedKind)

# ``pruned``: captures that were kept long enough. ``removed``: matches and decisions of a removed work.
# ``erased``: a person's name. was replaced.
StatementKind = Literal["pruned", "removed", "erased"]
STATEMENT_KINDS: tuple[StatementKind, ...] = get_args(StatementKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A leaf of the evidence log: the digest of a stored record.

    Attributes:
        id: position in the log, from 0.
        kind, record: the logged record.
        digest: SHA-256 over ``salt`` and the record's content, hexadecimal.
        salt: 16 random bytes, which prevent guessing a record from its digest. Empty after a person's data in
            the record were erased.
        at: when it was logged.
        accounts: the statement that explains the record's deletion or change; empty while the record is
            unchanged.
    """

    id: int
    kind: LoggedKind
    record: str
    digest: str
    salt: bytes
    at: datetime
    accounts: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogHead:
    """The head of the evidence log.

    Attributes:
        origin: the permanent name of the log.
        size: number of leaves.
        root: root hash over the leaves.
        note: the signed root, a C2SP checkpoint; empty for an empty log.
    """

    id: str
    origin: str
    size: int
    root: bytes
    note: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """A timestamp of a timestamp authority.

    Attributes:
        token: a DER-encoded RFC 3161 response.
        root: the root certificate that it was checked against, as PEM.
    """

    authority: str
    token: bytes
    root: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReceipt:
    """The receipt of a witness for a signed root, as the witness returned it."""

    witness: str
    receipt: bytes
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRoot:
    """The root of the log's tree at the end of a day, signed and timestamped.

    Attributes:
        id: number of leaves.
        note: the signed root, a C2SP checkpoint.
        tokens: timestamps over the note's bytes.
        waiting: addresses of the authorities that have not answered yet.
        receipts: of witnesses, for the note.
        undeposited: names of the witnesses that have returned no receipt yet.
    """

    id: int
    note: str
    at: datetime
    tokens: tuple[StoredToken, ...] = ()
    waiting: tuple[str, ...] = ()
    receipts: tuple[StoredReceipt, ...] = ()
    undeposited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationKey:
    """A public key of the installation.

    Attributes:
        id: 1 for the first key, and so on; the last key signs.
        public: 32 bytes, Ed25519.
        fingerprint: SHA-256 of its SubjectPublicKeyInfo, hexadecimal.
        since: when the key started to sign.
        by: who created it.
        endorsed: the earlier key's signature over the succession; empty for the first key and after the loss
            of a key.
        accepted: this key's signature over the succession.
    """

    id: int
    public: bytes
    fingerprint: str
    since: datetime
    by: str
    endorsed: bytes
    accepted: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement about a change of logged records, which distinguishes the change from tampering.

    Attributes:
        records: kind, id and present digest (with ``salt``) of each record; an empty digest means deleted.
        salt: of the new digests, 16 random bytes.
        signature: the installation's signature over all other fields; empty for actions of workers.
    """

    id: str
    kind: StatementKind
    at: datetime = field(default_factory=utc_now)
    by: str = ""
    because: str = ""
    records: tuple[tuple[LoggedKind, str, str], ...] = ()
    salt: bytes = b""
    signature: bytes = b""
