"""Collection ``counters``: when the newest page and the newest match were first seen, to the minute.

Lists that start with new records are read in pieces from there back, see :mod:`storage.collections.keyset`.
A row newer than the mark is in the first piece, so the mark is written once a minute, not for each row.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

from storage.collections.checked import CheckedDatabase

_STEP = timedelta(minutes=1)
Listed = Literal["matches", "pages"]


class Newest:
    """The mark of one collection. Every method raises ``ServiceDown`` or ``StorageFailed``.

    Args:
        database: the database.
        collection: the collection of the rows.
    """

    def __init__(self, database: CheckedDatabase, collection: Listed) -> None:
        self._counters, self._rows = database["counters"], database[collection]
        self.name = f"newest {collection}"
        self._noted: datetime | None = None

    def ensure_schema(self) -> None:
        """Record the newest row of a database without a mark. Idempotent."""
        if self.moment() is None:
            rows = self._rows.aggregate({"$group": {"_id": None, "newest": {"$max": "$first_seen"}}})
            self.record(row["newest"] for row in rows)

    def record(self, moments: Iterable[datetime]) -> None:
        """Record when new rows were first seen."""
        newest = max(moments, default=None)
        if newest is None or (self._noted is not None and newest < self._noted + _STEP):
            return
        self._counters.update_one({"_id": self.name}, {"$max": {"value": newest}}, upsert=True)
        self._noted = newest

    def moment(self) -> datetime | None:
        """Return about when the newest row was first seen; None without rows."""
        row = self._counters.find_one({"_id": self.name})
        return row["value"] if row else None
