"""Permissions of roles, and of programs that act for an account.

A rights holder sees its own works and the matches of them. :meth:`Identity.may_see` checks every shown
record, in addition to the permission for its kind.
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
    """An account or its token lacks a permission.

    Attributes:
        name: the account, with the token.
        permission: the missing permission.
    """

    template = "{name} lacks the permission {permission}. Ask an administrator."


@dataclass(frozen=True, slots=True)
class Identity:
    """The authenticated user or program, with its permissions.

    Attributes:
        account: the account.
        permissions: its permissions.
        token: name of the token of a program; empty for a user.
        is_local: a user of the command line on the installation's machine, which has no sign-in.
    """

    account: Account
    permissions: frozenset[Permission]
    token: str = ""
    is_local: bool = False

    @property
    def name(self) -> str:
        """Name for records: the account, with the token if there is one."""
        return f"{self.account.name} ({self.token})" if self.token else self.account.name

    @property
    def origin(self) -> Mapping[str, str]:
        """Return the origin for the audit log; empty after a sign-in."""
        return {"from": "terminal"} if self.is_local else {}

    def require(self, permission: Permission) -> None:
        """Check a permission.

        Raises:
            NotPermitted: it is missing.
        """
        if permission not in self.permissions:
            log.warning("%s lacks the permission %s", self.name, permission)
            raise NotPermitted(name=self.name, permission=permission)

    @property
    def sees_everything(self) -> bool:
        """Whether the identity may see the works of all holders."""
        return self.account.role != "holder"

    def may_see(self, holder: str) -> bool:
        """Return whether the identity may see the works of a holder and their matches.

        Args:
            holder: name in the work; works without one are visible to those who see everything.
        """
        if self.sees_everything:
            return True
        return bool(holder) and name_key(holder) in {
            name_key(holder_name) for holder_name in self.account.holders
        }


def identity_of(account: Account, token: Token | None = None) -> Identity:
    """Return the identity of an account, or of its token, which never exceeds the account's role."""
    permissions = PERMISSIONS_OF[account.role]
    if token is None:
        return Identity(account, permissions)
    return Identity(account, permissions & frozenset(token.scopes), token.id)


def local_identity(name: str, role: Role) -> Identity:
    """Return the identity of a user of the command line, which has no sign-in.

    Args:
        name: name of the user; it needs no account.
        role: role of the command line in the settings.
    """
    return Identity(Account(name=name, role=role), PERMISSIONS_OF[role], is_local=True)
