"""Records of the evidence log: its leaves and signed roots, the keys that sign, what is told of deletions."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

LoggedKind = Literal["capture", "event", "statement"]
LOGGED_KINDS: tuple[LoggedKind, ...] = get_args(LoggedKind)

# ``pruned``: captures whose time was up. ``removed``: findings of a removed work. ``erased``: a person's name
# was replaced.
StatementKind = Literal["pruned", "removed", "erased"]
STATEMENT_KINDS: tuple[StatementKind, ...] = get_args(StatementKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A leaf of the evidence log: the digest of a stored record.

    Attributes:
        id: its place in the log, from 0 on.
        kind, record: which record it is about.
        digest: SHA-256 over ``salt`` and the record's content, hexadecimal.
        salt: 16 random bytes, so that nobody guesses a record from its digest; empty once a person's data in
            the record were erased.
        at: when it was logged.
        accounts: the statement that accounts for the record's deletion or change; empty while it is as it
            was.
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
    """How far the evidence log goes.

    Attributes:
        origin: names the log, the same for ever.
        size: leaves of the tree.
        root: over them.
        note: the signed root, a C2SP checkpoint; empty while there is no leaf.
    """

    id: str
    origin: str
    size: int
    root: bytes
    note: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredToken:
    """A timestamp of an authority.

    Attributes:
        token: a DER-encoded RFC 3161 response.
        root: the root certificate that it was checked against, as PEM.
    """

    authority: str
    token: bytes
    root: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRoot:
    """The root of a day, signed and timestamped.

    Attributes:
        id: leaves of the tree.
        note: the signed root, a C2SP checkpoint.
        tokens: timestamps over the note's bytes.
        waiting: addresses of the authorities that are still to be asked.
    """

    id: int
    note: str
    at: datetime
    tokens: tuple[StoredToken, ...] = ()
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationKey:
    """A public key of the installation.

    Attributes:
        id: 1 for the first, and so on; the last one signs.
        public: 32 bytes, Ed25519.
        fingerprint: SHA-256 of its SubjectPublicKeyInfo, hexadecimal.
        since: since when it signs.
        by: who made it.
        endorsed: the earlier key's signature over the succession; empty for the first key, and for the
            successor of one that was lost.
        accepted: its own signature over the succession.
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
    """What was done to logged records, so that it is told from tampering.

    Attributes:
        records: kind and id of each, and the digest of what it is now, with ``salt``; empty: it is deleted.
        salt: of the new digests, 16 random bytes.
        signature: the installation's, over all the rest; empty for what workers do by themselves.
    """

    id: str
    kind: StatementKind
    at: datetime = field(default_factory=utc_now)
    by: str = ""
    because: str = ""
    records: tuple[tuple[LoggedKind, str, str], ...] = ()
    salt: bytes = b""
    signature: bytes = b""
