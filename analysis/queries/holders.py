"""What is known of rights holders."""

from analysis.accounts.permissions import Identity
from storage.collections.stores import Stores
from storage.records import Holder
from system.errors import UnknownId


def holder_of(who: Identity, stores: Stores, name: str) -> Holder:
    """Return what is known of a holder that works name; only its name where nothing is.

    Raises:
        NotPermitted, UnknownId: it is not this one's to know.
        ServiceDown: MongoDB does not answer.
    """
    who.require("works:write")
    if not name or not who.may_see(name):
        raise UnknownId(kind="holder", name=name)
    return stores.holders.find(name) or Holder(name=name)
