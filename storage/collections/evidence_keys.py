"""Collection ``evidence_keys``: the public keys of the installation, in order; none is ever changed."""

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.records.evidence_log import InstallationKey


class EvidenceKeyStore:
    """Public keys by their number. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._keys = database["evidence_keys"]

    def add(self, key: InstallationKey) -> bool:
        """Keep a key; False when another one has its number."""
        return self._keys.insert_new([to_document(key)])[0]

    def all(self) -> list[InstallationKey]:
        """Return every key, the first one first; there are as many as were made by hand."""
        rows = [from_document(InstallationKey, row) for row in self._keys.find({})]
        return sorted(rows, key=lambda key: key.id)
