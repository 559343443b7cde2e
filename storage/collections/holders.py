"""Collections ``holders`` and ``holder_files``: rights holders, and the documents that prove their rights."""

import hashlib
from collections.abc import Iterator

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.naming import neighbours
from storage.records import Holder
from system.errors import MistakenName, UnknownHolder, UnknownId
from system.names import similar_names

MAX_FILE_BYTES = 12 * 1024 * 1024  # below MongoDB's limit of 16 MB for a document


class HolderStore:
    """Holders by name. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._holders = database["holders"]
        self._files = database["holder_files"]

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        self._holders.create_index("documents.sha256")

    def save(self, holder: Holder) -> None:
        """Insert or replace a holder."""
        document = to_document(holder, key="name")
        self._holders.replace_one({"_id": document["_id"]}, document, upsert=True)

    def find(self, name: str) -> Holder | None:
        """Return the holder with this name; None if there is no such holder."""
        row = self._holders.find_one({"_id": name})
        return None if row is None else from_document(Holder, row, key="name")

    def get(self, name: str) -> Holder:
        """Return a holder.

        Raises:
            UnknownRecord: there is no such holder; the error contains similar names.
        """
        holder = self.find(name)
        if holder is None:
            near = similar_names(name, [row["_id"] for row in neighbours(self._holders, "_id", name)])
            if near:
                raise MistakenName(kind="holder", name=name, near=near)
            raise UnknownHolder(kind="holder", name=name)
        return holder

    def listed(self, *, limit: int = 0) -> Iterator[Holder]:
        """Yield holders by name.

        Args:
            limit: how many at most; 0: all.
        """
        for row in self._holders.find({}, sort=[("_id", 1)], limit=limit):
            yield from_document(Holder, row, key="name")

    def delete(self, name: str) -> None:
        """Delete a holder and its files, except files that another holder uses."""
        holder = self.find(name)
        self._holders.delete_one({"_id": name})
        for document in holder.documents if holder else ():
            self.delete_file(document.sha256)

    def save_file(self, data: bytes) -> str:
        """Store the bytes of a document; returns their SHA-256. Idempotent."""
        sha256 = hashlib.sha256(data).hexdigest()
        self._files.insert_new([{"_id": sha256, "data": data}])
        return sha256

    def file(self, sha256: str) -> bytes:
        """Return the bytes of a document.

        Raises:
            UnknownId: the document is not stored.
        """
        row = self._files.find_one({"_id": sha256})
        if row is None:
            raise UnknownId(kind="document", name=sha256)
        return bytes(row["data"])

    def delete_file(self, sha256: str) -> None:
        """Delete the bytes of a document, unless a holder still refers to it."""
        if self._holders.find_one({"documents.sha256": sha256}, {"_id": 1}) is None:
            self._files.delete_one({"_id": sha256})
