"""People and programs that use the console and the API: accounts, their sessions and their tokens."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from storage.records.times import utc_now

# ``holder`` sees its own works and what was found of them; ``analyst`` decides what was found; ``operator``
# runs sources and scans; ``administrator`` may do everything.
Role = Literal["holder", "analyst", "operator", "administrator"]
ROLES: tuple[Role, ...] = get_args(Role)

# What a role, or a token, lets its owner do. ``…:read`` is part of every ``…:write`` of the same kind.
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
    "metrics:read",
]
PERMISSIONS: tuple[Permission, ...] = get_args(Permission)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who may sign in.

    Attributes:
        name: lower case; the key.
        holders: of the role ``holder`` only: whose works the account sees.
        password: Argon2id hash in PHC form; empty: nobody can sign in with a password.
        otp_secret: of time-based one-time passwords (RFC 6238), base 32; empty: none are asked for.
        otp_step: time step of the last one-time password that was taken; it, and earlier ones, are refused.
        recovery: SHA-256, in hexadecimal, of each recovery code that is left.
        disabled: since when it cannot be used.
        language: that the console speaks to it; empty: the browser's.
        session_generation: grows when all its sessions end: one of another generation is none. It begins with
            the second in which the account was made.
        token_generation: grows when all its tokens are revoked, in the same way.
        revision: grows with every change; a change of another revision than the stored one is refused.
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
    """A browser that somebody signed in with.

    Attributes:
        id: SHA-256, in hexadecimal, of the secret in the browser's cookie.
        account: its name.
        address: where the browser is.
        agent: what the browser calls itself.
        ends: when it ends even if it is used.
        seen: when it was used last, to the minute.
        generation: of the account's sessions, when it began.
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
        digest: SHA-256, in hexadecimal, of the secret, which only its maker has seen.
        account: for whom the program acts.
        label: what it is for.
        scopes: what it may do, as far as the account may do it too.
        ends: when it ends.
        used: when it was used last, to the hour; None: never.
        revoked: since when it cannot be used.
        generation: of the account's tokens, when it was made.
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
