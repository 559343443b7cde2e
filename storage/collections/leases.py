"""Leases: a record is worked on by one worker at a time, and never forgotten.

Theory of operation. A dispatcher *reserves* free records under a fresh token and sends their ids with that
token in a message. The worker *takes* each record: the conditional update succeeds only while the record has
this token and is not taken, so a message that is delivered twice does nothing the second time. Finishing
frees the lease together with the state change. A killed worker, a lost message or a flushed queue leave a
lease that expires; the next dispatch reserves the record again.

A free record has a lease that ended long ago, so that every condition is a plain comparison next to ``_id``:
SecantusDB answers an ``$or`` by reading the collection.

What a dispatch reads is bounded by what it sends, however much waits. A record of a collection that grows is
stored with a *shard*, a number that its id gives; waiting records are read by shard, one and then more at a
time, from a random one on, until there are enough. Those on their way have a lease that ends in the future.

A message may wait in its queue for longer than a lease, on servers that are slow, say. The record is sent
again then, and the first message does nothing when its turn comes. Lest this go on for ever, a reservation
that nobody took is followed by one of twice its length.

Many records are changed fifty in one command: it waits for the journal once, and SecantusDB compares every
record with every id of a long ``$in``.
"""

import hashlib
import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from storage.collections.checked import CheckedCollection
from storage.collections.documents import Document
from storage.records import FREE

K = TypeVar("K", int, str)  # of a collection's ids

MAX_ATTEMPTS = 5
SHARDS = 64
_MAX_DOUBLINGS = 5  # of a reservation that nobody takes
_KEEPS = 4  # extensions of a lease within its length


def free_lease() -> Document:
    """Return the lease of a record that anybody may reserve."""
    return asdict(FREE)


def shard_of(record_id: object) -> int:
    """Return the number of a record's shard.

    >>> shard_of(7), shard_of("7")
    (23, 23)
    """
    return hashlib.sha256(str(record_id).encode()).digest()[0] % SHARDS


class Reservation(NamedTuple, Generic[K]):
    """What a dispatcher may send.

    Attributes:
        token: of the leases.
        ids: of the records that it may hold.
        is_all: nothing else was free: what still waits is on its way or in a worker's hands.
    """

    token: str
    ids: list[K]
    is_all: bool


