"""Collection ``site_lookups``: who may answer for a site, as the last look-up found it."""

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records import SiteLookup


class SiteLookupStore:
    """Look-ups by site. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._lookups = database["site_lookups"]

    def save(self, lookup: SiteLookup) -> None:
        """Insert or replace the look-up of a site."""
        document = to_document(lookup)
        self._lookups.replace_one({"_id": document["_id"]}, document, upsert=True)

    def find(self, site: str) -> SiteLookup | None:
        """Return the last look-up of a site; None if there is none."""
        row = self._lookups.find_one({"_id": site})
        return None if row is None else from_document(SiteLookup, row)
