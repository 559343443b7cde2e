"""Leases: a record is worked on by one worker at a time, and never forgotten.

Theory of operation. A dispatcher *reserves* free records: it stores one document, the reservation, with a
fresh token and the ids, and sends the ids with that token in messages. A worker *takes* those records of
its message that are in the reservation: the conditional update writes a lease and succeeds only while the
record waits and is free. Then it takes their ids out of the reservation, so a message that comes again,
even after the work is done, does nothing. Finishing frees the lease together with the state change. A
killed worker leaves a lease, a lost message or a flushed queue a reservation; both end by time, and the
next dispatch reserves the record again.

A reservation only keeps records from being sent again and again. Two dispatchers at once may reserve the
same records; one worker takes each of them. So a record is written twice on its way, when it is begun and
when it is done, and not once more to be sent.

A free record has a lease that ended long ago, so that every condition is a plain comparison next to ``_id``:
SecantusDB answers an ``$or`` by reading the collection.

What a dispatch reads is bounded by what it sends, however much waits. A record of a collection that grows is
stored with a *shard*, a number that its id gives; waiting records are read by shard, one and then more at a
time, from a random one on, until there are enough.

A message may wait in its queue for longer than a reservation lasts, on servers that are slow, say. The record
is then sent again, and the first message does nothing when its turn comes. Lest this go on for ever, a
reservation that nobody took is followed by one of twice its length, for all that is sent with it.

Reservations and leases are not journalled. A crashed server that lost one has free records, which are worked
on again; who had them cannot finish them any more.

Many records are changed fifty in one command: SecantusDB compares every record with every id of a long
``$in``.
"""

import hashlib
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from pymongo import UpdateMany

from storage.collections.checked import IN_ONE, CheckedDatabase
from storage.collections.documents import Document
from storage.records import FREE
from system.batches import batched

K = TypeVar("K", int, str)  # of a collection's ids

