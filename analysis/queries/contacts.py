"""Whom to write to at a site, its host, a search engine or the holder's law firm."""

from collections.abc import Iterator

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Contact


def list_contacts(
    identity: Identity, stores: Stores, *, site: str | None = None, limit: int | None = None
) -> Iterator[Contact]:
    """Return contacts by site and role.

    Args:
        identity: asks.
        stores: the database.
        site: only those of this one; None: of all.
        limit: how many at most; None: all.

    Raises:
        NotPermitted: letters are not this one's to read.
    """
    identity.require("notices:read")
    return stores.contacts.listed(site=site, limit=limit or 0)
