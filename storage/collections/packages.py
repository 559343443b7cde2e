"""Collection ``packages``: evidence packages that users may download."""

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import from_document, to_document
from storage.collections.owners import Owners
from storage.records import KeptPackage
from system.errors import UnknownId


class PackageStore:
    """Packages by number. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._packages = database["packages"]
        self._owners = Owners(database)

    def ensure_schema(self) -> None:
        """Create the indexes; safe to repeat."""
        for leading in ((), ("owner",)):
            self._packages.create_index([*((field, 1) for field in leading), ("made", -1), ("_id", 1)])

    def add(self, package: KeptPackage) -> None:
        """Store the record of a package; a package of several rights holders has no owner mark."""
        owners = set(self._owners.of(package.works).values())
        owner = owners.pop() if len(owners) == 1 else ""
        self._packages.insert_new([{**to_document(package, key="number"), "owner": owner}])

    def get(self, number: str) -> KeptPackage:
        """Return a package.

        Raises:
            UnknownId: there is no package of that number.
        """
        row = self._packages.find_one({"_id": number})
        if row is None:
            raise UnknownId(kind="package", name=number)
        return from_document(KeptPackage, row, key="number")