RESERVATIONS = "reservations"  # their collection
MAX_ATTEMPTS = 5
_MAX_DOUBLINGS = 5  # of a reservation that nobody takes
SHARDS = 64
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
        token: of the reservation.
        ids: of the records that it may hold.
        is_all: nothing else was free: what still waits is on its way or in a worker's hands.
    """

    token: str
    ids: list[K]
    is_all: bool


class Leases(Generic[K]):
    """The leases of one collection's records.

    Args:
        database: where they are.
        name: of the records' collection.
        waiting: equality filter that only waiting records match, on a field that is indexed together with
            ``shard``.
        sharded: the records have shards; False for collections that stay small.
    """

    def __init__(
        self,
        database: CheckedDatabase,
        name: str,
        waiting: Mapping[str, Any],
        *,
        sharded: bool = True,
    ) -> None:
        self._collection = database[name]
        self._holds = self._collection.without_journal()
        self._reservations = database[RESERVATIONS].without_journal()
        self._name = name
        self._waiting = waiting
        self._now = database.now
        self._sharded = sharded

    def reserve(self, *, count: int, lease_s: float, given_up: Mapping[str, Any]) -> Reservation[K]:
        """Reserve waiting records so that at most about ``count`` are reserved and not taken yet.

        Those that were begun ``MAX_ATTEMPTS`` times and never finished kill their worker and are set aside.

        Args:
            count: how many may be on their way to workers at once.
            lease_s: how long the reservation lasts.
            given_up: the fields of a record that is set aside.
        """
        now, (reserved, ended) = self._now(), self._reserved()
        sent = {record_id: times for _, times, ids in ended for record_id in ids}
        for tokens in batched((token for token, _, _ in ended), IN_ONE):
            self._reservations.delete_many({"_id": {"$in": tokens}})
        missing = max(0, count - len(reserved))
        exhausted: list[K] = []
        chosen: list[K] = []
        for shard in shard_parts() if self._sharded else [{}]:
            if len(chosen) >= missing:
                break
            for row in self._collection.find({**self._waiting, **shard}, {"lease": 1, "attempts": 1}):
                if row["lease"]["until"] <= now and row["_id"] not in reserved:
                    is_spent = row.get("attempts", 0) >= MAX_ATTEMPTS
                    (exhausted if is_spent else chosen).append(row["_id"])
        is_all = len(chosen) < missing
        del chosen[missing:]
        token = uuid.uuid4().hex
        if chosen:
            times = max(sent.get(record_id, 0) for record_id in chosen)
            until = now + timedelta(seconds=lease_s * 2 ** min(times, _MAX_DOUBLINGS))
            self._reservations.insert_one(
                {"_id": token, "of": self._name, "until": until, "sent": times + 1, "ids": chosen}
            )
        for record_id in exhausted:
            self._give_up(record_id, given_up)
        return Reservation(token, chosen, is_all)

    def ensure_schema(self) -> None:
        """Create the index of the reservations; safe to repeat."""
        self._reservations.create_index("of")

    def reserved_ids(self) -> set[K]:
        """Return the ids of the records that are on their way to workers."""
        return self._reserved()[0]

    def _reserved(self) -> tuple[set[K], list[tuple[str, int, list[K]]]]:
        """Return those ids, and of the reservations that ended token, times sent and ids that nobody took."""
        now, reserved, ended = self._now(), set[K](), list[tuple[str, int, list[K]]]()
        for row in self._reservations.find({"of": self._name}):
            if row["until"] > now and row["ids"]:
                reserved.update(row["ids"])
            else:
                ended.append((row["_id"], row.get("sent", 1), row["ids"]))
        return reserved, ended

    def _among_reserved(self, ids: Sequence[K], token: str) -> list[K]:
        """Return those of some ids that are in a reservation."""
        return _ids_in(self._reservations.find_one({"_id": token}), ids)

    def _claim(self, ids: Sequence[K], token: str) -> list[K]:
        """Take ids out of a reservation; returns those that were in it."""
        without = {"$pullAll": {"ids": list(ids)}}
        return _ids_in(self._reservations.find_one_and_update({"_id": token}, without), ids)

    def _give_up(self, record_id: K, fields: Mapping[str, Any]) -> None:
        """Set a record aside, unless a worker has begun it once more in the meantime."""
        spent = {**self._waiting, "lease.until": {"$lte": self._now()}, "attempts": {"$gte": MAX_ATTEMPTS}}
        self._collection.update_one({"_id": record_id, **spent}, {"$set": fields})

    def claim(self, record_id: K, *, token: str, lease_s: float) -> bool:
        """Begin work on a reserved record, whose lease has the same token; False when it was not got."""
        if not self._among_reserved([record_id], token):
            return False
        free = {"_id": record_id, **self._waiting, "lease.until": {"$lte": self._now()}}
        is_ours = self._holds.update_one(free, self._begun(token, lease_s)).modified_count == 1
        self._claim([record_id], token)
        return is_ours

    def claim_many(self, ids: Sequence[K], *, token: str, lease_s: float) -> tuple[str, list[Document]]:
        """Begin work on some reserved records.

        Returns:
            The token of their leases, this taker's own, and the documents that it got.
        """
        lease_token, reserved = uuid.uuid4().hex, self._among_reserved(ids, token)
        free = {**self._waiting, "lease.until": {"$lte": self._now()}}
        begun = self._holds.update_among(reserved, self._begun(lease_token, lease_s), free)
        if reserved:  # what another one has is no longer on its way either
            self._claim(reserved, token)
        if not begun:
            return lease_token, []
        return lease_token, list(
            self._collection.find_among("_id", reserved, None, {"lease.token": lease_token})
        )

    def _begun(self, token: str, lease_s: float) -> Document:
        """Return the change of a record that is begun."""
        lease = {"token": token, "until": self._now() + timedelta(seconds=lease_s), "taken": True}
        return {"$set": {"lease": lease}, "$inc": {"attempts": 1}}

    def extend(self, ids: Sequence[K], *, token: str, lease_s: float) -> bool:
        """Push the ends of leases that are still ours; False when one of them is not."""
        until = {"$set": {"lease.until": self._now() + timedelta(seconds=lease_s)}}
        return self._holds.update_among(ids, until, {"lease.token": token}) == len(ids)

    def renew(self, ids: Sequence[K], *, token: str, lease_s: float) -> set[K]:
        """Return those of some records that are still ours; leases are pushed once half of one is over.

        A look costs a fifth of a write.
        """
        until = self._ends(ids, token)
        is_late = any(end - self._now() <= timedelta(seconds=lease_s / 2) for end in until.values())
        if is_late and not self.extend(list(until), token=token, lease_s=lease_s):
            until = self._ends(ids, token)  # somebody took one in between
        return set(until)

    def _ends(self, ids: Sequence[K], token: str) -> dict[K, datetime]:
        """Return the ends of those leases that a token holds."""
        rows = self._collection.find_among("_id", ids, {"lease.until": 1}, {"lease.token": token})
        return {row["_id"]: row["lease"]["until"] for row in rows}

    def release(
        self, ids: Sequence[K], *, token: str, pause_s: float = 0.0, is_attempt: bool = False
    ) -> None:
        """Let others have records that were reserved, or begun and not finished.

        Args:
            ids: of records; those that this token does not hold are left alone.
            token: of the leases.
            pause_s: until they can be reserved again.
            is_attempt: those that were begun count as begun, and are not begun over and over.
        """
        now = self._now()
        until = {"until": now + timedelta(seconds=pause_s)} if pause_s else {}
        free = {"$set": {"lease": {**free_lease(), **until}}}
        begun = free if is_attempt else {**free, "$inc": {"attempts": -1}}
        self._holds.update_among(ids, begun, {**self._waiting, "lease.token": token})
        reserved = self._claim(ids, token)
        if pause_s:
            self._holds.update_among(reserved, free, {**self._waiting, "lease.until": {"$lte": now}})

    def revoke(self, ids: Sequence[K]) -> None:
        """Free those of some records that are begun: who has them cannot finish them, and it was no attempt.

        Also those whose leases have ended, for their bearers may finish them as long as nobody else began.
        """
        begun = {**self._waiting, "lease.taken": True}
        free = {"$set": {"lease": free_lease()}, "$inc": {"attempts": -1}}
        self._collection.update_among(ids, free, begun)

    def finish(self, record_id: K, fields: Mapping[str, Any], *, token: str) -> bool:
        """Change fields of a record and free its lease, if it is still ours; False when it is not."""
        return self.finish_many([record_id], fields, token=token) == 1

    def finish_many(
        self,
        ids: Sequence[K],
        fields: Mapping[str, Any],
        *,
        token: str,
        condition: Mapping[str, Any] | None = None,
    ) -> int:
        """Change the same fields of some records and free their leases.

        Args:
            ids: of the records.
            fields: what they have from now on.
            token: of the leases; records that it does not hold are left alone …
            condition: … as are those that do not meet this.

        Returns:
            The number of records that the token held, and that are free now.
        """
        change = {"$set": {**fields, "lease": free_lease()}}
        return self._collection.update_among(ids, change, {**(condition or {}), "lease.token": token})

    def finish_groups(
        self,
        groups: Iterable[tuple[Sequence[K], Mapping[str, Any]]],
        *,
        token: str,
        condition: Mapping[str, Any] | None = None,
    ) -> int:
        """Change fields of several groups of records, and free their leases, by one command.

        Args:
            groups: ids of records with the fields that they have from now on.
            token: of the leases; records that it does not hold are left alone …
            condition: … as are those that do not meet this.

        Returns:
            The number of records that the token held, and that are free now.
        """
        ours = {**(condition or {}), "lease.token": token}
        updates = [
            UpdateMany({"_id": {"$in": batch}, **ours}, {"$set": {**fields, "lease": free_lease()}})
            for ids, fields in groups
            for batch in batched(ids, IN_ONE)
        ]
        return self._collection.bulk_write(updates).matched_count


def _ids_in(reservation: Document | None, ids: Sequence[K]) -> list[K]:
    """Return those of some ids that a reservation holds, each once; none where there is no reservation."""
    reserved = set(reservation["ids"]) if reservation else set()
    return [record_id for record_id in dict.fromkeys(ids) if record_id in reserved]


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
