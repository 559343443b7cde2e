"""Tokens that administrators make and revoke; for one's own see :mod:`analysis.accounts.own_account`."""

from collections.abc import Iterable

from analysis.accounts import tokens
from analysis.accounts.permissions import Identity
from storage.records import Token
from tracker.runtime import Runtime


def make_token(
    identity: Identity, runtime: Runtime, account: str, *, label: str, scopes: Iterable[str], days: int
) -> tuple[str, Token]:
    """Make a token for an account; returns its secret, which is kept nowhere, and the token.

    Args:
        identity: acts.
        runtime: the open services.
        account: for whom the program acts.
        label: what it is for.
        scopes: names of what it may do; empty: all that the account may do now.
        days: how long it lasts.

    Raises:
        NotPermitted: accounts are not this one's to change.
        UnknownScope: there is no such scope.
        UnknownRecord: there is no such account.
        AccountDisabled, ScopeNotOfRole, TooLong: it cannot be made so.
    """
    identity.require("accounts:write")
    return tokens.make_token(
        runtime.stores,
        runtime.settings.analysis.server,
        account=account,
        label=label,
        scopes=tokens.known_scopes(scopes),
        days=days,
        by=identity.name,
        origin=identity.origin,
    )


def revoke_token(identity: Identity, runtime: Runtime, name: str) -> Token:
    """Make a token unusable from this moment on; safe to repeat.

    Raises:
        NotPermitted: accounts are not this one's to change.
        UnknownId: there is no such token.
    """
    identity.require("accounts:write")
    return tokens.revoke_token(runtime.stores, name, by=identity.name, origin=identity.origin)
