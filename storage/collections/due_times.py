"""Collection ``turns``: the last finished due time of each schedule, so each is processed once.

Several beats send the same message at the same due time, and their clocks differ. The process that handles a
due time has a lease on it. When it finishes, it records the due time, so this or an earlier due time is not
started again. The lease of a killed process expires.
"""

import uuid
from datetime import datetime, timedelta

from storage.collections.checked import CheckedDatabase
from storage.collections.documents import Document
from storage.records import FREE


class DueTimeStore:
    """Finished due times by the schedule's name. Every method raises ``ServiceDown`` or ``StorageFailed``."""

    def __init__(self, database: CheckedDatabase) -> None:
        self._turns = database["turns"]
        self._now = database.now

    def begin(self, name: str, due: datetime, *, lease_s: float) -> str | None:
        """Begin to process a due time, under a lease.

        Args:
            name: name of the schedule.
            due: aware.
            lease_s: seconds in which no other process starts it.

        Returns:
            A token to end it; None if it or a later one is finished, or another process works on it.
        """
        never: Document = {"due": FREE.until, "until": FREE.until, "token": ""}
        self._turns.update_one({"_id": name}, {"$setOnInsert": never}, upsert=True)
        now, token = self._now(), uuid.uuid4().hex
        lease = {"token": token, "until": now + timedelta(seconds=lease_s)}
        undone = {"_id": name, "due": {"$lt": due}, "until": {"$lte": now}}
        return token if self._turns.update_one(undone, {"$set": lease}).modified_count == 1 else None

    def is_done(self, name: str, due: datetime) -> bool:
        """Return whether this or a later due time is finished."""
        row = self._turns.find_one({"_id": name}, {"due": 1})
        return row is not None and bool(row["due"] >= due)

    def is_missed(self, name: str, due: datetime, *, now: datetime) -> bool:
        """Return whether a due time was missed.

        A schedule that the database does not know yet has missed nothing until ``now``.
        """
        begun: Document = {"due": now, "until": FREE.until, "token": ""}
        self._turns.update_one({"_id": name}, {"$setOnInsert": begun}, upsert=True)
        return not self.is_done(name, due)

    def skip_until(self, name: str, now: datetime) -> None:
        """Count due times until now as finished, because the schedule changed: it has missed nothing."""
        begun: Document = {"until": FREE.until, "token": ""}
        self._turns.update_one({"_id": name}, {"$max": {"due": now}, "$setOnInsert": begun}, upsert=True)

    def end(self, name: str, token: str, *, finished: datetime | None) -> None:
        """Release the lease of a token on a due time; ``finished``: no process starts this due time again."""
        free: Document = {"until": FREE.until, "token": ""} | ({"due": finished} if finished else {})
        self._turns.update_one({"_id": name, "token": token}, {"$set": free})
