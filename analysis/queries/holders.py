"""Rights holders: their contact data, and the documents that prove their rights."""

from collections.abc import Iterator
from itertools import islice

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Holder
from system.errors import UnknownId


def holder_of(identity: Identity, stores: Stores, name: str) -> Holder:
    """Return the holder that works name; with only its name if it was not added.

    Raises:
        NotPermitted, UnknownId: the user may not see the holder.
    """
    return find_holder(identity, stores, name) or Holder(name=name)


def find_holder(identity: Identity, stores: Stores, name: str) -> Holder | None:
    """Return a holder that was added; None if no holder of that name was added.

    Raises:
        NotPermitted, UnknownId: the user may not see the holder.
    """
    identity.require("works:write")
    if not name or not identity.may_see(name):
        raise UnknownId(kind="holder", name=name)
    return stores.holders.find(name)


def get_holder(identity: Identity, stores: Stores, name: str) -> Holder:
    """Return a holder that was added.

    Raises:
        NotPermitted, UnknownId: the user may not see the holder.
        UnknownRecord: there is no holder of that name. The error contains similar names.
    """
    return find_holder(identity, stores, name) or stores.holders.get(name)


def list_holders(identity: Identity, stores: Stores, *, limit: int | None = None) -> Iterator[Holder]:
    """Return the holders that were added, sorted by name, at most ``limit`` of them; None: all.

    Raises:
        NotPermitted: the user may not see holders.
    """
    identity.require("works:write")
    return islice((holder for holder in stores.holders.listed() if identity.may_see(holder.name)), limit)
