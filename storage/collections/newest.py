"""Collection ``counters``: when the newest page and the newest match were first seen, to the minute.

Lists that start with the newest record read pieces of time from this mark backwards, see
:mod:`storage.collections.keyset`. The first piece also contains rows newer than the mark, so it is enough to
update the mark once a minute.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Literal

from storage.collections.checked import CheckedDatabase

_STEP = timedelta(minutes=1)
Listed = Literal["matches", "pages"]


class Newest:
    """The time mark of one collection. Every method raises ``ServiceDown`` or ``StorageFailed``.

    Args:
        database: the database.
        collection: the collection of the rows.
    """

    def __init__(self, database: CheckedDatabase, collection: Listed) -> None:
        self._counters, self._rows = database["counters"], database[collection]
        self.name = f"newest {collection}"
        self._noted: datetime | None = None

    def ensure_schema(self) -> None:
        """Set the mark from the newest row if the database has no mark yet. Idempotent."""
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
        """Return approximately when the newest row was first seen; None if there are no rows."""
        row = self._counters.find_one({"_id": self.name})
        return row["value"] if row else None
