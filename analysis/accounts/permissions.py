"""Who may do what: the permissions of a role, and those of a program that acts for an account.

A rights holder sees its own works and what was found of them: :meth:`Identity.may_see` is asked for every
record that is shown, besides the permission for its kind.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from storage.records import PERMISSIONS, Account, Permission, Role, Token
from system.errors import PindnaError
from system.names import name_key

log = logging.getLogger(__name__)

_OF_HOLDERS: frozenset[Permission] = frozenset(
    {
        "works:read",
        "pages:read",
        "matches:read",
        "cases:read",
        "evidence:read",
        "evidence:export",
        "notices:read",
        "check:run",
    }
)
_OF_ANALYSTS: frozenset[Permission] = _OF_HOLDERS | {
    "works:write",
    "sources:read",
    "scans:read",
    "matches:decide",
    "cases:write",
    "notices:make",
    "notices:send",
}
_OF_OPERATORS: frozenset[Permission] = frozenset(
    {
        "works:read",
        "works:write",
        "sources:read",
        "sources:write",
        "scans:read",
        "scans:run",
        "pages:read",
        "matches:read",
        "cases:read",
        "check:run",
        "settings:read",
        "metrics:read",
    }
)
PERMISSIONS_OF: Mapping[Role, frozenset[Permission]] = MappingProxyType(
    {
        "holder": _OF_HOLDERS,
        "analyst": _OF_ANALYSTS,
        "operator": _OF_OPERATORS,
        "administrator": frozenset(PERMISSIONS),
    }
)


class NotPermitted(PindnaError):
    """An account, or its token, may not do something. Data: ``name``, ``permission``."""

    template = "{name} may not do this; it takes the permission {permission}. Ask an administrator."


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks, and what it may do.

    Attributes:
        account: on whose behalf.
        permissions: what it may do.
        token: name of the token that a program asks with; empty: a person.
        is_local: they use the command line on the installation's machine, which has no sign-in.
    """

    account: Account
    permissions: frozenset[Permission]
    token: str = ""
    is_local: bool = False

    @property
    def name(self) -> str:
        """Who does what is done: the account, with the token that it was done with."""
        return f"{self.account.name} ({self.token})" if self.token else self.account.name

    @property
    def origin(self) -> Mapping[str, str]:
        """Return what the audit log says of where they act; nothing where they signed in."""
        return {"from": "terminal"} if self.is_local else {}

    def require(self, permission: Permission) -> None:
        """Let only those pass who may do something.

        Raises:
            NotPermitted: this one may not.
        """
        if permission not in self.permissions:
            log.warning("%s was refused what takes %s", self.name, permission)
            raise NotPermitted(name=self.name, permission=permission)

    @property
    def sees_everything(self) -> bool:
        """Whether the works of all holders may be seen."""
        return self.account.role != "holder"

    def may_see(self, holder: str) -> bool:
        """Return whether the works of a holder, and what was found of them, may be seen.

        Args:
            holder: as the work names it; a work without one is seen by those who see everything.
        """
        if self.sees_everything:
            return True
        return bool(holder) and name_key(holder) in {
            name_key(holder_name) for holder_name in self.account.holders
        }


def identity_of(account: Account, token: Token | None = None) -> Identity:
    """Return what an account may do, by itself or through a token: never more than its role lets it."""
    permissions = PERMISSIONS_OF[account.role]
    if token is None:
        return Identity(account, permissions)
    return Identity(account, permissions & frozenset(token.scopes), token.id)


def local_identity(name: str, role: Role) -> Identity:
    """Return the identity of a user of the command line, which has no sign-in.

    Args:
        name: of the user; no account needs to have it.
        role: what the settings let users of the command line do.
    """
    return Identity(Account(name=name, role=role), PERMISSIONS_OF[role], is_local=True)
