"""Accounts, where they are signed in, and their tokens; for administrators."""

from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Account, Session, Token


@dataclass(frozen=True, slots=True)
class AccountAccess:
    """An account, with the sessions and tokens that lead to it, the oldest first."""

    account: Account
    sessions: tuple[Session, ...]
    tokens: tuple[Token, ...]


def list_accounts(identity: Identity, stores: Stores, *, limit: int = 0) -> list[Account]:
    """Return the accounts by name; with a limit only so many.

    Raises:
        NotPermitted: accounts are not this one's to see.
    """
    identity.require("accounts:write")
    return list(stores.accounts.listed(limit=limit))


def get_account(identity: Identity, stores: Stores, name: str) -> AccountAccess:
    """Return an account with what leads to it.

    Raises:
        NotPermitted: accounts are not this one's to see.
        UnknownRecord: there is none of that name.
    """
    identity.require("accounts:write")
    account = stores.accounts.get(name)
    return AccountAccess(
        account, tuple(stores.sessions.of_account(name)), tuple(stores.tokens.of_account(name))
    )
