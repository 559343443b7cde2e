"""Collection ``counters``: when the newest page and the newest match were seen first, to the minute.

Lists that begin with what is new are read in pieces from there back, see
:mod:`storage.collections.walking`. A row that is newer than the mark is in the first piece, so the mark is
written once a minute, not for each row.
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
        database: where it is.
        collection: whose rows are new.
    """

    def __init__(self, database: CheckedDatabase, collection: Listed) -> None:
        self._counters, self._rows = database["counters"], database[collection]
        self.name = f"newest {collection}"
        self._noted: datetime | None = None

    def ensure_schema(self) -> None:
        """Note the newest row of a database that has no mark yet; safe to repeat."""
        if self.moment() is None:
            rows = self._rows.aggregate({"$group": {"_id": None, "newest": {"$max": "$first_seen"}}})
            self.record(row["newest"] for row in rows)

    def record(self, moments: Iterable[datetime]) -> None:
        """Note when new rows were seen first."""
        newest = max(moments, default=None)
        if newest is None or (self._noted is not None and newest < self._noted + _STEP):
            return
        self._counters.update_one({"_id": self.name}, {"$max": {"value": newest}}, upsert=True)
        self._noted = newest

    def moment(self) -> datetime | None:
        """Return about when the newest row was seen first; None: no row was noted."""
        row = self._counters.find_one({"_id": self.name})
        return row["value"] if row else None
