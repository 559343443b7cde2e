"""Accounts with their sessions and tokens, for administrators."""

from dataclasses import dataclass

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Account, Session, Token


@dataclass(frozen=True, slots=True)
class AccountAccess:
    """An account with its sessions and tokens, the oldest first."""

    account: Account
    sessions: tuple[Session, ...]
    tokens: tuple[Token, ...]


def list_accounts(identity: Identity, stores: Stores, *, limit: int = 0) -> list[Account]:
    """Return the accounts sorted by name, at most ``limit`` of them; 0: all.

    Raises:
        NotPermitted: the user may not see accounts.
    """
    identity.require("accounts:write")
    return list(stores.accounts.listed(limit=limit))


def get_account(identity: Identity, stores: Stores, name: str) -> AccountAccess:
    """Return an account with its sessions and tokens.

    Raises:
        NotPermitted: the user may not see accounts.
        UnknownRecord: there is no account of that name.
    """
    identity.require("accounts:write")
    account = stores.accounts.get(name)
    return AccountAccess(
        account, tuple(stores.sessions.of_account(name)), tuple(stores.tokens.of_account(name))
    )
