"""Collection ``contacts``: addressees of complaints: sites, hosting providers, search engines, law firms."""

from collections.abc import Iterator

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document, from_document, to_document
from storage.records import Contact, ContactRole

_BY_SITE = (("site", 1), ("role", 1))


def contact_id(role: ContactRole, site: str) -> str:
    """Return the natural key of a contact as one string."""
    return f"{role}:{site}"


class ContactStore:
    """Contacts by role and site. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._contacts = database["contacts"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._contacts.create_index(_BY_SITE)
        self._contacts.create_index([("role", 1), ("site", 1)])

    def save(self, contact: Contact) -> None:
        """Insert or replace a contact."""
        document = to_document(contact)
        self._contacts.replace_one({"_id": document["_id"]}, document, upsert=True)

    def find(self, role: ContactRole, site: str) -> Contact | None:
        """Return a contact; None if it does not exist."""
        row = self._contacts.find_one({"_id": contact_id(role, site)})
        return None if row is None else from_document(Contact, row)

    def listed(
        self, *, site: str | None = None, role: ContactRole | None = None, limit: int = 0
    ) -> Iterator[Contact]:
        """Yield contacts by site and role.

        Args:
            site: only those of this site.
            role: only those in this role.
            limit: how many at most; 0: all.
        """
        fields = {"site": site, "role": role}
        query: Document = {field: value for field, value in fields.items() if value is not None}
        for row in self._contacts.find(query, sort=_BY_SITE, limit=limit):
            yield from_document(Contact, row)

    def delete(self, role: ContactRole, site: str) -> bool:
        """Delete a contact; returns whether it existed."""
        return self._contacts.delete_one({"_id": contact_id(role, site)}).deleted_count > 0
