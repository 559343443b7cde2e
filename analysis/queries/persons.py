"""Personal data of a person, to answer the person's request for it."""

from collections.abc import Iterator

from analysis.accounts.permissions import Identity
from analysis.evidence import erasing
from analysis.evidence.erasing import PersonalData
from storage.collections.stores import Stores


def data_of(identity: Identity, stores: Stores, name: str) -> Iterator[PersonalData]:
    """Yield the stored rows that contain a person's name.

    Raises:
        NotPermitted: the user may not see accounts.
        NameTooShort: the name is too short.
        ServiceDown, StorageFailed: the database refused.
    """
    identity.require("accounts:write")
    yield from erasing.personal_data_of(name, stores)
