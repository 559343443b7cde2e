"""Leases: a record is worked on by one worker at a time, and never forgotten.

Theory of operation. A dispatcher *reserves* free records under a fresh token and sends their ids with that
token in a message. The worker *takes* each record: the conditional update succeeds only while the token is
the record's own and nobody took it before, so a message that is delivered twice does nothing the second
time. Finishing clears the lease together with the state change. A killed worker, a lost message or a
flushed queue leave a lease that expires; the next dispatch reserves the record again.

Every update is conditional on ``_id`` and costs one indexed write; there is no polling over the collection
except the equality query for records in the waiting state.
"""

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pymongo import UpdateOne
from pymongo.collection import Collection

from storage.documents import Document


def new_token() -> str:
    """Return a token that no other reservation has."""
    return uuid.uuid4().hex


def free_ids(collection: Collection[Document], waiting: Mapping[str, Any], *, now: datetime) -> list[Any]:
    """Return the ids of records that wait (equality filter) and are under no live lease."""
    rows = collection.find(dict(waiting), {"lease.until": 1})
    return [row["_id"] for row in rows if (lease := row.get("lease")) is None or lease["until"] <= now]


def reserve(
    collection: Collection[Document],
    ids: Iterable[Any],
    waiting: Mapping[str, Any],
    *,
    token: str,
    now: datetime,
    lease_s: float,
) -> int:
    """Reserve waiting records for the bearer of ``token``; records that someone else holds are skipped."""
    until = now + timedelta(seconds=lease_s)
    lease = {"token": token, "until": until, "taken": False}
    updates = [
        UpdateOne(
            {"_id": each, **waiting, "$or": [{"lease": None}, {"lease.until": {"$lte": now}}]},
            {"$set": {"lease": lease}},
        )
        for each in ids
    ]
    return collection.bulk_write(updates, ordered=False).modified_count if updates else 0


def take(
    collection: Collection[Document],
    record_id: object,
    waiting: Mapping[str, Any],
    *,
    token: str,
    now: datetime,
    lease_s: float,
) -> bool:
    """Begin work on a reserved record; False when the reservation is gone or was used already."""
    result = collection.update_one(
        {"_id": record_id, **waiting, "lease.token": token, "lease.taken": False},
        {"$set": {"lease.taken": True, "lease.until": now + timedelta(seconds=lease_s)}},
    )
    return result.modified_count == 1


def extend(
    collection: Collection[Document], record_id: object, *, token: str, now: datetime, lease_s: float
) -> bool:
    """Push the end of a lease that is still ours; False when it is not."""
    result = collection.update_one(
        {"_id": record_id, "lease.token": token},
        {"$set": {"lease.until": now + timedelta(seconds=lease_s)}},
    )
    return result.matched_count == 1
