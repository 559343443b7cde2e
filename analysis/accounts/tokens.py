"""API tokens: created for an account with scopes, shown once, and found by their digest."""

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

PREFIX = "pindna_"  # secret scanners recognise a token by it
_USED_EVERY = timedelta(hours=1)
_MAX_LABEL_CHARS = 100


class ScopeNotOfRole(PindnaError):
    """A token cannot have permissions that its account lacks.

    Attributes:
        name: the account.
        role: its role.
        scopes: the missing permissions.
    """

    template = (
        "The role {role} of {name} lacks these permissions: {scopes}. Leave them out or change the role."
    )


class UnknownScope(PindnaError):
    """There is no such scope.

    Attributes:
        scope: the requested one.
        known: the existing ones.
    """

    template = "Unknown scope {scope}. Choose one of: {known}."


class AccountDisabled(PindnaError):
    """No token can be created for a disabled account.

    Attributes:
        name: the account.
    """

    template = "The account {name} is disabled. Enable it first."


class TooLong(PindnaError):
    """The lifetime of a token exceeds the limit in the settings.

    Attributes:
        days: the limit.
    """

    template = "A token can be valid for 1 to {days} days. Choose a number in this range."


def known_scopes(names: Iterable[str]) -> tuple[Permission, ...]:
    """Return scopes by their names.

    Raises:
        UnknownScope: one does not exist.
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
    """Create a token. Return its secret, which is not stored, and the token.

    Args:
        stores: the database.
        settings: the maximum lifetime of tokens.
        account: the account that the program acts for.
        label: purpose of the token.
        scopes: its permissions; empty: all present permissions of the account.
        days: its lifetime.
        by: the user who creates it.
        now: the present time; None: the clock.
        origin: see :attr:`analysis.accounts.permissions.Identity.origin`.

    Raises:
        UnknownRecord: there is no such account.
        AccountDisabled, ScopeNotOfRole, TooLong: the values are not allowed.
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
    """Revoke a token immediately; may be repeated.

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
    """Return the identity of a token; None if it does not exist or is no longer valid.

    Args:
        stores: the database.
        secret: secret from the request.
        now: the present time; None: the clock.
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
