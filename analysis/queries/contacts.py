"""Contacts: the recipients of notices at sites, hosts, search engines and law firms."""

from collections.abc import Iterator

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Contact


def list_contacts(
    identity: Identity, stores: Stores, *, site: str | None = None, limit: int | None = None
) -> Iterator[Contact]:
    """Return contacts sorted by site and role.

    Args:
        identity: the user or program that asks.
        stores: the database.
        site: only contacts of this site; None: of all sites.
        limit: maximum number; None: all.

    Raises:
        NotPermitted: the user may not read letters.
    """
    identity.require("notices:read")
    return stores.contacts.listed(site=site, limit=limit or 0)
