"""What is stored of a person, for those who answer the person's request."""

from collections.abc import Iterator

from analysis.accounts.permissions import Identity
from analysis.evidence import erasing
from analysis.evidence.erasing import PersonalData
from storage.collections.stores import Stores


def data_of(identity: Identity, stores: Stores, name: str) -> Iterator[PersonalData]:
    """Yield what is stored of a person.

    Raises:
        NotPermitted: accounts are not this one's to see.
        NameTooShort: the name is no name.
        ServiceDown, StorageFailed: the database refused.
    """
    identity.require("accounts:write")
    yield from erasing.personal_data_of(name, stores)