class Leases(Generic[K]):
    """The leases of one collection's records.

    Args:
        collection: where the records are.
        waiting: equality filter that only waiting records match, on a field that is indexed together with
            ``shard`` and with ``lease.until``.
        now: the time that leases end by.
        sharded: the records have shards; False for collections that stay small.
    """

    def __init__(
        self,
        collection: CheckedCollection,
        waiting: Mapping[str, Any],
        *,
        now: Callable[[], datetime],
        sharded: bool = True,
    ) -> None:
        self._collection = collection
        self._waiting = waiting
        self._now = now
        self._sharded = sharded

    def reserve(self, *, count: int, lease_s: float, given_up: Mapping[str, Any]) -> Reservation[K]:
        """Reserve waiting records so that at most about ``count`` are reserved and not taken yet.

        Those that were begun ``MAX_ATTEMPTS`` times and never finished kill their worker and are set aside.

        Args:
            count: how many may be on their way to workers at once.
            lease_s: how long the reservation lasts, of a record whose last one was taken.
            given_up: the fields of a record that is set aside.
        """
        now = self._now()
        held = self._collection.find({**self._waiting, "lease.until": {"$gt": now}}, {"lease.taken": 1})
        wanted = max(0, count - sum(not row["lease"]["taken"] for row in held))
        exhausted: list[K] = []
        chosen: list[K] = []
        sent: dict[K, int] = {}
        for part in shard_parts() if self._sharded else [{}]:
            if len(chosen) >= wanted:
                break
            for row in self._collection.find(
                {**self._waiting, **part}, {"lease": 1, "attempts": 1, "sent": 1}
            ):
                if row["lease"]["until"] <= now:
                    is_spent = row.get("attempts", 0) >= MAX_ATTEMPTS
                    (exhausted if is_spent else chosen).append(row["_id"])
                    sent[row["_id"]] = row.get("sent", 0)
        is_all = len(chosen) < wanted
        del chosen[wanted:]
        token = uuid.uuid4().hex
        still_free = {**self._waiting, "lease.until": {"$lte": now}}
        for times in sorted({sent[record_id] for record_id in chosen}):
            length_s = lease_s * 2 ** min(times, _MAX_DOUBLINGS)
            lease = {"token": token, "until": now + timedelta(seconds=length_s), "taken": False}
            own = [record_id for record_id in chosen if sent[record_id] == times]
            self._collection.update_among(own, {"$set": {"lease": lease, "sent": times + 1}}, still_free)
        for record_id in exhausted:
            self._give_up(record_id, given_up)
        return Reservation(token, chosen, is_all)

    def _give_up(self, record_id: K, fields: Mapping[str, Any]) -> None:
        """Set a record aside, unless a worker has begun it once more in the meantime."""
        spent = {**self._waiting, "lease.until": {"$lte": self._now()}, "attempts": {"$gte": MAX_ATTEMPTS}}
        self._collection.update_one({"_id": record_id, **spent}, {"$set": fields})

    def take(self, record_id: K, *, token: str, lease_s: float) -> bool:
        """Begin work on a reserved record; False when the reservation is gone or was used already."""
        begun = {
            "$set": {
                "lease.taken": True,
                "lease.until": self._now() + timedelta(seconds=lease_s),
                "sent": 0,
            },
            "$inc": {"attempts": 1},
        }
        reserved = {"_id": record_id, **self._waiting, "lease.token": token, "lease.taken": False}
        return self._collection.update_one(reserved, begun).modified_count == 1

    def take_many(self, ids: Sequence[K], *, token: str, lease_s: float) -> tuple[str, list[K]]:
        """Begin work on some reserved records.

        Returns:
            The token that the records carry from now on, this taker's own, and those that it got.
        """
        own = uuid.uuid4().hex
        begun = {
            "$set": {
                "lease.token": own,
                "lease.taken": True,
                "lease.until": self._now() + timedelta(seconds=lease_s),
                "sent": 0,
            },
            "$inc": {"attempts": 1},
        }
        reserved = {**self._waiting, "lease.token": token, "lease.taken": False}
        if not self._collection.update_among(ids, begun, reserved):
            return own, []
        rows = self._collection.find_among("_id", ids, {"_id": 1}, {"lease.token": own})
        return own, [row["_id"] for row in rows]

    def extend(self, ids: Sequence[K], *, token: str, lease_s: float) -> bool:
        """Push the ends of leases that are still ours; False when one of them is not."""
        until = {"$set": {"lease.until": self._now() + timedelta(seconds=lease_s)}}
        return self._collection.update_among(ids, until, {"lease.token": token}) == len(ids)

    def keep(self, record_id: K, *, token: str, lease_s: float) -> bool:
        """Return whether a record is still ours; its lease is pushed only when half of it is over.

        A look costs a fifth of a write, which waits for the journal.
        """
        row = self._collection.find_one({"_id": record_id, "lease.token": token}, {"lease.until": 1})
        if row is None:
            return False
        if row["lease"]["until"] - self._now() > timedelta(seconds=lease_s / 2):
            return True
        return self.extend([record_id], token=token, lease_s=lease_s)

    def give_back(
        self, ids: Sequence[K], *, token: str, pause_s: float = 0.0, is_attempt: bool = False
    ) -> None:
        """Let others have records that were reserved, or begun and not finished.

        Args:
            ids: of records; those that this token does not hold are left alone.
            token: of the leases.
            pause_s: until they can be reserved again.
            is_attempt: those that were begun count as begun, and are not begun over and over.
        """
        until = {"until": self._now() + timedelta(seconds=pause_s)} if pause_s else {}
        free = {"$set": {"lease": {**free_lease(), **until}, "sent": 0}}
        own = {**self._waiting, "lease.token": token}
        begun = free if is_attempt else {**free, "$inc": {"attempts": -1}}
        self._collection.update_among(ids, begun, {**own, "lease.taken": True})
        self._collection.update_among(ids, free, {**own, "lease.taken": False})

    def finish(self, record_id: K, fields: Mapping[str, Any], *, token: str) -> bool:
        """Change fields of a record and free its lease, if it is still ours; False when it is not."""
        own = {"_id": record_id, "lease.token": token}
        change = {"$set": {**fields, "lease": free_lease()}}
        return self._collection.update_one(own, change).matched_count == 1


def shard_parts() -> Iterator[Document]:
    """Yield conditions that together match every shard once: a random one, then twice as many each time.

    SecantusDB reads all that a query matches, whatever its limit: who wants a few of many asks by parts.
    """
    first, size, start = random.randrange(SHARDS), 1, 0  # noqa: S311 - no secret
    while start < SHARDS:
        shards = [(first + offset) % SHARDS for offset in range(start, min(start + size, SHARDS))]
        yield {"shard": {"$in": shards}}
        start, size = start + size, size * 2


class Keeper:
    """Keeps leases alive during work of unknown length, as often as is needed and not more often.

    Args:
        extend: pushes their ends; False when one was lost.
        lease_s: how long they last.
    """

    def __init__(self, extend: Callable[[], bool], lease_s: float) -> None:
        self._extend = extend
        self._every_s = lease_s / _KEEPS
        self._last = time.monotonic()

    def __call__(self) -> bool:
        """Extend the leases if it is time; False when one was lost. May be called as often as one likes."""
        if time.monotonic() - self._last < self._every_s:
            return True
        self._last = time.monotonic()
        return self._extend()
