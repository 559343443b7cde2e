"""Collection ``evidence_keys``: the public keys of the installation, in order. A stored key never changes."""

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records.evidence_log import InstallationKey


class EvidenceKeyStore:
    """Public keys by their number. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._keys = database["evidence_keys"]

    def add(self, key: InstallationKey) -> bool:
        """Store a key; returns False if a key with this number exists."""
        return self._keys.insert_new([to_document(key)])[0]

    def all(self) -> list[InstallationKey]:
        """Return all keys in order. There are few, because users create each key by hand."""
        rows = [from_document(InstallationKey, row) for row in self._keys.find({})]
        return sorted(rows, key=lambda key: key.id)
