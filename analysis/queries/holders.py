"""Rights holders: how to reach them, and which documents prove their rights."""

from collections.abc import Iterator
from itertools import islice

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Holder
from system.errors import UnknownId


def holder_of(identity: Identity, stores: Stores, name: str) -> Holder:
    """Return what is known of a holder that works name; only its name where nothing is.

    Raises:
        NotPermitted, UnknownId: it is not this one's to know.
    """
    return find_holder(identity, stores, name) or Holder(name=name)


def find_holder(identity: Identity, stores: Stores, name: str) -> Holder | None:
    """Return a holder that was added; None if none of that name was.

    Raises:
        NotPermitted, UnknownId: it is not this one's to know.
    """
    identity.require("works:write")
    if not name or not identity.may_see(name):
        raise UnknownId(kind="holder", name=name)
    return stores.holders.find(name)


def get_holder(identity: Identity, stores: Stores, name: str) -> Holder:
    """Return a holder that was added.

    Raises:
        NotPermitted, UnknownId: it is not this one's to know.
        UnknownRecord: there is none of that name; the error has the names like it.
    """
    return find_holder(identity, stores, name) or stores.holders.get(name)


def list_holders(identity: Identity, stores: Stores, *, limit: int | None = None) -> Iterator[Holder]:
    """Return the holders that were added by name, ``limit`` at most; None: all.

    Raises:
        NotPermitted: holders are not this one's to know.
    """
    identity.require("works:write")
    return islice((holder for holder in stores.holders.listed() if identity.may_see(holder.name)), limit)
