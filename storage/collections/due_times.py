"""Collection ``turns``: which due time of a schedule was attended to last, so that each is attended to once.

Several beats send the same message at the same due time, by clocks that differ. Who attends to a due time has
a lease on it, and notes it when it is done: the same one, or an earlier one, is not begun again. Who is
killed in between leaves a lease that ends.
"""

import uuid
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records import FREE


class DueTimeStore:
    """Due times by the name of what is due. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._turns = database["turns"]
        self._now = database.now

    def begin(self, name: str, due: datetime, *, lease_s: float) -> str | None:
        """Begin to attend to a due time.

        Args:
            name: of what is due.
            due: aware.
            lease_s: how long nobody else begins.

        Returns:
            A token to end it with; None when it, or a later one, was attended to, or somebody else is at it.
        """
        never: Document = {"due": FREE.until, "until": FREE.until, "token": ""}
        self._turns.update_one({"_id": name}, {"$setOnInsert": never}, upsert=True)
        now, token = self._now(), uuid.uuid4().hex
        lease = {"token": token, "until": now + timedelta(seconds=lease_s)}
        undone = {"_id": name, "due": {"$lt": due}, "until": {"$lte": now}}
        return token if self._turns.update_one(undone, {"$set": lease}).modified_count == 1 else None

    def is_done(self, name: str, due: datetime) -> bool:
        """Return whether a due time, or a later one, was attended to."""
        row = self._turns.find_one({"_id": name}, {"due": 1})
        return row is not None and bool(row["due"] >= due)

    def is_missed(self, name: str, due: datetime, *, now: datetime) -> bool:
        """Return whether nobody attended to a due time; what is new here has missed nothing until ``now``."""
        begun: Document = {"due": now, "until": FREE.until, "token": ""}
        self._turns.update_one({"_id": name}, {"$setOnInsert": begun}, upsert=True)
        return not self.is_done(name, due)

    def end(self, name: str, token: str, *, finished: datetime | None) -> None:
        """Let go of a due time, if it is still ours; ``done``: it was attended to, and is not begun again."""
        free: Document = {"until": FREE.until, "token": ""} | ({"due": finished} if finished else {})
        self._turns.update_one({"_id": name, "token": token}, {"$set": free})
