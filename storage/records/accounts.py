"""Accounts, sessions and API tokens of the console and the API."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

# Roles. A ``holder`` sees its own works and their matches; an ``analyst`` decides about matches; an
# ``operator`` runs sources and scans; an ``administrator`` may do everything.
Role = Literal["holder", "analyst", "operator", "administrator"]
ROLES: tuple[Role, ...] = get_args(Role)

# Permissions of roles and tokens. A permission ``…:write`` includes ``…:read`` of the same kind.
Permission = Literal[
    "works:read",
    "works:write",
    "sources:read",
    "sources:write",
    "scans:read",
    "scans:run",
    "pages:read",
    "matches:read",
    "matches:decide",
    "cases:read",
    "cases:write",
    "evidence:read",
    "evidence:export",
    "notices:read",
    "notices:make",
    "notices:send",
    "check:run",
    "accounts:write",
    "audit:read",
    "settings:read",
    "settings:write",
    "metrics:read",
]
PERMISSIONS: tuple[Permission, ...] = get_args(Permission)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """An account that can sign in.

    Attributes:
        name: lower case; the key.
        holders: for the role ``holder`` only: the rights holders whose works the account sees.
        password: Argon2id hash in PHC form; empty: the account cannot sign in with a password.
        otp_secret: of time-based one-time passwords (RFC 6238), base 32; empty: no code is required.
        otp_step: time step of the last accepted one-time password. This one and earlier ones are refused.
        recovery: SHA-256, in hexadecimal, of each unused recovery code.
        disabled: when the account was disabled.
        language: of the console; empty: the browser's.
        session_generation: grows when all its sessions end. A session of another generation is invalid. It
            starts with the second in which the account was created.
        token_generation: grows when all its tokens are revoked, in the same way.
        revision: grows with every change; a change based on an older revision is refused.
    """

    name: str
    role: Role
    holders: tuple[str, ...] = ()
    password: str = field(default="", repr=False)
    otp_secret: str = field(default="", repr=False)
    otp_step: int = 0
    recovery: tuple[str, ...] = field(default=(), repr=False)
    disabled: datetime | None = None
    language: Literal["", "zh", "en"] = ""
    session_generation: int = 0
    token_generation: int = 0
    revision: int = 0
    added: datetime = field(default_factory=utc_now)
    updated: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser session of a signed-in account.

    Attributes:
        id: SHA-256, in hexadecimal, of the secret in the browser's cookie.
        account: name of the account.
        address: where the browser is.
        agent: the user agent.
        ends: when it ends even if it is used.
        seen: last use, to the minute.
        generation: the account's session generation when the session began.
    """

    id: str = field(repr=False)
    account: str
    address: str
    agent: str
    started: datetime
    seen: datetime
    ends: datetime
    generation: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A key with which a program uses the API for an account.

    Attributes:
        id: short name, ``t7``.
        digest: SHA-256, in hexadecimal, of the secret, which is shown once, to the user who creates it.
        account: the account for which the program acts.
        label: what it is for.
        scopes: what the token allows, limited to what the account may do.
        ends: when it ends.
        used: last use, to the hour; None: never.
        revoked: when the account was disabled.
        generation: the account's token generation when the token was created.
    """

    id: str
    digest: str = field(repr=False)
    account: str
    label: str
    scopes: tuple[Permission, ...]
    made: datetime
    ends: datetime
    used: datetime | None = None
    revoked: datetime | None = None
    generation: int = 0
