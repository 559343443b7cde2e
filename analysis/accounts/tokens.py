"""Tokens of the API: made for an account, with scopes, shown once, and looked up by their digest."""

import secrets
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType

from analysis.accounts.audit import record
from analysis.accounts.permissions import PERMISSIONS_OF, Identity, identity_of
from analysis.accounts.signing_in import digest_of
from storage.collections.stores import Stores
from storage.records import PERMISSIONS, Permission, Token, utc_now
from storage.settings.results import ServerSettings
from system.errors import PindnaError

PREFIX = "pindna_"  # by which secret scanners know a token
_USED_EVERY = timedelta(hours=1)
_MAX_LABEL_CHARS = 100


class ScopeNotOfRole(PindnaError):
    """A token cannot do what its account may not do. Data: ``name``, ``role``, ``scopes``."""

    template = "{name} is {role} and may not do this: {scopes}. Leave it out, or change the role."


class UnknownScope(PindnaError):
    """There is no such scope. Data: ``scope``, ``known``."""

    template = "There is no scope {scope}. Scopes are: {known}."


class AccountDisabled(PindnaError):
    """Nothing is made for an account that cannot be used. Data: ``name``."""

    template = "The account {name} is disabled. Enable it first."


class TooLong(PindnaError):
    """A token would last longer than settings let it. Data: ``days``."""

    template = "A token lasts from 1 to {days} days (analysis.server.token_days)."


def known_scopes(names: Iterable[str]) -> tuple[Permission, ...]:
    """Return the scopes of these names.

    Raises:
        UnknownScope: one is none.
    """
    by_name = {str(scope): scope for scope in PERMISSIONS}
    for name in names:
        if name not in by_name:
            raise UnknownScope(scope=name, known=PERMISSIONS)
    return tuple(by_name[name] for name in names)


def make_token(
    stores: Stores,
    settings: ServerSettings,
    *,
    account: str,
    label: str,
    scopes: Collection[Permission],
    days: int,
    by: str,
    now: datetime | None = None,
    origin: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, Token]:
    """Make a token; returns its secret, which is kept nowhere, and the token.

    Args:
        stores: the database.
        settings: how long a token lasts at most.
        account: for whom the program acts.
        label: what it is for.
        scopes: what it may do; empty: all that the account may do now.
        days: how long it lasts.
        by: who makes it.
        now: the present time; None: the clock's.
        origin: see :attr:`analysis.accounts.permissions.Identity.origin`.

    Raises:
        UnknownRecord: there is no such account.
        AccountDisabled, ScopeNotOfRole, TooLong: it cannot be made so.
    """
    now = now or utc_now()
    owner = stores.accounts.get(account)
    if owner.disabled is not None:
        raise AccountDisabled(name=account)
    allowed = PERMISSIONS_OF[owner.role]
    if excess := sorted(set(scopes) - allowed):
        raise ScopeNotOfRole(name=account, role=owner.role, scopes=tuple(excess))
    if not 1 <= days <= settings.token_days:
        raise TooLong(days=settings.token_days)
    secret = PREFIX + secrets.token_urlsafe(32)
    token = stores.tokens.add(
        Token(
            id="",
            digest=digest_of(secret),
            account=account,
            label=" ".join(label.split())[:_MAX_LABEL_CHARS],
            scopes=tuple(sorted(scopes or allowed)),
            made=now,
            ends=now + timedelta(days=days),
            generation=owner.token_generation,
        )
    )
    record(
        stores,
        "token-made",
        by=by,
        at=now,
        subject=f"token {token.id}",
        after={"account": account, "label": token.label, "scopes": list(token.scopes), "ends": token.ends},
        detail=origin,
    )
    return secret, token


def revoke_token(
    stores: Stores,
    name: str,
    *,
    by: str,
    now: datetime | None = None,
    origin: Mapping[str, str] = MappingProxyType({}),
) -> Token:
    """Make a token unusable from this moment on; safe to repeat.

    Raises:
        UnknownId: there is no such token.
    """
    now = now or utc_now()
    token = stores.tokens.get(name)
    if token.revoked is None:
        stores.tokens.revoke(name, now)
        record(stores, "token-revoked", by=by, at=now, subject=f"token {name}", detail=origin)
    return stores.tokens.get(name)


def identity_of_token(stores: Stores, secret: str, *, now: datetime | None = None) -> Identity | None:
    """Return who asks with a token; None if it is none, or cannot be used any more.

    Args:
        stores: the database.
        secret: as the program sent it.
        now: the present time; None: the clock's.
    """
    now = now or utc_now()
    token = stores.tokens.by_digest(digest_of(secret)) if secret.startswith(PREFIX) else None
    if token is None or token.revoked is not None or now >= token.ends:
        return None
    account = stores.accounts.find(token.account)
    if account is None or account.disabled is not None or token.generation != account.token_generation:
        return None
    if token.used is None or now - token.used >= _USED_EVERY:
        stores.tokens.record_use(token.id, now)
    return identity_of(account, token)
