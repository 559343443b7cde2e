"""Make and revoke tokens as an administrator. :mod:`analysis.accounts.own_account` is for own tokens."""

from collections.abc import Iterable

from analysis.accounts import tokens
from analysis.accounts.permissions import Identity
from storage.records import Token
from tracker.runtime import Runtime


def make_token(
    identity: Identity, runtime: Runtime, account: str, *, label: str, scopes: Iterable[str], days: int
) -> tuple[str, Token]:
    """Make a token for an account. Return its secret, which is not stored, and the token.

    Args:
        identity: the user or program that acts.
        runtime: the open services.
        account: the account that the program acts for.
        label: purpose of the token.
        scopes: names of its permissions; empty: all present permissions of the account.
        days: lifetime in days.

    Raises:
        NotPermitted: the user may not change accounts.
        UnknownScope: there is no such scope.
        UnknownRecord: there is no such account.
        AccountDisabled, ScopeNotOfRole, TooLong: the values are not allowed.
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
    """Revoke a token immediately. Repeated calls change nothing.

    Raises:
        NotPermitted: the user may not change accounts.
        UnknownId: there is no such token.
    """
    identity.require("accounts:write")
    return tokens.revoke_token(runtime.stores, name, by=identity.name, origin=identity.origin)
