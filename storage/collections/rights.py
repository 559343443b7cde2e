"""Rights of MongoDB's user: the built-in role ``readWrite`` is enough for daily work.

Two commands also need the action ``collMod`` (role ``dbAdmin``): ``pindna upgrade`` if a validator changes,
and ``pindna backup restore``. Both check for this right before they change anything.

Source: the MongoDB manual, "Built-In Roles" and ``connectionStatus``.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pymongo.database import Database
from pymongo.errors import OperationFailure

from storage.collections.documents import Document, address_of, mongo_errors
from system.errors import MissingPermission

CHANGE_COLLECTIONS = "collMod"
# The actions of daily work; ``readWrite`` contains all of them.
DAILY = (
    "find",
    "insert",
    "update",
    "remove",
    "createCollection",
    "dropCollection",
    "createIndex",
    "dropIndex",
    "listCollections",
    "listIndexes",
)
_COMMAND_NOT_FOUND = 59
_ROLES = {CHANGE_COLLECTIONS: "dbAdmin"}


class ActionMissing(MissingPermission):
    """The user lacks an action. Data: ``address``, ``setting``, ``right``, ``role``, ``database``."""

    code = "action-missing"

    template = (
        "MongoDB at {address} does not allow the user of {setting} the action `{right}` on the database "
        "{database}. A user with the role `userAdmin` can allow it in `mongosh`, in the user's database: "
        '`db.grantRolesToUser("USER", [{{role: "{role}", db: "{database}"}}])`.'
    )


def right_missing(database: Database[Document], right: str) -> ActionMissing:
    """Return the error for an action that the user has no right to."""
    return ActionMissing(
        service="MongoDB",
        address=address_of(database),
        setting="storage.mongo_url",
        right=right,
        role=_ROLES.get(right, "readWrite"),
        database=database.name,
    )


def missing_rights(database: Database[Document], rights: Iterable[str]) -> list[str]:
    """Return the actions to which the user certainly has no right on a whole database.

    If a server has no logins or does not list privileges, no missing right is certain.
    """
    with mongo_errors(database):
        try:
            status = database.command("connectionStatus", showPrivileges=True)
        except OperationFailure as error:
            if error.code != _COMMAND_NOT_FOUND:
                raise
            return []
    privileges = status.get("authInfo", {}).get("authenticatedUserPrivileges", ())
    allowed = {
        action
        for privilege in privileges
        if _covers_database(privilege["resource"], database.name)
        for action in privilege["actions"]
    }
    return [right for right in rights if privileges and right not in allowed and "anyAction" not in allowed]


def require_right(database: Database[Document], right: str) -> None:
    """Check that the user may execute an action, as far as the server reports.

    Raises:
        ActionMissing: the user lacks the action.
    """
    if missing_rights(database, [right]):
        raise right_missing(database, right)


def _covers_database(resource: Mapping[str, Any], database: str) -> bool:
    """Return whether a privilege covers every collection of a database."""
    is_of_database = resource.get("db") in {"", database} and resource.get("collection") == ""
    return bool(resource.get("anyResource")) or is_of_database
