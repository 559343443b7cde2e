"""Leases: a record is worked on by one worker at a time, and never forgotten.

Theory of operation. A dispatcher *reserves* free records under a fresh token and sends their ids with that
token in a message. The worker *takes* each record: the conditional update succeeds only while the token is
the record's own and nobody took it before, so a message that is delivered twice does nothing the second
time. Finishing frees the lease together with the state change. A killed worker, a lost message or a
flushed queue leave a lease that expires; the next dispatch reserves the record again.

A free record has a lease that ended long ago, so that every condition is a plain comparison beside ``_id``:
SecantusDB answers an ``$or`` by reading the collection.

What a dispatch reads is bounded by what it sends, however much waits. A record of a collection that grows is
stored with a *shard*, a number that its id gives; waiting records are read by shard, one and then more at a
time, from a random one on, until there are enough. Those on their way have a lease that ends in the future.

Many records are changed by one command for every fifty: it waits for the journal once, and SecantusDB
compares every record with every id of a long ``$in``.
"""

import hashlib
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from pymongo.collection import Collection

from storage.collections.documents import IN_ONE, Document, find_among
from storage.records import FREE

MAX_ATTEMPTS = 5
SHARDS = 64
_KEPT_PARTS = 4  # a lease is kept alive so many times in its length


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


def shard_of(record_id: object) -> int:
    """Return the number of a record's shard.

    >>> shard_of(7), shard_of("7")
    (23, 23)
    """
    return hashlib.sha256(str(record_id).encode()).digest()[0] % SHARDS


def reserve(
    collection: Collection[Document],
    waiting: Mapping[str, Any],
    *,
    count: int,
    now: datetime,
    lease_s: float,
    sharded: bool = True,
) -> Reserved:
    """Reserve waiting records so that at most about ``count`` are reserved and not taken yet.

    Args:
        collection: where the records are.
        waiting: equality filter that only waiting records match, on a field that is indexed together with
            ``shard`` and with ``lease.until``.
        count: how many may be on their way to workers at once.
        now: the present time.
        lease_s: how long the reservation lasts.
        sharded: the records have shards; False for collections that stay small.

    Returns:
        The token, the reserved ids, and the ids of records that nobody ever finished.
    """
    held = collection.find({**waiting, "lease.until": {"$gt": now}}, {"lease.taken": 1})
    wanted = max(0, count - sum(not row["lease"]["taken"] for row in held))
    exhausted: list[Any] = []
    chosen: list[Any] = []
    for part in _parts() if sharded else [{}]:
        if len(chosen) >= wanted:
            break
        for row in collection.find({**waiting, **part}, {"lease": 1, "attempts": 1}):
            if row["lease"]["until"] <= now:
                spent = row.get("attempts", 0) >= MAX_ATTEMPTS
                (exhausted if spent else chosen).append(row["_id"])
    del chosen[wanted:]
    token = uuid.uuid4().hex
    lease = {"token": token, "until": now + timedelta(seconds=lease_s), "taken": False}
    _update(collection, chosen, {**waiting, "lease.until": {"$lte": now}}, {"$set": {"lease": lease}})
    return Reserved(token, chosen, exhausted)


def _update(
    collection: Collection[Document], ids: Sequence[Any], condition: Mapping[str, Any], change: Document
) -> int:
    """Change those of some records that meet a condition; returns how many met it."""
    return sum(
        collection.update_many(
            {"_id": {"$in": ids[start : start + IN_ONE]}, **condition}, change
        ).matched_count
        for start in range(0, len(ids), IN_ONE)
    )


def _parts() -> Iterator[Document]:
    """Yield conditions that together match every shard once: one shard, then twice as many each time."""
    first, size, start = random.randrange(SHARDS), 1, 0  # noqa: S311 - no secret
    while start < SHARDS:
        shards = [(first + each) % SHARDS for each in range(start, min(start + size, SHARDS))]
        yield {"shard": {"$in": shards}}
        start, size = start + size, size * 2


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


def take_many(
    collection: Collection[Document],
    ids: Sequence[Any],
    waiting: Mapping[str, Any],
    *,
    token: str,
    now: datetime,
    lease_s: float,
) -> tuple[str, list[Any]]:
    """Begin work on some reserved records.

    Returns:
        The token that the records carry from now on, this taker's own, and those that it got.
    """
    own = uuid.uuid4().hex
    begun = {
        "$set": {
            "lease.token": own,
            "lease.taken": True,
            "lease.until": now + timedelta(seconds=lease_s),
        },
        "$inc": {"attempts": 1},
    }
    reserved = {**waiting, "lease.token": token, "lease.taken": False}
    if not _update(collection, ids, reserved, begun):
        return own, []
    rows = find_among(collection, "_id", ids, {"_id": 1}, {"lease.token": own})
    return own, [row["_id"] for row in rows]


def extend(
    collection: Collection[Document], record_id: object, *, token: str, now: datetime, lease_s: float
) -> bool:
    """Push the end of a lease that is still ours; False when it is not."""
    result = collection.update_one(
        {"_id": record_id, "lease.token": token},
        {"$set": {"lease.until": now + timedelta(seconds=lease_s)}},
    )
    return result.matched_count == 1


def extend_many(
    collection: Collection[Document], ids: Sequence[Any], *, token: str, now: datetime, lease_s: float
) -> bool:
    """Push the ends of leases that are still ours; False when one of them is not."""
    until = {"$set": {"lease.until": now + timedelta(seconds=lease_s)}}
    return _update(collection, ids, {"lease.token": token}, until) == len(ids)


class Keeper:
    """Keeps leases alive during work of unknown length, as often as is needed and not more often.

    Args:
        extend: pushes their ends; False when one was lost.
        lease_s: how long they last.
    """

    def __init__(self, extend: Callable[[], bool], lease_s: float) -> None:
        self._extend = extend
        self._every_s = lease_s / _KEPT_PARTS
        self._last = time.monotonic()

    def __call__(self) -> bool:
        """Return False when a lease was lost; called as often as one likes."""
        if time.monotonic() - self._last < self._every_s:
            return True
        self._last = time.monotonic()
        return self._extend()
