"""Leases: a record is worked on by one worker at a time, and never forgotten.

Theory of operation. A dispatcher *reserves* free records under a fresh token and sends their ids with that
token in a message. The worker *takes* each record: the conditional update succeeds only while the token is
the record's own and nobody took it before, so a message that is delivered twice does nothing the second
time. Finishing frees the lease together with the state change. A killed worker, a lost message or a
flushed queue leave a lease that expires; the next dispatch reserves the record again.

A free record has a lease that ended long ago, so that every condition is a plain comparison beside ``_id``:
SecantusDB answers an ``$or`` by reading the collection. Dispatching reads the ids of the waiting records
(an equality on an indexed field) and should be done every few seconds, not after every task.
"""

import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from pymongo.collection import Collection

from storage.documents import Document
from storage.records import FREE

MAX_ATTEMPTS = 5
_CHUNK = 200  # ids in one update: SecantusDB looks each of them up


@dataclass(frozen=True, slots=True)
class Reserved:
    """What a reservation got.

    Attributes:
        token: names the reservation.
        ids: the records that it may hold.
        exhausted: records that were begun ``MAX_ATTEMPTS`` times and never finished: they kill their worker.
    """

    token: str
    ids: list[Any]
    exhausted: list[Any]


def freed() -> Document:
    """Return the lease of a record that anybody may reserve."""
    return asdict(FREE)


def reserve(
    collection: Collection[Document],
    waiting: Mapping[str, Any],
    *,
    count: int,
    now: datetime,
    lease_s: float,
) -> Reserved:
    """Reserve waiting records so that at most about ``count`` are reserved and not taken yet.

    Args:
        collection: where the records are.
        waiting: equality filter that only waiting records match, on an indexed field.
        count: how many may be on their way to workers at once.
        now: the present time.
        lease_s: how long the reservation lasts.

    Returns:
        The token, the reserved ids, and the ids of records that nobody ever finished.
    """
    rows = list(collection.find(dict(waiting), {"lease": 1, "attempts": 1}))
    on_their_way = sum(row["lease"]["until"] > now and not row["lease"]["taken"] for row in rows)
    free = [row for row in rows if row["lease"]["until"] <= now]
    exhausted = [row["_id"] for row in free if row.get("attempts", 0) >= MAX_ATTEMPTS]
    fresh = [row["_id"] for row in free if row.get("attempts", 0) < MAX_ATTEMPTS]
    chosen = fresh[: max(0, count - on_their_way)]
    token = uuid.uuid4().hex
    lease = {"token": token, "until": now + timedelta(seconds=lease_s), "taken": False}
    for start in range(0, len(chosen), _CHUNK):
        ids = {"$in": chosen[start : start + _CHUNK]}
        collection.update_many(
            {"_id": ids, **waiting, "lease.until": {"$lte": now}}, {"$set": {"lease": lease}}
        )
    return Reserved(token, chosen, exhausted)


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
        {
            "$set": {"lease.taken": True, "lease.until": now + timedelta(seconds=lease_s)},
            "$inc": {"attempts": 1},
        },
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
